package tool

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// longestKind is how many words say at most of which kind files or folders are.
const longestKind = 2

// example is the name of a file with a number in it, of which another name is to be made.
var example = regexp.MustCompile(`\d.*\.[a-z0-9]{2,4}$`)

// call is a command with the file that it is told.
var call = regexp.MustCompile(`^[a-z][a-z0-9_-]+( -[a-z-]+)* [\w-]+\.[a-z]{2,4}$`)

// quality ends words that say what files are like, which is more than of which kind they are: corrupted files.
var quality = regexp.MustCompile(`(ed|en|ing|able|ible|ous|ful|less|ive|ar|ly|er|est|n't)$`)

// kind gives what words are that begin with a kind nobody knows, and how many they are: subtitle files, my sheet music
// folder. What kind that is, the tool cannot tell; take leaves it out by name.
func (r *reader) kind(i int) (meaning string, n int) {
	if found, ok := r.kinds[i]; ok {
		return found.meaning, found.n
	}
	r.kinds[i] = meant{}
	before, _ := r.plain(i - 1)
	if r.At(i-1).Mark || !is("before-kind", r.At(i-1).Low) && (before == "" || is("lone", before)) { // that uploads files
		return "", 0
	}
	for k := i; k < i+longestKind && (r.isKind(k) || k > i && is("kind-end", r.At(k).Low)) && english.Singular(r.At(k).Low) == r.At(k).Low; k++ {
		meaning, n := r.plain(k + 1)
		if meaning == "file" && english.Singular(r.At(k+n).Low) != r.At(k+n).Low || meaning == "folder" || is("tabular", meaning) {
			r.kinds[i] = meant{meaning, k + 1 + n - i}
			break
		}
	}
	if end := r.At(i + 1).Low; r.tables && r.isKind(i) && (end == "export" || end == "statement") && r.kinds[i].n == 0 { // of my bank export (csv)
		r.kinds[i] = meant{"csv", 2}
	}
	return r.kinds[i].meaning, r.kinds[i].n
}

// reformed gives what files hold that are told by their extension, where they are put into another form: merges .csv files.
func (r *reader) reformed(i int) string {
	before := i - 1
	for is("article", r.At(before).Low) || Tables()["means"][r.At(before).Low] == "" && is("means", r.At(before).Low) {
		before--
	}
	reforms := func(k int) bool {
		verb := stem(r.At(k).Low)
		return is("reforming", cmp.Or(Tables()["means"][verb], verb))
	}
	if extension, ok := strings.CutPrefix(strings.TrimPrefix(r.At(i).Low, "*"), "."); ok && (reforms(before) || reforms(before-1)) { // pretty prints
		return Tables()["filename"][extension]
	}
	return ""
}

type meant struct {
	meaning string
	n       int
}

// isKind says whether a word may tell of which kind something is: a noun that means nothing here.
func (r *reader) isKind(i int) bool {
	t := r.At(i)
	if t.Mark || t.Quoted || len(t.Low) < 3 || strings.ContainsAny(t.Low, ".-0123456789'") || known()[stem(t.Low)] || quality.MatchString(t.Low) || r.isText(i) {
		return false
	}
	for _, table := range []string{"matters", "wish", "extra", "beside", "turn", "narrator", "scene", "ability", "idle", "amount", "acronym", "odd"} {
		if is(table, t.Low) || is(table, english.Singular(t.Low)) {
			return false
		}
	}
	return r.ClassAt(i) == ""
}

// contents gives the end of words that tell what stands in files, in words that mean nothing here: a csv with bank
// transactions.
func (r *reader) contents(i int) int {
	meaning, n := r.sense(i)
	held := false // in a csv, or a json file
	for back := 1; back <= longestKind; back++ {
		before, words := r.sense(i - back)
		held = held || words == back && is("container", before)
	}
	if behind := r.isKind(i); behind { // a csv timesheet
		n = 0
	} else if meaning != "with" && !is("holding", r.At(i).Low) {
		return i
	}
	if !held {
		return i
	}
	end := i + n
	for more, n := r.sense(end); more == "" && !r.Ends(end); more, n = r.sense(end) {
		end += n
	}
	from := end
	for end < from+longestOwner && (r.isKind(end) || is("content", r.At(end).Low)) {
		end++
	}
	if next, _ := r.sense(end); end == from || !r.Ends(end) && !is("lone", next) {
		return i
	}
	return r.bracket(end)
}

// written gives how many words say in which language files are written that a tool works on: Python files, Go code.
func (r *reader) written(i int) int {
	m, n := r.Phrase(i)
	next := r.At(i + n).Low
	switch {
	case m.Class != "language" || n == 0:
		return 0
	case next == "code" || next == "source" || next == "sources":
		return n + 1
	case next == "files" || next == "file":
		return n
	}
	return 0
}

