// Package torture kills the real server at random points under load and checks
// that nothing it promised is lost. It has tests only: a seeded sample runs with
// every test run, and
//
//	make torture
//
// runs the long campaign. -torture.seed repeats a run's choices (what the load
// does in which millisecond is the scheduler's).
package torture
