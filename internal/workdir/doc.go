// Package workdir applies a bundle to a folder and takes it back.
//
// At every moment, also after a power cut, the folder can be brought to exactly
// the state before a pull or exactly the state after it, and nothing that a
// person wrote is ever lost on the way.
//
// # How a pull happens
//
// [Folder.Plan] reads the folder and writes nothing. [Folder.Apply] takes the
// lock, looks whether the folder is still what the plan saw, puts every new
// content and a copy of every old one under .svc/stage, syncs once, and writes
// the journal: that rename is the commit. From then on only renames are left.
// Each of them can be done again, so whoever finds a journal finishes it.
// Before the commit nothing outside .svc has been touched, so whoever finds a
// stage without a journal throws it away.
//
// A rollback is the same thing in the other direction: a plan, a journal, and
// renames out of the history.
//
// # How a push happens
//
// [Folder.PlanPush] finds what differs from what the last pull brought. [Folder.Push]
// takes the lock and writes what will be sent under .svc/push, before it is sent: the
// answer may get lost, and whoever finds an unanswered push sends it again, which
// the service takes for the same one. Once it is answered, what was sent counts as
// brought: it is the ancestor of the next merge. A bundle that is older than a push
// is merged as if there had been none.
//
// # What is kept
//
//	resolution_log.json           what the last pull did; the truth for a rollback
//	.svc/history/<bundle-id>/     what it takes to undo that pull
//	    record.json               digest of the log, given ports, digests of bases
//	    files/…                   files that were replaced
//	    displaced/…               *.svc.backup files of earlier pulls
//	    bases.zip                 what the bundle brought, for the next merge
//	    written.zip               texts that the pull wrote otherwise, for a diff
//	    push/<n>/                 what was pushed since: record.json, bases.zip
//	    resolution_log.json       the log of the pull before
//	.svc/push/                    a push that has not been answered: request.json,
//	                              changes.zip
//	.svc/trash/<bundle-id>/       what people changed after the pull
//	~/.svc/pulls/<pull-id>/       the same, for changes in the home folder
//
// # Whom to believe
//
// A folder can come from a stranger, with a log, a journal and a history made
// up. Every path in them passes the rules of bundlezip and is used only below
// an os.Root, never through a symbolic link. What this user's client wrote
// is signed with a key in ~/.svc. Without a valid signature a file is touched
// only if it is, byte for byte, what the log says it was; one file that is not
// stops everything before the first change. With the signature, a file that
// differs was edited by the user, and is saved in the trash first. Changes to
// the home folder are believed only from ~/.svc itself.
//
// # Faults
//
// Every change to a file system goes through one small type, disk, which asks a
// hook first. The tests use it to stop the world before each single change.
package workdir
