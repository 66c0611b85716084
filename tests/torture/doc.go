// Package torture kills the real server at random points under load, takes away
// from it what it depends on, and checks that nothing it promised is lost. It has
// tests only: some kills come with every test run, and
//
//	make torture
//
// runs the long campaigns. -torture.seed repeats a run's choices (what the load
// does in which millisecond is the scheduler's), -torture.fault chooses among the
// faults. docs/faults.md tells what they are and what was seen.
package torture
