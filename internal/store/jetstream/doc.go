// Package jetstream stores the events of runs in a JetStream stream of NATS and
// carries requests between processes over NATS: with a server embedded in this
// process that opens no port, or with servers elsewhere. Both are spoken to in the
// same way.
//
// Invariants of the log. There is one stream, with a subject for each run. A
// message holds a batch of events and is stored only if the last message of its
// subject is the one that the writer knows: that is the fence. Viewers never
// subscribe to the subjects that writers publish to, because a message that the
// fence refuses still reaches plain subscribers there. What a writer of the same
// process has stored is handed to them by it; what other processes stored comes on
// subjects to which the stream republishes.
//
// Invariants of a feed. Events of a run are numbered without gaps, so a feed needs
// no other bookkeeping: what it has seen it drops, and when a number is missing it
// reads the log from there. It subscribes first and reads then. A message to it may
// be lost at any time (a full buffer, a broken connection); the log is asked
// whenever a number, or the log's own end, says so.
//
// Everything that is no event is a plain NATS message: nothing is kept of it, and
// whoever sends it can live with its loss.
package jetstream
