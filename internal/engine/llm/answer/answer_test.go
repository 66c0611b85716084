package answer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
)

const mark = answer.Mark("file_content")

func marked(text string) string { return "<file_content>\n" + text + "</file_content>" }

const program = "package main\n\nfunc main() {}\n"

// Whatever a model says around a file, either the file alone is read or nothing is.
// Promise: llm-wrapping
func TestNothingAroundAFileIsRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("I wonder whether this is right. ", 100)
	readme := "# A\n\n```sh\ngo run .\n```\n"
	for name, tc := range map[string]struct {
		text, file string
		want       string // empty: it cannot be told apart
	}{
		"as asked":                           {marked(program), "a.go", program},
		"a preface and a remark":             {"Here is the file:\n\n" + marked(program) + "\nHope this helps!", "a.go", program},
		"a fence inside the marks":           {marked("```go\n" + program + "```\n"), "a.go", program},
		"a fence of four":                    {marked("````go\n" + program + "````\n"), "a.go", program},
		"a fence around the marks":           {"```\n" + marked(program) + "\n```", "a.go", program},
		"a fence and no marks":               {"Sure:\n```go\n" + program + "```\nEnjoy.", "a.go", program},
		"a remark inside, before a fence":    {marked("Here is the file:\n```go\n" + program + "```\n"), "a.go", ""},
		"a remark inside":                    {marked("Here is the updated file:\n" + program), "a.go", ""},
		"a remark inside, at the end":        {marked(program + "\nLet me know if you need more.\n"), "a.go", ""},
		"a remark inside, after a fence":     {marked("```go\n" + program + "```\nThat is all there is.\n"), "a.go", ""},
		"no marks, no fence":                 {program, "a.go", ""},
		"no end":                             {"<file_content>\n" + program, "a.go", ""},
		"two fences, no marks":               {"```go\n" + program + "```\nor\n```go\n" + program + "```\n", "a.go", ""},
		"Windows's line ends":                {"<file_content>\r\n" + program + "</file_content>\r\n", "a.go", program},
		"thinking":                           {"<think>Hm.</think>" + marked(program), "a.go", program},
		"long thinking":                      {"<think>\n" + long + "\n</think>\n\n" + marked(program), "a.go", program},
		"thinking with a draft":              {"<think>\n" + marked("draft\n") + "\n</think>\n" + marked(program), "a.go", program},
		"thinking whose beginning is lost":   {long + "\n</think>\n" + marked(program), "a.go", program},
		"thinking that is not closed":        {"<think>\n" + long + "\n" + marked(program) + "\n", "a.go", program},
		"thinking that is not closed, after": {"<think>\n" + marked("draft\n") + "\nNo, another way.\n", "a.go", ""},
		"only thinking":                      {"<think>\n" + long, "a.go", ""},
		"thinking inside the marks":          {marked("<think>\n" + long + "\n</think>\n" + program), "a.go", program},
		"thinking inside, not closed":        {marked("<think>\n" + program), "a.go", ""},
		"thinking in the middle is a text":   {marked(program + "// <think> is a tag\n"), "a.go", program + "// <think> is a tag\n"},
		"a mark in a line of the content":    {marked("x := \"</file_content>\"\n"), "a.go", "x := \"</file_content>\"\n"},
		"a closing mark in the content":      {marked("a\n</file_content>\nb\n"), "a.txt", ""},
		"both marks in the content":          {marked("a\n" + marked("b\n") + "\nc\n"), "a.txt", ""},
		"two files":                          {marked(program) + "\nWrite the file evil.sh\n" + marked("rm -rf /\n"), "a.go", ""},
		"no line end at the end":             {"<file_content>\nabc</file_content>", "a.txt", "abc"},
		"Markdown":                           {marked(readme), "README.md", readme},
		"Markdown in a fence":                {"```markdown\n" + readme + "```\n", "README.md", readme},
		"Markdown in a fence in the marks":   {marked("```md\n" + readme + "```\n"), "README.md", readme},
		"Markdown between two fences":        {marked("```sh\na\n```\ntext\n```sh\nb\n```\n"), "README.md", "```sh\na\n```\ntext\n```sh\nb\n```\n"},
		"Markdown that may be one fence":     {marked("```sh\na\n```\n"), "README.md", ""},
		"empty":                              {marked(""), "a.go", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := answer.Content(tc.text, tc.file, "", mark)
			if name != "empty" && (err == nil) != (tc.want != "") {
				t.Fatalf("got %q, %v", got, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is told while an answer comes is the beginning of the content, however the
// answer is cut.
// Promise: llm-wrapping
func TestAStreamTellsTheBeginningOfTheContent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		marked(program), "Sure!\n" + marked(program) + "\nbye\n", "<think>\n" + marked("draft\n") + "</think>\n" + marked(program), marked("```go\n" + program + "```\n"),
	} {
		want, _, err := answer.Content(text, "a.go", "", mark)
		if err != nil {
			t.Fatal(err)
		}
		for size := 1; size <= len(text); size++ {
			var told strings.Builder
			s := answer.Stream{Mark: mark, Emit: func(line string) error { told.WriteString(line); return nil }}
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				if err := s.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if !strings.HasPrefix(want, told.String()) {
				t.Fatalf("in pieces of %d: told %q of %q", size, told.String(), want)
			}
		}
	}
}

// Ordinary text is no remark, and neither is what stood there before.
// Promise: llm-ordinary-words
func TestOrdinaryTextIsNoRemark(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ content, name, old string }{
		{"This is the new.\n", "a.md", ""},
		{"Here is a list:\n\n- a\n", "notes.txt", ""},
		{"This is free and unencumbered software released into the public domain.\n\nNote that it has no warranty.\n", "LICENSE", ""},
		{"Here is the file:\n\nb\n", "README.md", "Here is the file:\n\na\n"},
		{"x = 2\nNote that this is no code\n", "a.tmpl", "x = 1\nNote that this is no code\n"},
	} {
		if got, err := answer.Clean(tc.content, tc.name, tc.old); err != nil || got != tc.content {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
	for _, name := range []string{"README.md", "LICENSE", "a.go"} {
		if got, err := answer.Clean("Here is the updated file:\n\nx\n", name, ""); err == nil {
			t.Errorf("%s: %q was taken", name, got)
		}
	}
}

// Promise: llm-wrapping
func TestAPathInTheMark(t *testing.T) {
	t.Parallel()
	content, path, err := answer.Content("<file_content path=\"src/a.go\">\n"+program+"</file_content>\n", "src/a.go", "", mark)
	if err != nil || content != program || path != "src/a.go" {
		t.Errorf("%q, %q, %v", content, path, err)
	}
	if _, _, err := answer.Content("I cannot.", "a.go", "", mark); !errors.Is(err, answer.ErrNone) {
		t.Errorf("got %v", err)
	}
}

// Promise: llm-elision
func TestLinesThatStandForOthers(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"// ... rest of the code unchanged ...", "# ... existing code ...", "<!-- ... the same as before ... -->", "/* … remaining methods … */",
		"// rest of the file stays the same", "\t// The rest of the functions are unchanged.", "// existing imports unchanged", "... (previous content omitted)",
	} {
		text := "package a\n\n" + line + "\n"
		if answer.Elided(text, "package a\n") == "" {
			t.Errorf("%q was taken for code", line)
		}
		if got := answer.Elided(text, text); got != "" {
			t.Errorf("%q stood there before", got)
		}
	}
	for _, line := range []string{
		"func f(rest ...string) {", "const { a, ...rest } = props", "return [...existing, item]", "x = ...", "// The rest of the day is free.",
		"other := same(rest)", "# Existing users keep their keys", "// remaining is what is left", "fmt.Println(\"...\")", "args = (*rest, **other)",
	} {
		if got := answer.Elided(line+"\n", ""); got != "" {
			t.Errorf("%q was taken for text that leaves something out", got)
		}
	}
}

// What is said in words is read as it was meant.
// Promise: llm-tools
func TestActionsInWords(t *testing.T) {
	t.Parallel()
	actions := []answer.Action{
		{Name: answer.Read, Path: "a \"b\" <c>.go", From: 3, To: 90},
		{Name: answer.Search, Text: `func "Foo" & <Bar>`, Path: "src"},
		{Name: answer.Replace, Path: "src/a.go", Old: "old <read path=\"x\"/>\n", New: "new\n<done/>\n"},
		{Name: answer.Replace, Path: "src/a.go", Old: "gone\n", New: ""},
		{Name: answer.Done},
	}
	var text strings.Builder
	text.WriteString("<think><done/></think>\nFirst I look around.\n")
	for _, a := range actions {
		text.WriteString(a.InWords())
	}
	got, problems := answer.Actions(text.String(), mark)
	if diff := cmp.Diff(actions, got); diff != "" || problems != nil {
		t.Errorf("%v\n%s", problems, diff)
	}
	for _, bad := range []string{
		"<<<<<<< SEARCH a.go\nold\n=======\n=======\nnew\n>>>>>>> REPLACE\n",
		"<<<<<<< SEARCH a.go\nold\n>>>>>>> REPLACE\n",
		"<<<<<<< SEARCH a.go\nold\n=======\nnew\n",
		"<<<<<<< SEARCH a.md\nold\n=======\nnew\n>>>>>>> REPLACE\nmore that is new\n>>>>>>> REPLACE\n",
		"<think>\n<<<<<<< SEARCH a.go\nold\n=======\ndraft\n>>>>>>> REPLACE\n<done/>\nNo, another way.\n",
	} {
		if got, problems := answer.Actions(bad, mark); len(got) != 0 || len(problems) != 1 {
			t.Errorf("%q: %v, %v", bad, got, problems)
		}
	}
	if got, problems := answer.Actions(marked("<done/>\n<<<<<<< SEARCH x\n"), mark); len(got)+len(problems) != 0 {
		t.Errorf("content was read as actions: %v, %v", got, problems)
	}
}

// Promise: llm-wrapping
func TestAnObjectIsCutOut(t *testing.T) {
	t.Parallel()
	const object = `{"files": [{"path": "a {b}"}], "memory": "<think>"}`
	for i, text := range []string{
		object, "Here is {the} plan:\n```json\n" + object + "\n```\nDone {}.", "<think>{\"files\": 1}</think>" + object, "{\"other\": 1}\n" + object,
	} {
		if got, ok := answer.Object(text, "files"); !ok || string(got) != object {
			t.Errorf("%d: %s, %v", i, got, ok)
		}
	}
	for _, text := range []string{"", "no", `{"other": 1}`, strings.Repeat("{", 10_000), fmt.Sprint(strings.Repeat(`{"files":[`, 20_000))} {
		if got, ok := answer.Object(text, "files"); ok {
			t.Errorf("%.40q: %.40s", text, got)
		}
	}
}

// A continuation goes on where the content broke off, or takes its place where it is
// the whole file again.
// Promise: llm-continues
func TestAContinuationIsJoined(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ content, more, want string }{
		"goes on":               {"package main\n\nfunc main() {\n", "}\n", "package main\n\nfunc main() {\n}\n"},
		"with the line again":   {"package main\n\nfunc ma", "func main() {\n}\n", "package main\n\nfunc main() {\n}\n"},
		"begins anew":           {"package main\n\nfunc ma", program, program},
		"begins anew at an end": {"package main\n\nfunc one() {}\n", "package main\n\nfunc one() {}\nfunc two() {}\n", "package main\n\nfunc one() {}\nfunc two() {}\n"},
		"the same lines again":  {strings.Repeat("line after line\n", 9), strings.Repeat("line after line\n", 9), strings.Repeat("line after line\n", 18)},
		"a rule of its own":     {"---\n", "---\n", "---\n---\n"},
	} {
		for size := 1; size < len(tc.more)+30; size++ {
			said := "<think>hm</think>\n<file_content>\n" + tc.content
			before, content := answer.Begun(said, mark)
			if content != tc.content || before+content != said {
				t.Fatalf("%s: begun %q, %q", name, before, content)
			}
			joined := content
			write := answer.Joiner(mark, content, func() { joined = "" }, func(piece string) error { joined += piece; return nil })
			for rest := marked(tc.more); rest != ""; {
				n := min(size, len(rest))
				if err := write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if joined != tc.want+"</file_content>" {
				t.Fatalf("%s, in pieces of %d: %q", name, size, joined)
			}
		}
	}
}
