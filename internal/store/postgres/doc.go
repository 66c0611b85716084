// Package postgres keeps the records in PostgreSQL, by the contracts of the root
// package, for any number of processes.
//
// Its invariants:
//
//   - A transaction of Tx is SERIALIZABLE: the database itself sees to it that it
//     runs as if alone, and asks for another try when it cannot. Tries are bounded,
//     and the waits between them grow and vary. One of TxLocked is READ COMMITTED
//     and decides by what its steps lock: strangers cannot void it.
//   - A transaction begins with its first statement, in the same round trip. What
//     only writes is put off until the next statement, or the end.
//   - A step that runs alone is one statement, or several sent together as one
//     implicit transaction: one round trip, no BEGIN, no COMMIT. Alone it runs
//     at READ COMMITTED, so it takes locks on the rows that it decides by; where
//     it decides by more than it locks, it takes the lock in a statement before.
//   - An expected refusal (a name that is taken, an owner that is gone) is never
//     an error of the database, which would end the transaction around it: the
//     statement changes nothing and counts what it found.
//   - The clock is the database's and is read after the lock that it is asked
//     with, unless a test brings its own.
//   - Nothing outlives a transaction on a connection: no session locks, no
//     settings, no temporary tables. So the service works behind a pooler that
//     hands connections out by transaction. It is found out at the start, and
//     statements then go without being prepared, unless the address says by
//     default_query_exec_mode how they are to be sent.
//   - Times are whole milliseconds since 1970, in UTC; a time that is not set is
//     NULL. Texts sort by their bytes.
//
// One file holds the steps of one noun, under the name it has in the root
// package. A change of the schema is a new file in migrations; its number and
// name are the same for every database that the service knows.
package postgres
