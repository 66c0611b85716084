package tool

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/words"
)

var (
	// oneDash is an option with a long name behind one dash, shortFlags several with short ones: -min-size, -i/-o.
	oneDash    = regexp.MustCompile(`^-[a-z][a-z0-9]+(-[a-z0-9]+)*$`)
	shortFlags = regexp.MustCompile(`^-[A-Za-z](/-[A-Za-z])+$`)
	shortFlag  = regexp.MustCompile(`^-[A-Za-z]$`)
	longFlag   = regexp.MustCompile(`^--[a-z][a-z0-9-]*$`)
	// placeholder stands behind an option for what it is told: N, SIZE, 0.12.
	placeholder = regexp.MustCompile(`^([A-Z]+|<[A-Za-z]+>|[0-9][0-9.]*[A-Za-z]{0,2})$`)
)

// flagsOf gives the options at a place that are written otherwise than flag expects them. A dash may begin what is asked
// for as well: -counts words.
func flagsOf(x words.Text, i int) []string {
	raw, next := x.At(i).Raw, x.At(x.Behind(i))
	told := next.Mark || x.Ends(x.Behind(i)) || placeholder.MatchString(next.Text)
	switch {
	case x.At(i).Quoted:
		return nil
	case oneDash.MatchString(raw) && told && (x.Ends(i-1) || is("option", stem(x.At(i-1).Low))):
		return []string{raw}
	case shortFlags.MatchString(raw):
		return strings.Split(raw, "/")
	}
	return nil
}

// flag gives the place behind an option as it is written, and behind what it is told there: --top N, -n number.
func (r *reader) flag(i int) int {
	t := r.At(i)
	if t.Mark || t.Quoted || !longFlag.MatchString(t.Low) && !shortFlag.MatchString(t.Raw) {
		return i
	}
	next, end := r.At(i+1), i+1
	if next.Low == "=" || next.Low == ":" {
		next, end = r.At(i+2), i+2
	}
	letter := func(k int) bool { return len(r.At(k).Low) == 1 && !r.At(k).Mark }
	if letter(end) && r.At(end+1).Low == "," && letter(end+2) { // --columns a,b,c
		for end += 2; r.At(end+1).Low == "," && letter(end+2); {
			end += 2
		}
		return end + 1
	}
	written := placeholder.MatchString(next.Text) && r.ClassAt(end) != "language"
	if !next.Mark && (written || is("placeholder", next.Low) && r.Ends(end+1)) {
		return end + 1
	}
	return i + 1
}

// flagged takes an option as it is written: one that a tool has, another word for one, or none of them, which is left out
// by name.
func (r *reader) flagged(i int) int {
	end := r.flag(i)
	what := r.text(i, end)
	if shortFlag.MatchString(r.At(i).Raw) {
		what = strings.TrimSpace(r.At(i).Raw + " " + r.text(i+1, end))
		r.Leave(what, cmp.Or(Tables()["written-flag"][r.At(i).Raw], "options have long names"))
		return end
	}
	name, left := r.At(i).Low, ""
	if why := Tables()["written-flag"][name]; why != "" {
		return r.leave(i, end, why)
	}
	if oneDash.MatchString(r.At(i).Raw) { // as it is written
		what = what[1:]
	}
	if name == "--help" {
		r.Given = append(r.Given, name)
		return end
	}
	meant := meaningOf(strings.ReplaceAll(name[2:], "-", " "))
	same := slices.IndexFunc(r.flags, func(flag string) bool { return longFlag.MatchString(flag) && meaningOf(flag[2:]) == meant })
	for _, operation := range append(slices.Clone(r.named), "any") {
		operands := r.Tables["operands"][operation]
		if strings.Contains(operands, name+" ") || strings.Contains(operands, name+"]") {
			r.Given = append(r.Given, name)
			return end
		}
		rows := books()[operation+optionOf]
		told := cmp.Or(rows[meant], rows["choose "+meant])
		switch why, _ := strings.CutPrefix(told, "never "); {
		case strings.Contains(told, "--"):
			left = "there it is " + told
		case told == "yes" && left == "":
			left = "it is so without an option"
		case told != "" && told != "no" && left == "":
			left = why
		}
	}
	if same >= 0 && !strings.HasPrefix(left, "there it is ") { // --delete, where --remove was told
		left = "there it is " + r.flags[same]
	}
	if left == "" {
		left = notThere
		if explained := r.explained(i, end); explained > end {
			end, what = explained, r.text(i, explained)
		}
	}
	r.Leave(what, left)
	return end
}

// explained gives the end of a clause that begins with an option and tells what it does: --skip-empty drops blank rows.
func (r *reader) explained(i, end int) int {
	if !r.At(i-1).Mark || r.Ends(end) {
		return end
	}
	last := r.NextMark(end)
	for k := end; k < last; k++ {
		if _, asked := r.longest(k, "operation"); asked > 0 || r.setting(k) > 0 || r.flag(k) > k {
			return end
		}
	}
	return last
}

// asOption says whether the words up to a place are asked for as an option: flag for pretty print, ignoring case should be
// an option.
func (r *reader) asOption(i, end int) bool {
	idle := func(k int) bool {
		meaning, _ := r.sense(k)
		return !r.At(k).Mark && (meaning == "" || meaning == "in" || meaning == "to")
	}
	for k := i - 1; k >= 0 && idle(k); k-- {
		if is("option", stem(r.At(k).Low)) {
			return true
		}
	}
	for k := end; k < len(r.Tokens) && idle(k); k++ {
		if is("option", stem(r.At(k).Low)) {
			return true
		}
	}
	for k := i - 1; k >= 0 && r.At(k).Low != "."; k-- {
		if is("option", stem(r.At(k).Low)) && r.At(k+1).Low == ":" { // options: delimiter, pretty print
			return true
		}
	}
	return is("option", stem(r.At(i).Low)) && r.At(i).Low != "optional"
}
