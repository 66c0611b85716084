package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// What the reader below suggests, and one that has an edit.
const (
	suggestedSpec = "api in go\nbook: title\n"
	editedSpec    = "api in go\nbook: title, author\n"
)

// readerServer is a service that reads specs as far as a test needs it: a spec begins
// with api, and "wrong" in one is a mistake.
type readerServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
}

// asked is a request for a run.
type asked struct {
	Path string
	api.GenerationRequest
}

func newReaderServer(t *testing.T) *readerServer {
	t.Helper()
	s := &readerServer{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /generations", s.start)
	mux.HandleFunc("POST /projects/{id}/generations", s.start)
	mux.HandleFunc("GET /generations/"+hostileRun+"/stream", s.stream)
	mux.HandleFunc("GET /projects/"+hostileProject, func(w http.ResponseWriter, _ *http.Request) {
		answerWith(w, http.StatusOK, api.ProjectRecord{Project: api.Project{ProjectID: hostileProject, CreatedAt: api.Time(time.Now())}, Spec: suggestedSpec})
	})
	mux.HandleFunc("GET /projects/proj_agent000000000000000", func(w http.ResponseWriter, _ *http.Request) {
		answerWith(w, http.StatusOK, api.ProjectRecord{Project: api.Project{ProjectID: "proj_agent000000000000000", CreatedAt: api.Time(time.Now())}})
	})
	s.Server = httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	return s
}

func answerWith(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	if text, err := api.Encode(v); err == nil {
		_, _ = w.Write(text)
	}
}

func (s *readerServer) start(w http.ResponseWriter, r *http.Request) {
	q := asked{Path: r.URL.Path}
	if err := json.NewDecoder(r.Body).Decode(&q.GenerationRequest); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, q)
	s.mu.Unlock()
	message, suggestion := refusalOf(q.Prompt)
	switch {
	case strings.Contains(q.Prompt, "outage"):
		answerWith(w, http.StatusServiceUnavailable, api.Error{Code: svc.CodeUnavailable, Error: "Down."})
	case message == "" || strings.HasPrefix(q.Prompt, "later"):
		answerWith(w, http.StatusAccepted, api.Queued{GenerationID: hostileRun, ProjectID: hostileProject, Status: svc.RunQueued, CreatedAt: api.Time(time.Now())})
	default:
		answerWith(w, http.StatusUnprocessableEntity, api.Error{Code: svc.CodeUnresolvable, Error: message, Suggestion: suggestion})
	}
}

// refusalOf decides about a prompt. Without a message it can be read.
func refusalOf(prompt string) (message string, suggestion *svc.Suggestion) {
	suggestion = &svc.Suggestion{Spec: suggestedSpec, Understood: []string{}, NotUnderstood: []string{}}
	at := slices.IndexFunc(strings.Split(prompt, "\n"), func(line string) bool { return strings.Contains(line, "wrong") })
	switch {
	case strings.HasPrefix(prompt, "blue"):
		suggestion.NotUnderstood, suggestion.Unchanged = []string{"blue"}, true
		return "The engine did not understand blue.", suggestion
	case strings.HasPrefix(prompt, "todo"):
		return "The constraint store: \"mysql\" is not a store.", suggestion
	case !strings.HasPrefix(strings.TrimSpace(prompt), "api"):
		suggestion.NotUnderstood = []string{"parrots"}
		return "The engine did not understand parrots.", suggestion
	case at >= 0:
		return fmt.Sprintf("Line %d: wrong is not a kind of field; write string.", at+1), suggestion
	}
	return "", nil
}

// stream ends the last run as refusalOf says.
func (s *readerServer) stream(w http.ResponseWriter, _ *http.Request) {
	all := s.requests()
	w.Header().Set("Content-Type", "text/event-stream")
	var body answer
	if message, suggestion := refusalOf(all[len(all)-1].Prompt); message == "" {
		body.body = events(eventsJSON)
	} else {
		e, err := svc.NewEvent(svc.ErrorEvent{Code: string(svc.CodeUnresolvable), Message: message, Suggestion: suggestion})
		if err != nil {
			return
		}
		body.body = stream{map[string]any{"name": "error", "data": document(string(e.Data))}}
	}
	_, _ = w.Write(body.bytes())
}

