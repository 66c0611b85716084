// Package migrate moves a service from one set of stores to another: records,
// the blobs that they point at, and the events that viewers may still ask for.
//
// Its invariants:
//
//   - What is moved is read back and compared: every blob by its SHA-256, every
//     table by its number of rows and a sum over them, every event by its bytes.
//   - Blobs and events go first and the records last, in one transaction of the
//     target. So the target holds no records or all of them, and where it holds
//     them, everything that they point at is there.
//   - It can be ended at any point, by force too, and begun again: what arrived
//     is found and checked, not sent again, and what the source has dropped since
//     is removed. Once the records are in the target,
//     beginning again does nothing.
//   - A target that holds anything which did not come from this source is
//     refused before a byte is written.
//   - The source is only read, and nobody writes to it meanwhile.
//   - Memory does not grow with what is moved.
package migrate
