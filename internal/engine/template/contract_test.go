package template_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
)

// prompts begins one project of each kind.
var prompts = []string{
	"a todo API with title, tags and done in Go and PostgreSQL, with authentication and CORS, MIT license",
	"a TypeScript API for products with name and price, stored in a file, with authentication",
	"a Python API for recipes with a database",
	"a landing page with pricing and faq",
}

func TestSameRequestSameAnswer(t *testing.T) {
	t.Parallel()
	for _, prompt := range prompts {
		req := engine.Request{Prompt: prompt, Attempt: 1, GenerationID: "gen_a", ProjectID: "proj_a"}
		first, err := generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.GenerationID, req.ProjectID = "gen_b", "proj_b"
		second, err := generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%q: %s", prompt, diff)
		}
	}
}

func TestOrderOfWhatIsSaid(t *testing.T) {
	t.Parallel()
	out, err := generate(t.Context(), engine.Request{Prompt: prompts[0], Attempt: 1})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range out {
		kind := fmt.Sprintf("%T", o)
		if s, ok := o.(engine.ToolStatus); ok {
			kind = s.Action
		}
		kinds = append(kinds, strings.TrimPrefix(kind, "engine."))
	}
	kinds = slices.Compact(slices.DeleteFunc(kinds, func(k string) bool { return k == "Token" || k == "File" }))
	want := []string{"plan", "StateUpdate", "generate_file", "Port", "MemoryUpdate", engine.ActionFinalize, "Usage"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTokensAreSmallPiecesOfText(t *testing.T) {
	t.Parallel()
	out, err := generate(t.Context(), engine.Request{Prompt: "a website called Ümläüt Ünd Söhne", Attempt: 1})
	if err != nil {
		t.Fatal(err)
	}
	var bytes, pieces int
	for _, o := range out {
		if token, ok := o.(engine.Token); ok {
			if len(token.Delta) > 400 || strings.Index(token.Delta, "\n") != len(token.Delta)-1 || strings.ToValidUTF8(token.Delta, "") != token.Delta {
				t.Fatalf("a piece is %q", token.Delta)
			}
			bytes += len(token.Delta)
			pieces++
		}
	}
	if bytes/pieces < 16 {
		t.Errorf("%d bytes in %d pieces", bytes, pieces)
	}
}

func TestUsageCountsWhatWasWritten(t *testing.T) {
	t.Parallel()
	req := engine.Request{Prompt: "todo api", Constraints: map[string]string{"cors": "on"}, Findings: []string{"123"}, Attempt: 1}
	out, err := generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Usage{Model: "template", InputTokens: 5} // 8 + 4 + 2 + 3 bytes
	for _, o := range out {
		if f, ok := o.(engine.File); ok {
			want.OutputTokens += int64(len(f.Content)+3) / 4
		}
	}
	if got := out[len(out)-1]; got != want {
		t.Errorf("usage = %+v, want %+v", got, want)
	}
}

func TestStopsWhenTold(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	total := 0
	count := func(engine.Output) error { total++; return nil }
	if err := shared().Generate(t.Context(), engine.Request{Prompt: prompts[3], Attempt: 1}, count); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= total; at += 7 {
		calls := 0
		err := shared().Generate(t.Context(), engine.Request{Prompt: prompts[3], Attempt: 1}, func(engine.Output) error {
			if calls++; calls == at {
				return stop
			}
			return nil
		})
		if err != stop || calls != at { //nolint:errorlint // the contract says: the error of emit itself
			t.Fatalf("stopped at %d: %v after %d calls", at, err, calls)
		}

		ctx, cancel := context.WithCancel(t.Context())
		calls = 0
		err = shared().Generate(ctx, engine.Request{Prompt: prompts[3], Attempt: 1}, func(engine.Output) error {
			if calls++; calls == at {
				cancel()
			}
			return nil
		})
		cancel()
		if at < total && (!errors.Is(err, context.Canceled) || calls != at) {
			t.Fatalf("cancelled at %d: %v after %d calls", at, err, calls)
		}
	}
}

func TestContinuingTouchesOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	p := begin(t, "a todo list API in Go", nil)
	for _, step := range []struct {
		prompt string
		want   []string
		told   string
	}{
		{"use port 9000", []string{".env", ".env.example", "README.md", "compose.yaml", "internal/config/config.go"}, "port from 8080 to 9000"},
		{"add an endpoint for comments", []string{"README.md", "internal/api/api.go", "internal/api/api_test.go", "internal/model/comment.go", "main.go"}, "added the resource comments"},
		{"add tags to comments", []string{"README.md", "internal/api/api_test.go", "internal/model/comment.go"}, "added the field tags to comments"},
		{"remove the comments resource", []string{"-internal/model/comment.go", "README.md", "internal/api/api.go", "internal/api/api_test.go", "main.go"}, "removed the resource comments"},
		{"store the data in a JSON file", []string{
			".dockerignore", ".env", ".env.example", ".gitignore", "Dockerfile", "README.md", "compose.yaml", "internal/config/config.go",
			"internal/store/file.go", "internal/store/store_test.go", "main.go",
		}, "database from none to file"},
		{"license it under MIT", []string{"LICENSE", "README.md"}, "license from none to mit"},
	} {
		got := p.ask(t, step.prompt, nil)
		slices.Sort(got)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", step.prompt, diff)
		}
		if !strings.Contains(p.memory, step.told) {
			t.Errorf("the memory does not know %q:\n%s", step.told, p.memory)
		}
	}
	_, err := generate(t.Context(), engine.Request{Prompt: "store the data in a JSON file", Project: p.forEngine(), Attempt: 1})
	if refused, ok := errors.AsType[*engine.Error](err); !ok || !strings.Contains(refused.Message, "Already so: database is file") {
		t.Errorf("a run that would change nothing: %v", err)
	}
	if p.state["database"] != "file" || p.state["port"] != "9000" || p.state["language"] != "go" {
		t.Errorf("state = %v", p.state)
	}
	if !strings.Contains(p.memory, "\n1. Began the project: a Go API for todos") {
		t.Errorf("memory:\n%s", p.memory)
	}
}

