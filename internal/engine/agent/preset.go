package agent

import (
	"encoding/json"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/agent/lines"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/validate"
)

// Where things are inside the sandbox of an agent.
const (
	promptFile = sandbox.Work + "/prompt.md"
	stderrFile = sandbox.Work + "/stderr.log"
)

// wayOut is the address of the relay, as seen from there.
var wayOut = validate.WayOut()

// Preset is how a known agent is run. In its words {prompt_file} is a file with
// the prompt, {url} the address of the model's API up to and with /v1, {base} the
// same without it, {token} the token of the run, {model} the model, and {session}
// the conversation that is continued.
type Preset struct {
	Name string
	// Program is looked for where the operator names none; empty: one has to be
	// named.
	Program string
	// Args begin a conversation, Resume continue one; nil: it cannot be continued.
	Args, Resume []string
	Env          []string
	// Files are written below the home folder.
	Files func(Model) map[string]string
	// Reader reads what it prints.
	Reader func() lines.Reader
	// Messages says that it speaks Anthropic's protocol.
	Messages bool
}

// Model is what an agent is told about the model.
type Model struct {
	Name         string
	URL          string // up to and with /v1
	AnswerTokens int
}

// Custom is any program that edits files in a folder: all of its words are the
// operator's.
const Custom = "custom"

// Presets are the agents that are known, by name.
func Presets() map[string]Preset {
	all := map[string]Preset{}
	for _, p := range []Preset{opencode(), codex(), claude(), custom()} {
		all[p.Name] = p
	}
	return all
}

func opencode() Preset {
	run := []string{"run", "--pure", "--format", "json", "--title", "generation", "-m", "svc/{model}"}
	return Preset{
		Name: "opencode", Program: "opencode",
		Args: run, Resume: append(run[:len(run):len(run)], "-s", "{session}"),
		Env: []string{
			"OPENCODE_CONFIG=" + sandbox.Home + "/opencode.json", "MODEL_KEY={token}", "OPENCODE_DISABLE_AUTOUPDATE=1",
			"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_PROJECT_CONFIG=1",
		},
		Files: func(m Model) map[string]string {
			config := map[string]any{
				"autoupdate": false, "share": "disabled", "enabled_providers": []string{"svc"},
				"provider": map[string]any{"svc": map[string]any{
					"npm":     "@ai-sdk/openai-compatible",
					"options": map[string]any{"baseURL": m.URL, "apiKey": "{env:MODEL_KEY}"},
					"models":  map[string]any{m.Name: map[string]any{"limit": map[string]any{"context": 200_000, "output": m.AnswerTokens}}},
				}},
				"permission": map[string]any{"edit": "allow", "bash": "allow", "webfetch": "deny"},
			}
			text, err := json.Marshal(config)
			if err != nil {
				panic(err) // it has nothing that JSON does not know
			}
			return map[string]string{"opencode.json": string(text)}
		},
		Reader: func() lines.Reader { return &lines.Opencode{} },
	}
}

func codex() Preset {
	options := []string{
		"--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--disable", "plugins",
		"-c", "analytics.enabled=false", "-m", "{model}", "-c", "model_provider=svc",
		"-c", `model_providers.svc={name="svc",base_url="{url}",env_key="MODEL_KEY",request_max_retries=2,stream_max_retries=2}`,
	}
	return Preset{
		Name: "codex", Program: "codex",
		Args:   append(append([]string{"exec"}, options...), "-"),
		Resume: append(append([]string{"exec"}, options...), "resume", "{session}", "-"),
		Env:    []string{"MODEL_KEY={token}"},
		Reader: func() lines.Reader { return &lines.Codex{} },
	}
}

func claude() Preset {
	run := []string{"-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", "--model", "{model}"}
	return Preset{
		Name: "claude", Program: "claude",
		Args: run, Resume: append(run[:len(run):len(run)], "--resume", "{session}"),
		Env: []string{
			"ANTHROPIC_BASE_URL={base}", "ANTHROPIC_API_KEY={token}", "ANTHROPIC_SMALL_FAST_MODEL={model}",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		},
		Reader:   func() lines.Reader { return &lines.Claude{} },
		Messages: true,
	}
}

func custom() Preset {
	return Preset{
		Name: Custom,
		Env: []string{
			"MODEL={model}", "MODEL_KEY={token}", "OPENAI_BASE_URL={url}", "OPENAI_API_KEY={token}",
			"ANTHROPIC_BASE_URL={base}", "ANTHROPIC_API_KEY={token}",
		},
		Reader: func() lines.Reader { return lines.Plain{} },
	}
}

// words fills in what the words of a preset leave open.
func (s *session) words(of []string) []string {
	replace := strings.NewReplacer(
		"{prompt_file}", promptFile, "{url}", "http://"+wayOut+"/v1", "{base}", "http://"+wayOut,
		"{token}", s.token, "{model}", s.engine.Model, "{session}", s.conversation,
	)
	out := make([]string, len(of))
	for i, word := range of {
		out[i] = replace.Replace(word)
	}
	return out
}
