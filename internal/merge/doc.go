// Package merge brings a file of a bundle into a file that the user already
// has, bytes in and bytes out, without touching a file system.
//
// Its law: the user's text is theirs. A merge reads both files for positions,
// inserts or replaces the smallest ranges of bytes that bring the new values
// in, reads the result again and compares it with the value it meant to
// produce. Comments, order, indentation, quoting, blank lines, line endings,
// byte order mark and a missing final newline stay as they are, and every byte
// outside those ranges is identical. What cannot be done in this way is a
// [Conflict] and never a guess; the user's content then stays, unless the
// caller's [Policy] says otherwise.
//
// Merging the same bundle twice changes nothing the second time.
//
// # The base
//
// [Input.Base] is the file as the bundle of the last pull brought it, and not
// the merged file that this pull left in the folder. Only so can a merge tell
// a value that the user left as delivered (it follows the bundle) from one
// that was the user's own all along (it stays).
//
// # Reading
//
// JSON and YAML are read by scanners of this package which know where each
// byte belongs and refuse what they do not know; TOML is read by the grammar
// of go-toml's unstable parser. All of them limit size and nesting, and the
// tests hold them against independent parsers.
package merge
