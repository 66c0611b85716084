package workdir

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestOwnAckIsNotCrowdedOut: lines that came with a stranger's folder do not
// keep the user's own acknowledgement from being remembered.
func TestOwnAckIsNotCrowdedOut(t *testing.T) {
	own := Pending{BundleID: bundle1, APIURL: "https://api.example"}
	long := "https://stranger.example/" + strings.Repeat("x", 220)
	for name, foreign := range map[string]int{"as many as are read": maxPendingLines, "more": maxPendingLines + 20, "few": 1} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			var lines strings.Builder
			for n := range foreign {
				lines.WriteString(numbered(n) + " " + long + "\n")
			}
			lines.WriteString(strings.Repeat("\n", max(0, maxPending-lines.Len())))
			b.put(PendingName, lines.String())
			must.Do(t, b.with(nil, func(f *Folder) error { return f.AddPending(own) }))
			must.Do(t, b.with(nil, func(f *Folder) error {
				all, err := f.PendingAcks()
				if !slices.Contains(all, own) {
					t.Errorf("the own one is not among %d", len(all))
				}
				return err
			}))
			must.Do(t, b.with(nil, func(f *Folder) error { return f.SettlePending(own) }))
		})
	}
}
