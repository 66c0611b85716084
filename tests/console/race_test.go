//go:build race

package console

// buildFlags build the server as the tests are built. The C of SQLite is left out, as
// in the Makefile.
var buildFlags = []string{"-race", "-gcflags=modernc.org/sqlite/lib=-race=false"}
