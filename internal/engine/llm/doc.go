// Package llm generates and changes projects by asking a language model.
//
// A run is one conversation that forks. The model looks at what it needs (ranges of
// files, searches, within a budget) and makes a plan; from there each planned file
// has a conversation of its own, when what it builds on is there, several at a time;
// and so has each repair. All of them begin with the same words, which providers
// cache. New files are written whole. Files that exist are changed by blocks that
// apply where their old text stands exactly once (package edit), so that nothing is
// lost that was not meant; whole content is taken only where the model has seen all
// of the file. What models say around a content is no part of it (package answer).
//
// Nothing that the model says is trusted. A file that was not planned cannot be
// written, but for the few that a repair may add; a path that a bundle cannot hold is
// not planned, where a file goes is not asked, and no text of a model or a prompt is
// ever run, opened as a file of the host, or followed as a setting. What a file is
// asked with depends on the plan and on the files it builds on, never on what else
// happens to be ready: so one at a time and many at a time give the same files.
//
// Then the files are checked against the plan: all there, imports inside the
// project resolve, ports stand where they were declared. What fails is repaired with
// the finding. A repair may not take away what no finding speaks of, and a finding
// that comes back unchanged twice ends the run.
//
// Each call is charged to the run's [Budget] as it streams, thinking included, and
// the moment the budget is reached, or the run is cancelled, every open stream of the
// run is closed.
package llm