func (s *readerServer) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// prompts are the prompts since the last call.
func (s *readerServer) prompts() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.asked {
		all = append(all, q.Prompt)
	}
	s.asked = nil
	return all
}

// editor is a program that edits the file in its last argument by a shell command.
func editor(t *testing.T, command string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ \"$TRIED\" = 1 ] || exit 9\nfor file; do :; done\n"+command+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return "TRIED=1 '" + path + "' --wait"
}

// dialogue is what a person does at a question: what is shown, and what they press.
type dialogue struct{ shown, press string }

// TestAPersonDecidesAboutTheSpec goes through all answers on a terminal.
// Promise: generate-unreadable
func TestAPersonDecidesAboutTheSpec(t *testing.T) {
	server := newReaderServer(t)
	ca := writeCA(t, server.Server)
	const generateThis, editAgain = "Generate this? [Y/n/e] ", "Edit it again? [Y/n] "
	addAuthor := `sed -i 's/title/title, author/' "$file"`
	for _, tt := range []struct {
		name   string
		args   []string // of svc generate; else a sentence about parrots
		editor string
		talk   []dialogue
		code   int
		shown  []string
		never  string
		sent   []string // prompts after the first
		also   func(*testing.T, []asked)
	}{
		{
			name: "Return sends it", talk: []dialogue{{generateThis, "\n"}}, sent: []string{suggestedSpec},
			shown: []string{"did not understand parrots", "Not understood: parrots", "\n  api in go\n  book: title\n", "svc pull " + hostileBundle},
		},
		{
			name: "yes sends it without the constraints that it has", args: []string{"--store", "sqlite", "--constraint", "port=9000", "an API for parrots"},
			talk: []dialogue{{generateThis, "yes\n"}}, sent: []string{suggestedSpec},
			also: func(t *testing.T, all []asked) {
				t.Helper()
				want := map[string]string{"store": "sqlite", "port": "9000"}
				if diff := cmp.Diff(want, all[0].Constraints); diff != "" || !maps.Equal(all[1].Constraints, map[string]string{"spec": suggestedSpec}) {
					t.Errorf("constraints (-want +got):\n%s, then %v", diff, all[1].Constraints)
				}
			},
		},
		{name: "no", talk: []dialogue{{generateThis, "n\n"}}, code: exitUser, shown: []string{"svc: nothing was started"}},
		{name: "the end of the input is no", talk: []dialogue{{generateThis, "\x04"}}, code: exitUser, shown: []string{"svc: nothing was started"}},
		{name: "another answer is explained", talk: []dialogue{{generateThis, "maybe\n"}, {"e opens it in an editor.\n" + generateThis, "Y\n"}}, sent: []string{suggestedSpec}},
		{name: "edited", editor: addAuthor, talk: []dialogue{{generateThis, "e\n"}}, sent: []string{editedSpec}, shown: []string{"svc pull"}},
		{name: "not edited", editor: "true", talk: []dialogue{{generateThis, "e\n"}, {"Nothing was changed.\n" + generateThis, "n\n"}}, code: exitUser},
		{name: "emptied", editor: `: > "$file"`, talk: []dialogue{{generateThis, "e\n"}}, code: exitUser, shown: []string{"the spec is empty, so nothing was started"}},
		{name: "only comments are left", editor: `echo "# nothing" > "$file"`, talk: []dialogue{{generateThis, "e\n"}}, code: exitUser, shown: []string{"the spec is empty"}},
		{name: "the editor fails", editor: "exit 3", talk: []dialogue{{generateThis, "e\n"}}, code: exitUser, shown: []string{"the editor failed with exit status 3, so nothing was started"}},
		{
			name: "a mistake is edited again", editor: `if grep -q wrong "$file"; then sed -i 's/: wrong//' "$file"; else sed -i 's/title/title, author: wrong/' "$file"; fi`,
			talk: []dialogue{{generateThis, "e\n"}, {"Line 2: wrong is not a kind of field; write string.\n  book: title, author: wrong\n" + editAgain, "\n"}},
			sent: []string{"api in go\nbook: title, author: wrong\n", editedSpec},
		},
		{
			name: "a mistake is given up", editor: `sed -i 's/title/wrong/' "$file"`, talk: []dialogue{{generateThis, "e\n"}, {editAgain, "n\n"}},
			code: exitUser, sent: []string{"api in go\nbook: wrong\n"}, shown: []string{"--spec - <<'SPEC'\n  api in go\n  book: wrong\nSPEC"},
		},
		{
			name: "the edits outlive an outage", editor: `sed -i 's/title/outage/' "$file"`, talk: []dialogue{{generateThis, "e\n"}}, code: exitNetwork,
			shown: []string{"The edited spec was not sent. To send it:", "--spec - <<'SPEC'\n  api in go\n  book: outage\nSPEC"}, sent: []string{"api in go\nbook: outage\n"},
		},
		{
			name: "a worker refuses", args: []string{"later, parrots"}, talk: []dialogue{{generateThis, "\n"}}, sent: []string{suggestedSpec},
			shown: []string{"is queued", "Not understood: parrots", "svc pull"},
		},
		{
			name: "--edit", args: []string{"--edit", "--project", hostileProject}, editor: addAuthor, sent: []string{}, shown: []string{"svc pull"},
			also: func(t *testing.T, all []asked) {
				t.Helper()
				if all[0].Prompt != editedSpec || all[0].Path != "/projects/"+hostileProject+"/generations" {
					t.Errorf("%+v was sent", all[0])
				}
			},
		},
		{
			name: "--edit with a mistake", args: []string{"--edit", "--project", hostileProject}, editor: `if grep -q wrong "$file"; then echo api > "$file"; else echo "book: wrong" >> "$file"; sed -i 's/title/wrong/' "$file"; fi`,
			talk: []dialogue{{editAgain, "y\n"}}, sent: []string{"api\n"},
		},
		{
			name: "Return does not send what lacks a flag", args: []string{"--store", "mysql", "todo"}, talk: []dialogue{{`"mysql" is not a store`, ""}, {"without what is wrong", ""}, {"Generate this? [y/N/e] ", "\n"}},
			code: exitUser, shown: []string{"svc: nothing was started"},
		},
		{name: "yes sends it all the same", args: []string{"--store", "mysql", "todo"}, talk: []dialogue{{"Generate this? [y/N/e] ", "y\n"}}, sent: []string{suggestedSpec}},
		{name: "--yes does not send what lacks a flag", args: []string{"--yes", "--store", "mysql", "todo"}, code: exitUser, never: "Generate this"},
		{
			name: "the unchanged spec of a project is only edited", args: []string{"--project", hostileProject, "blue"}, editor: addAuthor, sent: []string{editedSpec},
			talk: []dialogue{{"This is the spec of the project:", ""}, {"Edit it? [e/N] ", "y\n"}, {"n sends nothing, e opens it in an editor.\nEdit it? [e/N] ", "e\n"}}, never: "Generate this",
		},
		{name: "Return does not edit it", args: []string{"--project", hostileProject, "blue"}, talk: []dialogue{{"Edit it? [e/N] ", "\n"}}, code: exitUser, shown: []string{"svc: nothing was started"}},
		{
			name: "a mistake in a spec that was typed", args: []string{"--store", "sqlite", "api in go\nbook: wrong"}, code: exitUser, never: "[Y/n",
			shown: []string{"Line 2: wrong is not", "--constraint store=sqlite --spec - <<'SPEC'\n  api in go\n  book: wrong\nSPEC"},
		},
		{name: "--yes", args: []string{"--yes", "parrots"}, sent: []string{suggestedSpec}, never: "Generate this"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			settle(t)
			server.prompts()
			env := hostileEnv(t, server.URL, ca)
			env["TMPDIR"] = t.TempDir()
			env["VISUAL"], env["EDITOR"] = editor(t, tt.editor), "false"
			if tt.args == nil {
				tt.args = []string{"teach my parrots"}
			}
			s := startSession(t, env, 120, nil, append([]string{"generate"}, tt.args...)...)
			for _, d := range tt.talk {
				s.expect(d.shown)
				s.press(d.press)
			}
			if code := s.ends(); code != tt.code {
				t.Errorf("exit %d, want %d:\n%s", code, tt.code, s.shown())
			}
			for _, want := range tt.shown {
				if !strings.Contains(s.shown(), want) {
					t.Errorf("%q is not shown:\n%s", want, s.shown())
				}
			}
			if tt.never != "" && strings.Contains(s.shown(), tt.never) {
				t.Errorf("%q is shown:\n%s", tt.never, s.shown())
			}
			if tt.also != nil {
				tt.also(t, server.requests())
			}
			sent := server.prompts()
			sent = slices.Compact(sent) // of an outage that was tried again
			if len(sent) == 0 || !slices.Equal(sent[1:], tt.sent) {
				t.Errorf("the prompts are %q, want %q after the first", sent, tt.sent)
			}
			if left := folders(t, env["TMPDIR"]); left != env["TMPDIR"]+"/\n" {
				t.Errorf("temporary files are left:\n%s", left)
			}
		})
	}
}

