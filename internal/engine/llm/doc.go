// Package llm generates projects by asking a language model.
//
// The model first makes a plan (a JSON object of a known form: decisions, files
// with what they are for and what they build on, ports), then writes the planned
// files, each when what it builds on is there, several at a time. Nothing that
// the model says is trusted. A file that was not planned cannot be written,
// a path that a bundle cannot hold is not planned, and no text of a model or a
// prompt is ever run, opened as a file of the host, or followed as a setting.
// What a file is asked with depends on the plan and on the files it builds on,
// never on what else happens to be ready: so one at a time and many at a time
// give the same files.
//
// Then the files are checked against the plan: all there, imports inside the
// project resolve, ports stand where they were declared. What fails is written
// again, alone, with the finding.
//
// Each call is charged to the run's [Budget] as it streams, and the moment the
// budget is reached, or the run is cancelled, every open stream of the run is
// closed.
package llm
