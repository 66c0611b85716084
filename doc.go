// Package svc holds the nouns of the bundle delivery service and the contracts
// between its rooms. It is the place to start reading.
//
// # The system on one page
//
// A client asks for a generation. A worker runs an engine, whose output is told
// live as events and, when it is done, kept as the state of a project: one
// immutable pack, which is a ZIP archive with a manifest. A bundle is a copy of
// a pack that waits to be fetched. The client downloads it and acknowledges it;
// the acknowledgement deletes the copy. A bundle that nobody acknowledges
// expires. From the project's pack a fresh bundle can be made at any time.
//
// Three things are kept, each behind a contract of this package:
//
//   - records ([Store]): accounts, keys, projects, bundles, runs, limits and
//     idempotent answers. The database is the truth about everything.
//   - bytes ([Blobs]): packs and bundle archives, under keys that the records
//     point at. What no record points at is garbage, and a ledger in the
//     database knows of it before it exists.
//   - events ([EventLog]): what a run says while it goes.
//
// Decisions about limits, ownership and order are made in one place, in internal/delivery,
// internal/generation and internal/accounts, above the adapters. An adapter
// offers small atomic steps; a use case composes them in [Store.Tx]. No
// transaction spans work on blobs or on the network.
//
// # Where things live
//
//	client/               Go client of the HTTP interface
//	internal/accounts     people, their plans and their keys
//	internal/delivery     bundles: download, acknowledge, repackage, expire; limits
//	internal/packaging    a tree of files becomes a pack and a bundle, in one step
//	internal/attest       signed statements where a bundle comes from
//	internal/signing      the keys of the service, and what it signs with them
//	internal/assembly     a pack becomes an archive: the work of the assembler role
//	internal/generation   runs: queue, plan caps, worker, recovery
//	internal/engine       the contract of engines, and the engines below it
//	internal/validate     what is generated, tried before it is delivered
//	internal/sandbox      commands that nobody vouches for, where they do no harm
//	internal/relay        the one way out of a sandbox, to named hosts
//	internal/proctree     the processes below a process
//	internal/bundlezip    the law of the archive
//	internal/workdir      a bundle applied to a folder, and taken back
//	internal/workdir/pull what the client does with a folder and the service: pull, push, trust
//	internal/mcp          a folder served to coding agents, which do only what they showed
//	internal/diff         the difference of two texts, by lines and by words
//	internal/merge        configuration files merged so that nothing is lost
//	internal/sqlite       records on SQLite
//	internal/postgres     records on PostgreSQL, for many processes
//	internal/sqlrecords   steps on records whose SQL is the same in both
//	internal/column       how records lie in columns, the same in both
//	internal/fsblob       bytes in a folder
//	internal/s3blob       bytes in a bucket of S3
//	internal/jetstream    events, and requests between roles, on NATS
//	internal/conformance  the suites that every adapter passes
//	internal/api          the wire: routes, JSON, codes and statuses
//	internal/sse          a reader of Server-Sent Events
//	internal/secrets      what is surely a credential, in a text or by its name
//	internal/sleep        waiting for a time or the end of a context
//	internal/timestamp    points in time as the service publishes them
//	internal/httpd        handlers, authentication, middleware
//	internal/console      the web console: pages, sessions, live views
//	internal/edge         between network and handlers: HTTPS only, proxies, patience
//	internal/oidc         who somebody is at an OpenID provider
//	internal/certs        the certificate that is shown, always current
//	internal/telemetry    the log and the metrics
//	internal/setting      what an operator chooses, by flag, variable or file
//	internal/backup       a data folder as one file, and back
//	internal/transfer     records, bytes and events moved between engines
//	internal/cluster      many processes and their engines on one machine, for tests
//	tests/                a module of its own: the console in a browser, measurements,
//	                      campaigns of kills and faults, clusters, evaluations of engines
//	cmd/svcd, cmd/svc     the server and the client
package svc