// TestCtrlCWhileASpecIsReviewed: at each question and in the editor it ends svc with
// 130, and nothing is left.
// Promise: generate-unreadable
func TestCtrlCWhileASpecIsReviewed(t *testing.T) {
	server := newReaderServer(t)
	ca := writeCA(t, server.Server)
	for _, tt := range []struct {
		name   string
		editor string
		talk   []dialogue
		asks   string
	}{
		{name: "at the question", asks: "Generate this? [Y/n/e]"},
		{name: "in the editor", editor: `exec tail -f "$file"`, talk: []dialogue{{"[Y/n/e]", "e\n"}}, asks: "To send nothing, delete all lines."},
		{name: "at the question about a mistake", editor: `sed -i s/title/wrong/ "$file"`, talk: []dialogue{{"[Y/n/e]", "e\n"}}, asks: "Edit it again? [Y/n]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			settle(t)
			env := hostileEnv(t, server.URL, ca)
			env["TMPDIR"], env["EDITOR"] = t.TempDir(), editor(t, tt.editor)
			s := startSession(t, env, 120, nil, "generate", "teach my parrots")
			for _, d := range tt.talk {
				s.expect(d.shown)
				s.press(d.press)
			}
			s.expect(tt.asks)
			s.interrupt()
			if code := s.ends(); code != exitInterrupted || !strings.Contains(s.shown(), "svc: interrupted") {
				t.Errorf("exit %d:\n%s", code, s.shown())
			}
			if left := folders(t, env["TMPDIR"]); left != env["TMPDIR"]+"/\n" {
				t.Errorf("temporary files are left:\n%s", left)
			}
		})
	}
}

