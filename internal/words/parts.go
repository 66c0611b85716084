package words

import (
	"slices"
	"strings"
)

// Plain gives the number of words in a row that mean nothing anywhere, and are no names.
func (x Text) Plain(i int) (n int) {
	for t := x.At(i); !t.Mark && !t.Capital && !t.Quoted && !strings.ContainsAny(t.Low, "@/.") && !x.IsFigure(i+n) && (x.ClassAt(i+n) == "" || x.Vocabulary[t.Low].Value == "filler"); t = x.At(i + n) {
		n++
	}
	return n
}

// NextMark gives the place of the next mark.
func (x Text) NextMark(i int) int {
	for !x.At(i).Mark {
		i++
	}
	return i
}

// Part gives the name of a part of a list as it is written, and the number of its words, if nothing in it means something else.
// Some words are part of a name only where it is known what the list is about.
func (x Text) Part(i int, known bool) (name []string, n int) {
	begin, before := i, x.class(x.At(i-1).Low)
	for x.Is("determiner", x.At(begin).Low) && x.Length(i, "layout") < 2 { // but: our story
		begin++
	}
	end, named := x.EndOf(begin), x.Is("asking", x.At(begin).Low) || x.Length(i, "layout") > 1
	if end > begin+6 || !x.Ends(i-1) && before != "fields" && before != "things" || !named && x.Is("breaks-list", x.At(begin).Low) {
		return nil, 0
	}
	for k := begin; k < end; k++ {
		t := x.At(k)
		m, length := x.Phrase(k)
		stop, section := m.Class == "stop", x.Is("section", t.Low) || x.Is("layout", t.Low)
		switch {
		case t.Quoted || t.Capital || x.IsFigure(k) || strings.ContainsAny(t.Low, "@/.0123456789") || x.Is("interactive", t.Low) && !section,
			!named && (length > 1 && !stop || k < end-1 && x.Length(k, "fill-in")+x.Length(k, "wish") > 0):
			return nil, 0
		case section, m.Class == "", m.Value == "filler" && !x.Is("section-end", t.Low), x.Is("asking", t.Low) && k > begin, x.Is("other-part", t.Low):
			named = true
		case stop && (named || k > begin) && !x.Is("courtesy", t.Low), x.Is("in-part", t.Low) && (known || stop) && (k > begin || m.Class == "heart"):
		default:
			return nil, 0
		}
		name = append(name, strings.Fields(strings.ReplaceAll(strings.ToLower(t.Text), "'", ""))...)
	}
	if !named {
		return nil, 0
	}
	return name, end - i
}

// ListsParts says whether parts of a page follow: one of them is well known, or a sentence is nothing but several short ones.
func (x Text) ListsParts(i int) bool {
	known, short, begin, items := false, x.At(i-1).Low == ".", i, 1
	for k := i; x.At(k).Low == "," || !x.At(k).Mark; k++ {
		n := x.Length(k, "layout")
		known = known || x.Ends(k-1) && (n > 0 && x.Ends(k+n) || x.Is("section", x.At(k).Low) && x.Ends(k+1))
		if x.Ends(k) {
			begin = k + 1
			items++
		}
		first := x.At(begin).Low
		short = short && k-begin < 4 && x.Length(begin, "manner") == 0 && !x.IsFigure(k) && !x.At(k).Capital && (!x.Is("breaks-list", first) || x.Is("asking", first))
	}
	return (known || short && items > 2) && !x.At(i).Capital
}

// Beside gives the number of words that say nothing beside what a tool does, or only what it is wanted for, and then why that is left out.
func (x Text) Beside(i int) (n int, why string) {
	end := x.NextMark(i)
	means := func(end int) bool {
		for k := i; k < end; k++ {
			if x.Is("tool-means", x.ClassAt(k)) || strings.HasPrefix(x.At(k).Low, ".") {
				return true
			}
		}
		return false
	}
	wishes := slices.ContainsFunc(x.Tokens[i:end], func(t Token) bool {
		return x.Is("wish", t.Low) && t.Low != "have" && t.Low != "has" || x.Is("it", t.Low)
	})
	switch class := x.ClassAt(i); {
	case x.Length(i, "used-for") > 0 && !means(end):
		return end - i, "what it is used for"
	case strings.HasPrefix(x.At(i).Low, "."): // all .log files
		return min(2, end-i), "files are chosen by their names where the tool is called"
	case x.Ends(i-1) && x.Length(i, "teller")+x.Length(i, "whose") > 0 && !wishes && !means(end): // i have thousands of pictures
		return end - i, ""
	case x.Length(i, "of-mine") > 0 && !means(x.EndOf(i)): // the words of my novel
		return x.EndOf(i) - i, ""
	case class != "operation" && class != "language":
		return x.Length(i, "around"), ""
	}
	return 0, ""
}
