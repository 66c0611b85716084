package validate

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// judgement is what the end of a command means.
type judgement struct {
	status   Status
	detail   string
	findings []string
}

// judge reads how a command ended. reach says that hosts could be reached.
func judge(p project, s step, r sandbox.Result, limit time.Duration, reach bool) judgement {
	said := clean(p, r.Output)
	if r.OK() {
		return judgement{status: Passed, detail: count(s, said)}
	}
	if why := cannot(p, s, r, said, reach); why != "" {
		return judgement{status: Skipped, detail: why}
	}
	detail := fmt.Sprintf("it ended with %d", r.Exit)
	switch r.Ending {
	case sandbox.OutOfTime:
		detail = fmt.Sprintf("it took longer than %v", limit.Round(time.Second))
	case sandbox.OutOfMemory, sandbox.TooMuchOutput, sandbox.TooManyFiles:
		detail = "it went beyond a limit: " + string(r.Ending)
	case sandbox.Broken:
		detail = "it ended the sandbox"
	}
	places := placesIn(p, said)
	found := make([]string, 0, len(places)+1)
	for _, at := range places {
		found = append(found, Cut(s.name+": "+at, maxFindingText))
	}
	if len(places) > 0 {
		detail = places[0]
	}
	if tail := lastLines(said); tail != "" {
		found = append(found, s.name+": "+detail+". The end of its output:\n"+tail)
	} else {
		found = append(found, s.name+": "+detail)
	}
	return judgement{status: Failed, detail: detail, findings: found}
}

// colours are what terminals are told.
var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

// clean makes text of an output, with the names of files as the tree has them.
func clean(p project, output []byte) string {
	text := strings.ToValidUTF8(string(colours.ReplaceAll(bytes.ReplaceAll(output, []byte{'\r'}, nil), nil)), "\uFFFD")
	text = strings.ReplaceAll(text, "file://", "")
	text = strings.ReplaceAll(text, path.Join(sandbox.Source, p.dir)+"/", "")
	return strings.ReplaceAll(text, sandbox.Source+"/", "")
}

const (
	maxPlaces = 5
	tailLines = 15
	tailBytes = 1500
)

// lastLines is the end of an output, as far as it is worth reading.
func lastLines(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	tail := strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	if len(tail) > tailBytes {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-tailBytes:], "")
	}
	return tail
}

// The forms in which tools name the place of a mistake: file, line and message.
var (
	colonPlace  = regexp.MustCompile(`(?m)^\s*(?:vet: )?((?:\./)?[\w@.+-][\w@./+-]*\.[a-zA-Z]+):(\d+)(?::\d+)?:?[ \t]+(\S.*)$`)
	parenPlace  = regexp.MustCompile(`(?m)^((?:\./)?[\w@.+-][\w@./+-]*\.[a-zA-Z]+)\((\d+),\d+\): (.*)$`)
	rustPlace   = regexp.MustCompile(`(?m)^(error(?:\[\w+\])?: .*)\n\s*--> ([^:\n]+):(\d+):\d+$`)
	rustPanic   = regexp.MustCompile(`(?m)^thread '[^\n]*panicked at ([^:\n]+):(\d+):\d+:\n(.*)$`)
	pythonPlace = regexp.MustCompile(`(?m)^\s*File "([^"\n/<][^"\n]*)", line (\d+).*$`)
	pythonError = regexp.MustCompile(`(?m)^(?:E\s+)?((?:[\w.]+\.)?\w*(?:Error|Exception|Failed|Exit)\b.*)$`)
	nodePlace   = regexp.MustCompile(`(?m)^(?:# )?\s*(?:at )?(?:.*\()?([\w@.+-][\w@./+-]*\.[cm]?[jt]sx?):(\d+)(?::\d+)?\)?$`)
	nodeError   = regexp.MustCompile(`(?m)^(?:# )?\s*(?:\[?(\w*Error(?: \[\w+\])?: .*?)\]?|error: '(.*)'|error: \|-\n\s*(.*))$`)
)

