// Package jetstream keeps events and carries requests between roles on NATS:
// a server embedded in this process with no port open, or servers elsewhere.
// Both are spoken to in the same way.
//
// The law of the log. There is one stream, with a subject for each run. A
// message holds a batch of events and is stored only if the last message of its
// subject is the one that the writer knows: that is the fence. Viewers never
// listen to the subjects that writers publish to, because a message that the
// fence refuses still reaches plain subscribers there. What a writer of the same
// process has stored is handed to them by it; of other processes they hear on
// subjects on which the stream repeats what it has stored.
//
// The law of the feed. Events of a run are numbered without gaps, so a feed
// needs no other bookkeeping: what it has seen it drops, and when a number is
// missing it reads the log from there. It listens first and reads then. News
// may be lost at any time (a full buffer, a broken connection); the log is
// asked whenever a number, or the log's own end, says so.
//
// Everything that is no event is a plain NATS message: nothing is kept of it,
// and whoever sends it can live with its loss.
package jetstream
