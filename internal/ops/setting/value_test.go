package setting

import "testing"

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 1, "5B": 5, "500MB": 500_000_000, "4GiB": 4 << 30, "2 KiB": 2048, "1TB": 1e12} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for n, want := range map[int64]string{1: "1", 1000: "1000", 1024: "1KiB", 4 << 30: "4GiB", 300 << 20: "300MiB"} {
		if got := showSize(n); got != want {
			t.Errorf("%d is shown as %s, want %s", n, got, want)
		}
	}
}
