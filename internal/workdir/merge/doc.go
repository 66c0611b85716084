// Package merge merges a file of a bundle into the file that the user already
// has, by one of the manifest's strategies: bytes in, bytes out, no file system.
//
// What holds for every merge:
//
//   - The user's text is kept. A structured merge changes the smallest ranges of
//     bytes that bring the new values in; comments, order, indentation, quoting,
//     blank lines, line endings, byte order mark and a missing final newline stay
//     as they are, and every byte outside of those ranges is identical.
//   - The result of a structured merge is parsed again before it is returned, and
//     must have the value that was meant. For JSON and TOML a parser that shares no
//     code with that of the merge must find it as well.
//   - What cannot be done in this way is a [Conflict] and never a guess. The
//     user's content then stays, unless the caller's [Policy] says otherwise.
//   - Merging the same bundle twice changes nothing the second time.
//
// # The base
//
// [Input.Base] is the file as the bundle of the last pull brought it, and not
// the merged file that this pull left in the folder. Only so can a merge tell
// a value that the user left as delivered (it follows the bundle) from one
// that was the user's own all along (it stays).
//
// # Structured files
//
// [DeepMerge] works in three steps. A parser of the file's format turns both
// texts into trees of nodes that know their places in the source. The merger
// walks the trees, and the format's editor turns each change into splices of the
// user's text. Parsers, editors and what they write are in the files that begin
// with the format's name; what all formats share is in node.go, bracketinsert.go
// and deepmerge.go.
//
// Anchors, aliases and merge keys of YAML are merged by what they stand for, and
// stay as they are written wherever the result then has the value that was meant.
//
// JSON has a parser of its own here. TOML is read by the grammar of go-toml's unstable
// parser, YAML by go.yaml.in/yaml: that says which values there are, and a scanner of
// our own finds where each begins and ends, and refuses what parsers read differently.
// All of them limit size and nesting. The parsers that check a result are hujson,
// go.yaml.in/yaml and BurntSushi/toml.
package merge