func TestAStateThatIsReachedByStepsIsTheSame(t *testing.T) {
	t.Parallel()
	direct := begin(t, "a todo list API in Go", map[string]string{"port": "9000", "database": "postgres", "auth": "token"})
	steps := begin(t, "a todo list API in Go", nil)
	steps.ask(t, "use port 9000", nil)
	steps.ask(t, "use PostgreSQL", nil)
	steps.ask(t, "continue", map[string]string{"auth": "token"})
	if diff := cmp.Diff(direct.state, steps.state); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(direct.files, steps.files, cmp.AllowUnexported(file{})); diff != "" {
		t.Error(diff)
	}
}

func TestARemovedPortIsUsedNowhere(t *testing.T) {
	t.Parallel()
	p := begin(t, "a todo list API in Go with PostgreSQL", nil)
	p.ask(t, "remove the database", nil)
	if port := p.ports["database"]; len(port.Uses) != 0 {
		t.Errorf("port = %+v", port)
	}
	checkTree(t, p)
}

func TestFilesOfOthersStay(t *testing.T) {
	t.Parallel()
	p := begin(t, "a todo list API in Go", nil)
	p.files["notes/mine.txt"] = file{content: []byte("mine")}
	p.ask(t, "rename to other", nil)
	if string(p.files["notes/mine.txt"].content) != "mine" {
		t.Error("a file of another engine was touched")
	}

	foreign := newProject()
	foreign.files["main.rs"] = file{content: []byte("fn main() {}")}
	_, err := generate(t.Context(), engine.Request{Prompt: "add a database", Project: foreign.forEngine(), Attempt: 1})
	if refused, ok := errors.AsType[*engine.Error](err); !ok || refused.Code != engine.CodeConstraintUnresolvable {
		t.Errorf("error = %v", err)
	}
}

func TestFurtherAttemptsMendWhatWasFound(t *testing.T) {
	t.Parallel()
	const prompt = "a todo list API in Go"
	p := begin(t, prompt, nil)
	memory := p.memory
	delete(p.files, "main.go")
	p.files["Dockerfile"] = file{content: []byte("broken")}
	out, err := generate(t.Context(), engine.Request{
		Prompt: prompt, Project: p.forEngine(), Attempt: 2,
		Findings: []string{"internal/api/json.go: line 3: unexpected token"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := p.apply(t, out)
	if diff := cmp.Diff([]string{"Dockerfile", "internal/api/json.go", "main.go"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if p.memory != memory {
		t.Errorf("the history tells the run twice:\n%s", p.memory)
	}
	if !slices.Contains(out, engine.Output(engine.ToolStatus{Action: engine.ActionRepairFile, File: "internal/api/json.go"})) {
		t.Error("nothing is said of the repair")
	}

	// A run whose first attempt left nothing begins again.
	out, err = generate(t.Context(), engine.Request{Prompt: prompt, Attempt: 2})
	if err != nil || len(newProject().apply(t, out)) < 10 {
		t.Errorf("a further attempt without a project: %v", err)
	}
}