// TestAnEditorThatHandlesCtrlC: it belongs to the editor as long as that runs.
// Promise: generate-unreadable
func TestAnEditorThatHandlesCtrlC(t *testing.T) {
	settle(t)
	server := newReaderServer(t)
	env := hostileEnv(t, server.URL, writeCA(t, server.Server))
	env["EDITOR"] = editor(t, `trap 'echo caught' INT; echo edits; while ! [ -e "$HOME/go" ]; do sleep 0.01; done; sed -i 's/title/title, author/' "$file"`)
	s := startSession(t, env, 120, nil, "generate", "teach my parrots")
	s.expect("[Y/n/e]")
	s.press("e\n")
	s.expect("edits\n")
	s.press("\x03")
	s.expect("caught")
	if err := os.WriteFile(filepath.Join(env["HOME"], "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := s.ends(); code != exitOK {
		t.Errorf("exit %d:\n%s", code, s.shown())
	}
	if got := server.prompts(); got[len(got)-1] != editedSpec {
		t.Errorf("%q was sent", got)
	}
}

// TestWithoutATerminalTheCommandIsPrinted runs what is printed, in a shell.
// Promise: generate-unreadable
func TestWithoutATerminalTheCommandIsPrinted(t *testing.T) {
	settle(t)
	server := newReaderServer(t)
	env := hostileEnv(t, server.URL, writeCA(t, server.Server))
	got := speak(t, env, false, []string{"generate", "--pull", "teach my parrots"})
	_, command, found := strings.Cut(got.err, "then send it:\n\n")
	if got.code != exitUser || got.out != "" || !found || !strings.Contains(got.err, "Not understood: parrots\n") {
		t.Fatalf("%+v", got)
	}
	if want := "svc generate --pull --spec - <<'SPEC'\n  api in go\n  book: title\nSPEC\n"; command != want {
		t.Errorf("the command is %q, want %q", command, want)
	}
	server.prompts()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", "svc() { '"+self+"' \"$@\"; }\n"+strings.Replace(command, "--pull ", "", 1))
	shell.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH")}
	for name, value := range env {
		shell.Env = append(shell.Env, name+"="+value)
	}
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if sent := server.prompts(); !slices.Equal(sent, []string{"  api in go\n  book: title"}) {
		t.Errorf("%q was sent", sent)
	}
	got = speak(t, env, false, []string{"generate", "--project", hostileProject, "blue"})
	if got.code != exitUser || !strings.Contains(got.err, "svc generate --project "+hostileProject+" --edit\n") || strings.Contains(got.err, "--spec") {
		t.Errorf("an unchanged spec: %+v", got)
	}
	got = speak(t, env, false, []string{"generate", "--json", "teach my parrots"})
	var refused struct {
		Code       string
		Suggestion svc.Suggestion
	}
	if err := json.Unmarshal([]byte(got.out), &refused); err != nil || got.code != exitUser || refused.Code != "CONSTRAINT_UNRESOLVABLE" || refused.Suggestion.Spec != suggestedSpec {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestFromASentenceToATestedProject is the whole way at the keyboard, with a real
// service: a sentence, its spec, an edit, a live run, a pull, and a change of a rule.
// Promise: generate-journey
func TestFromASentenceToATestedProject(t *testing.T) {
	service := cluster.ServiceForTest(t)
	settle(t)
	s := &stage{service: service}
	_, key, err := s.newAccount("developer")
	if err != nil {
		t.Fatal(err)
	}
	m := newMiddleman(service)
	t.Cleanup(m.close)
	env := hostileEnv(t, m.server.URL, writeCA(t, m.server))
	env["SVC_TOKEN"] = key

	env["EDITOR"] = editor(t, `sed -i 's/^book: .*/book: title, author, year: integer 1450..2100/' "$file"`)
	first := startSession(t, env, 120, nil, "generate", "--pull", "an API in Go for books that teaches parrots to sing")
	first.expect("Generate this? [Y/n/e] ")
	first.press("e\n")
	if code := first.ends(); code != exitOK || !strings.Contains(first.shown(), "is applied") || !strings.Contains(first.shown(), "\n  book: title, author, year: integer 1450..2100\n") {
		t.Fatalf("exit %d:\n%s", code, first.shown())
	}

	env["EDITOR"] = editor(t, `printf 'command: '; read -r typed; sed -i "$typed" "$file"`) // as ed does, of which not every machine has one
	second := startSession(t, env, 120, nil, "generate", "--edit", "--pull")
	second.expect("command: ")
	second.press("s/1450/1500/\n")
	if code := second.ends(); code != exitOK || !strings.Contains(second.shown(), "is applied") {
		t.Fatalf("exit %d:\n%s", code, second.shown())
	}
	readme, err := os.ReadFile("README.md")
	if err != nil || !strings.Contains(string(readme), "1500") || strings.Contains(string(readme), "1450") {
		t.Errorf("%v, README.md:\n%s", err, readme)
	}
	tests := exec.CommandContext(t.Context(), "go", "test", "./...")
	tests.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := tests.CombinedOutput(); err != nil {
		t.Errorf("the tests of the project: %v\n%s", err, out)
	}
}
