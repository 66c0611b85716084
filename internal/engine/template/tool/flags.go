package tool

import (
	"regexp"
	"slices"
	"strings"
)

var (
	shortFlag = regexp.MustCompile(`^-[A-Za-z]$`)
	longFlag  = regexp.MustCompile(`^--[a-z][a-z0-9-]*$`)
	// placeholder stands behind an option for what it is told: N, SIZE, 0.12.
	placeholder = regexp.MustCompile(`^([A-Z]+|<[A-Za-z]+>|[0-9][0-9.]*[A-Za-z]{0,2})$`)
)

// flag gives the place behind an option as it is written, and behind what it is told there: --top N, -n number.
func (r *reader) flag(i int) int {
	t, name := r.At(i), ""
	switch {
	case t.Mark || t.Quoted:
		return i
	case longFlag.MatchString(t.Low):
		name = t.Low
	case shortFlag.MatchString(t.Raw):
		name = t.Raw
	default:
		return i
	}
	next, end := r.At(i+1), i+1
	if next.Low == "=" || next.Low == ":" {
		next, end = r.At(i+2), i+2
	}
	written := placeholder.MatchString(next.Text) && r.ClassAt(end) != "language"
	if !next.Mark && (written || is("placeholder", next.Low) && r.Ends(end+1)) && name != "" {
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
		r.Leave(what, "options have long names")
		return end
	}
	name, left := r.At(i).Low, ""
	if name == "--help" {
		r.Given = append(r.Given, name)
		return end
	}
	for _, operation := range append(slices.Clone(r.named), "any") {
		operands := r.Tables["operands"][operation]
		if strings.Contains(operands, name+" ") || strings.Contains(operands, name+"]") {
			r.Given = append(r.Given, name)
			return end
		}
		told := books()[operation+optionOf][meaningOf(strings.ReplaceAll(name[2:], "-", " "))]
		switch why, never := strings.CutPrefix(told, "never "); {
		case strings.Contains(told, "--"):
			left = "there it is " + told
		case told == "yes" && left == "":
			left = "it is so without an option"
		case never && left == "":
			left = why
		}
	}
	if left == "" {
		left = notThere
	}
	r.Leave(what, left)
	return end
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
	return is("option", stem(r.At(i).Low)) && r.At(i).Low != "optional"
}
