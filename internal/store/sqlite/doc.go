// Package sqlite keeps the records in one SQLite file, by the contracts of the
// root package.
//
// Its invariants:
//
//   - One connection writes; whoever wants it stands in a queue, first come,
//     first served. Every write transaction begins by taking SQLite's write
//     lock, so that what it reads cannot change before it commits and it never
//     has to be run twice.
//   - Some connections read, each step in a snapshot of its own, and never wait
//     for the writer.
//   - A commit is on the disk before it is reported (synchronous=FULL): with
//     less, a power cut could undo an acknowledgement whose archive is gone.
//   - Several processes may share the file. They wait for each other, but not
//     for ever.
//   - A step that has begun is finished: a context ends the waiting before a
//     step and the transaction between two steps. An interrupted statement could
//     silently roll back all that preceded it, and steps are short.
//   - Times are whole milliseconds since 1970, in UTC; a time that is not set is
//     NULL.
//
// One file holds the steps of one noun, under the name it has in the root
// package. A change of the schema is a new file in migrations; its number and
// name are the same for every database that the service knows.
package sqlite