// extensions gives how many words are a list of extensions that files have: .txt and .log files.
func (r *reader) extensions(i int) int {
	isOne := func(k int) bool {
		return !r.At(k).Mark && (strings.HasPrefix(r.At(k).Low, ".") || strings.HasPrefix(r.At(k).Raw, "*.") || Tables()["means"][r.At(k).Low] == ".x")
	}
	end := i
	for next := i; isOne(next); {
		end = next + 1
		for next = end; r.At(next).Low == "," || r.ClassAt(next) == "join"; next++ {
		}
		if next == end {
			break
		}
	}
	if meaning, _ := sense(func(k int) string { return r.At(end + k).Low }); end < i+2 || meaning != "file" {
		return 0
	}
	return end - i
}

// refuseOpaque refuses files that are no plain text, where all that the tool does is to read them: .pdf files.
func (r *reader) refuseOpaque() {
	if slices.ContainsFunc(r.Operations, func(o string) bool { return is("unread", o) }) {
		return
	}
	for i, t := range r.Tokens {
		from := i - 1
		for is("article", r.At(from).Low) || r.At(from).Low == "two" {
			from--
		}
		before, _ := r.sense(from)
		parts := before == "compare" && slices.Contains(r.Operations, "compare") && is("unjoined", english.Singular(t.Low)) || before == "merge" && slices.Contains(r.Operations, "lines") || before == "split" && slices.Contains(r.Operations, "split")
		if _, n := r.kind(i); parts && (n > 0 || is("unjoined", english.Singular(t.Low))) {
			r.Refuse(r.text(from, i+max(n, 1))) // combines photos, splits audio files
		}
		kind := strings.TrimPrefix(strings.ToLower(t.Raw), "*")
		if !t.Mark && is("opaque", kind) && before != "skip" && before != "no" {
			r.Hearts = append(r.Hearts, settings.Omission{What: kind, Why: "only files of plain text are read"})
		}
	}
}

// sought says whether something stands at a place for which files are searched, by a word that means nothing here: for a
// surname.
func (r *reader) sought(i int) bool {
	before := i - 1
	for is("single", r.At(before).Low) || r.At(before).Low == "an" {
		before--
	}
	if before == i-1 || !r.isKind(i) || !r.Ends(i+1) && !r.joins(i+1) {
		return false
	}
	if file, n := r.plain(before - 1); stem(r.At(before).Low) == "contain" && file == "file" && n == 1 { // files containing a given import
		return true
	}
	if r.At(before).Low != "for" {
		return false
	}
	for k := before; k > i-longestRow && !r.At(k).Mark; k-- {
		switch low := stem(r.At(k).Low); {
		case is("subset", low):
			return false
		case low == "search" || low == "grep" || low == "look":
			return true
		}
	}
	return false
}

// leaveKinds names the kinds of files and folders that stand among the words of a row, and are no other for the tool.
func (r *reader) leaveKinds(i int, found row) {
	if found.told == "no" || found.told == chosenByName || strings.HasPrefix(found.told, "never ") {
		return // all of it is named
	}
	for k := i; k < found.end; k++ {
		if end := r.contents(k); k > i && end > k && end <= found.end {
			k = r.leave(k, end, settings.Background) - 1
			continue
		}
		if meaning, n := r.kind(k); meaning == "folder" || is("tabular", meaning) {
			r.Leave(r.text(k, k+n), whenCalled)
			k += n - 1
		} else if n > 0 {
			r.leaveFiles(k, k+n)
			k += n - 1
		} else if n := r.narrow(k); n > 0 {
			r.leaveFiles(k, k+n)
			k += n - 1
		}
		if t := r.At(k); t.Quoted && slices.Contains(r.named, "rename") && example.MatchString(t.Low) && !isName(t.Low) {
			r.Refuse(t.Low) // "track 1.mp3" to "01 track.mp3": nobody knows how
		}
		if r.sought(k) {
			r.Leave(r.At(k).Low, whenCalled)
		}
		first, n := r.plain(k)
		if second, more := r.plain(k + n); first == ".x" && second == "file" && !strings.Contains(found.pattern, ".x") {
			r.leaveFiles(k, k+n+more)
			k += n + more - 1
		}
	}
}

// narrow gives how many words at a place tell of some files only, of which the tool knows nothing: log files, photos.
func (r *reader) narrow(i int) int {
	meaning, n := r.plain(i)
	if is("format", r.At(i).Low) && r.At(i+1).Low == "files" {
		return 2
	}
	opaque := is("format", english.Singular(r.At(i).Low)) && meaning != "file"
	if meaning != "file" && !opaque {
		return 0
	}
	unread := !slices.ContainsFunc(r.named, func(o string) bool { return !is("unread", o) })
	for k := i; k < i+n; k++ {
		low := english.Singular(r.At(k).Low)
		several := low != r.At(k).Low || r.At(k+1).Low == "files"
		if several && (unread && (is("subset", low) || is("format", low) || low == "text") || n > 1 && is("format", low)) {
			return n
		}
	}
	return 0
}

// leaveFiles names files of a kind, which are chosen where the tool is called, if it is told files there.
func (r *reader) leaveFiles(from, to int) {
	why := everyKind
	if r.takesFiles() {
		why = chosenByName
	}
	r.Leave(r.text(from, to), why)
}
