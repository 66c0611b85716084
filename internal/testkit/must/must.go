// Package must ends a test at an error that the test is not about.
package must

// T is what a test needs for that: *testing.T, testing.TB and *rapid.T have it.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test if err is not nil.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns the value of a call that must succeed, as in must.Get(os.ReadFile(path))(t).
func Get[V any](value V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return value
	}
}
