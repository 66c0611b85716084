//go:build !race

package console

var buildFlags []string // as the tests are built
