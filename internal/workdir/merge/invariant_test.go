package merge

import (
	"bytes"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// failer is what testing.T, testing.F and rapid.T have in common here.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkInvariants asserts what holds for every merge of every strategy.
func checkInvariants(t failer, strategy bundlezip.MergeStrategy, in Input, r Result) {
	t.Helper()
	if in.Current != nil && r.Changed == bytes.Equal(r.Content, in.Current) {
		t.Errorf("Changed is %v, and the content says otherwise", r.Changed)
	}
	if r.WholeConflict() && in.Policy != Markers && in.Policy != Theirs && !bytes.Equal(r.Content, in.Current) {
		t.Errorf("a conflict of the whole file changed it:\n%s", r.Content)
	}
	if in.Policy == Markers && strategy == bundlezip.ThreeWay {
		return
	}
	again := in
	again.Current = r.Content
	second := Merge(strategy, again)
	if second.Changed && strategy != bundlezip.ThreeWay { // its base moves with every pull
		t.Errorf("merging again changed the file\nfirst:\n%s\nsecond:\n%s", r.Content, second.Content)
	}
	next := again
	next.Base = in.Incoming
	if third := Merge(strategy, next); third.Changed {
		t.Errorf("merging the same bundle in the next pull changed the file\nfirst:\n%s\nthen:\n%s", r.Content, third.Content)
	}
	replaces := strategy == bundlezip.Overwrite || strategy == bundlezip.ThreeWay || strategy == bundlezip.ManagedBlock
	blank := len(bytes.Trim(bytes.TrimPrefix(in.Current, []byte(byteOrderMark)), " \t\r\n")) == 0
	if len(r.Updated) == 0 && !replaces && !blank && in.Policy != Theirs && !isSubsequence(in.Current, r.Content) {
		t.Errorf("the user's bytes are not all there, in order\nbefore:\n%q\nafter:\n%q", in.Current, r.Content)
	}
}

// isSubsequence reports whether part is obtained from all by deleting bytes.
func isSubsequence(part, all []byte) bool {
	for _, c := range part {
		i := bytes.IndexByte(all, c)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}