// placesIn finds what is wrong where.
func placesIn(p project, said string) []string {
	var all []string
	add := func(file, line, message string) {
		file = path.Join(p.dir, strings.TrimPrefix(file, "./"))
		if text := fmt.Sprintf("%s:%s: %s", file, line, strings.TrimSpace(message)); len(all) < maxPlaces && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	switch p.kind {
	case kindRust:
		for _, m := range rustPlace.FindAllStringSubmatch(said, -1) {
			add(m[2], m[3], m[1])
		}
		for _, m := range rustPanic.FindAllStringSubmatch(said, -1) {
			add(m[1], m[2], m[3])
		}
	case kindPython:
		if places := pythonPlace.FindAllStringSubmatch(said, -1); len(places) > 0 {
			last := places[len(places)-1]
			message := "it fails here"
			if errors := pythonError.FindAllStringSubmatch(said, -1); len(errors) > 0 {
				message = errors[len(errors)-1][1]
			}
			add(last[1], last[2], message)
		}
	}
	for _, m := range parenPlace.FindAllStringSubmatch(said, -1) {
		add(m[1], m[2], m[3])
	}
	for _, m := range colonPlace.FindAllStringSubmatch(said, -1) {
		add(m[1], m[2], m[3])
	}
	if p.kind == kindNode && len(all) == 0 {
		if m := nodePlace.FindStringSubmatch(said); m != nil {
			message := "it fails here"
			if e := nodeError.FindStringSubmatch(said); e != nil {
				message = e[1] + e[2] + e[3]
			}
			add(m[1], m[2], message)
		}
	}
	return all
}

// The words in which tools say how many tests passed.
var counts = map[kind]*regexp.Regexp{
	kindNode:   regexp.MustCompile(`(?m)^(?:# pass (\d+)|ℹ pass (\d+)|Tests:\s+.*?(\d+) passed.*|\s*(\d+) passing.*|\s*Tests\s+(\d+) passed.*)$`),
	kindPython: regexp.MustCompile(`(?m)^(?:Ran (\d+) tests? in.*|(\d+) passed.*|=+ (\d+) passed.*)$`),
	kindRust:   regexp.MustCompile(`(?m)^test result: ok\. (\d+) passed`),
	kindGo:     regexp.MustCompile(`(?m)^ok  \t`),
}

// count says how many tests passed, where the tool says so.
func count(s step, said string) string {
	if s.level != Test {
		return ""
	}
	form := counts[kind(s.tool)]
	if form == nil {
		return ""
	}
	total := 0
	for _, m := range form.FindAllStringSubmatch(said, -1) {
		for _, group := range m[1:] {
			n := 0
			if _, err := fmt.Sscan(group, &n); err == nil {
				total += n
			}
		}
		if len(m) == 1 {
			total++
		}
	}
	switch {
	case total == 0:
		return ""
	case kind(s.tool) == kindGo:
		return fmt.Sprintf("tests of %d packages passed", total)
	}
	return fmt.Sprintf("%d passed", total)
}

// unreachable are the words of tools that cannot fetch something.
var unreachable = []string{
	"module lookup disabled by GOPROXY=off", "ENOTCACHED", "EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT",
	"dial tcp", "Forbidden", "no such host", "attempting to make an HTTP request, but --offline was specified",
	"you may want to run without the --offline flag", "retry without the offline flag", "retry without `--offline`", "retry without --offline",
	"Could not find a version that satisfies", "No matching distribution found", "No module named pip", "Failed to establish a new connection",
	"Cannot connect to proxy", "Tunnel connection failed",
}

var missingModule = regexp.MustCompile(`(?m)ModuleNotFoundError: No module named '([\w.]+)'|No module named (pytest)`)

// cannot says why a command that failed could not be tried here at all.
func cannot(p project, s step, r sandbox.Result, said string, reach bool) string {
	if r.Ending != sandbox.Exited {
		return ""
	}
	if r.Exit == 127 && len(said) < 200 {
		return s.args[0] + " is not installed"
	}
	if s.fetches || p.kind == kindRust {
		for _, words := range unreachable {
			if line := lineWith(said, words); line != "" {
				return "dependencies cannot be had: " + Cut(line, 200)
			}
		}
	}
	switch p.kind {
	case kindPython:
		if m := missingModule.FindStringSubmatch(said); m != nil {
			name, _, _ := strings.Cut(m[1]+m[2], ".")
			if name == "pytest" || strings.Contains(p.facts.names, strings.ToLower(name)) {
				return "dependencies cannot be had: No module named " + name
			}
		}
	case kindNode:
		if strings.Contains(said, "npx canceled due to missing packages") || strings.Contains(said, "could not determine executable") {
			return "tsc is not installed"
		}
	case kindGo:
		if line := lineWith(said, "module lookup disabled by GOPROXY=off"); line != "" && !reach && p.facts.dependencies {
			return "dependencies cannot be had: " + Cut(line, 200)
		}
	}
	return ""
}

func lineWith(said, words string) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, words) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
