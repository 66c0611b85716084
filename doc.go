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
// A room imports only rooms that stand above it in this list, which deps_test.go
// checks. Parentheses hold the folders of a room.
//
//	internal/sleep       waiting for a time or the end of a context
//	internal/text        texts that others wrote (diff, ignore, plaintext, printable, secrets, sse, timestamp)
//	internal/sandbox     a command in, a result out (egress, proctree)
//	internal/bundle      a state of a project as an archive (assemble, bundlezip, pack, provenance, signing)
//	internal/store       the contracts of this package kept (backup, column, datadir, diskfull, fsblob, jetstream, migrate, postgres, s3blob, sqlite, sqlshared)
//	internal/accounts    people, their plans, keys and sessions (oidc)
//	internal/delivery    bundles: download, acknowledge, repackage, push, expire; limits
//	internal/validate    which checks a tree needs, and their findings
//	internal/engine      the contract of engines, and the engines (agent, exec, llm, template)
//	internal/generation  runs: queue, plan caps, workers, recovery
//	internal/ops         what operators choose and see (setting, telemetry)
//	internal/web         everything behind an address (api, certs, clientdir, console, edge, httpd)
//	client               Go client of the API
//	internal/workdir     a bundle applied to a folder, and taken back (generate, leaks, merge, pull)
//	internal/mcp         a folder served to coding agents
//	cmd/svc              the client: flags, calls, printing
//	cmd/svcd             the server: settings and wiring
//	internal/testkit     everything that only tests import
//	tests                a module of its own: browser, measurements, kills and faults, clusters, evaluations
package svc
