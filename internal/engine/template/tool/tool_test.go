package tool

import (
	_ "embed" // the requests
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/words"
)

//go:embed testdata/requests.txt
var requests string

// readAsText writes what was read in one line: operations; what is left out; what cannot be had, or was not understood.
func readAsText(request string) string {
	t := Read(words.In(request, lexicon.All))
	var left, refused []string
	for _, each := range t.Left {
		left = append(left, each.What+" ("+each.Why+")")
	}
	for _, each := range t.Hearts {
		refused = append(refused, each.What+" ("+each.Why+")")
	}
	for _, each := range t.Unknown {
		refused = append(refused, each+"?")
	}
	is := strings.Fields(t.Language + " " + t.Title + " " + strings.Join(t.Operations, ","))
	parts := []string{strings.Join(is, " "), strings.Join(left, ", "), strings.Join(refused, ", ")}
	return strings.TrimRight(strings.Join(parts, "; "), "; ")
}

func TestRequestsForToolsAreRead(t *testing.T) {
	t.Parallel()
	request, read := "", map[string]bool{}
	for line := range strings.Lines(requests) {
		line = strings.TrimRight(line, "\n")
		want, isAnswer := strings.CutPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case !isAnswer:
			request = line
		case read[request]:
			t.Errorf("%q is there twice", request)
		default:
			read[request] = true
			if got := readAsText(request); got != want {
				t.Errorf("%q is read as\n%s, want\n%s", request, got, want)
			}
		}
	}
	if len(read) < 250 {
		t.Errorf("only %d requests are there", len(read))
	}
}

func saysNothing(word string) bool { return is("means", word) && Tables()["means"][word] == "" }

// The tables say one thing of each row, in words that mean themselves.
func TestTheTablesAreSound(t *testing.T) {
	t.Parallel()
	for table, rows := range Tables() {
		if len(books()[table]) == 0 {
			continue
		}
		for row, value := range rows {
			meaning := meaningOf(row)
			if found := books()[table][meaning]; found != value {
				t.Errorf("%s: %q is %q, and %q by another row that means %q", table, row, value, found, meaning)
			}
			if n := len(strings.Fields(meaning)); n == 0 || n > longestRow {
				t.Errorf("%s: %q means %q", table, row, meaning)
			}
			if _, written := rows[meaning]; !written && !strings.Contains(meaning, " ") && slices.ContainsFunc(strings.Fields(row), saysNothing) {
				t.Errorf("%s: all that is left of %q is %q", table, row, meaning)
			}
			if is("lone", meaning) && value != "yes" {
				t.Errorf("%s: %q alone says nothing", table, row)
			}
		}
	}
	for phrase, meaning := range Tables()["means"] {
		if meaningOf(meaning) != meaning || len(strings.Fields(phrase)) > longestSense {
			t.Errorf("%q means %q, which means %q", phrase, meaning, meaningOf(meaning))
		}
	}
	for row, operation := range Tables()["operation"] { // lines only prints them without an option
		if told := books()["lines"+optionOf][meaningOf(row)]; operation == "lines" && !strings.HasPrefix(told, "--") && !strings.HasPrefix(told, printed) && !strings.HasPrefix(told, "never ") {
			t.Errorf("which option is %q?", row)
		}
		for each := range strings.FieldsSeq(operation) {
			if !lexicon.Is("does", each) {
				t.Errorf("%q is no operation", each)
			}
		}
	}
	const all = "a tool for word count, csv to json, json to csv, the sum of a csv column, grep, duplicate files, sha256, a password generator, renaming files, folder sizes, replacing a text in files, sorting lines, random uuids, merging csv files, checking json files, the lines two files have in common, extracting email addresses, listing the newest files, splitting a file into pieces and printing directory trees"
	if got := Operations(words.In(all, lexicon.All)); !slices.Equal(got, slices.Sorted(maps.Keys(lexicon.Tables["does"]))) {
		t.Errorf("all operations are read as %q", got)
	}
}
