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
	said := clean(s, r.Output)
	if why := cannot(p, s, r, said, limit, reach); why != "" {
		return judgement{status: Skipped, detail: why}
	}
	if r.OK() {
		detail := count(s, said)
		if detail != "" && s.remark != "" {
			detail += "; "
		}
		return judgement{status: Passed, detail: detail + s.remark}
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
	places := placesIn(p, s, said)
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
func clean(s step, output []byte) string {
	text := strings.ToValidUTF8(string(colours.ReplaceAll(bytes.ReplaceAll(output, []byte{'\r'}, nil), nil)), "\uFFFD")
	text = strings.ReplaceAll(text, "file://", "")
	text = strings.ReplaceAll(text, path.Join(sandbox.Source, s.dir)+"/", "")
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

// failedPackage is how Go ends what it says about a package whose tests failed.
var failedPackage = regexp.MustCompile(`(?m)^FAIL\t(\S+)`)

// fileOf finds the file that a tool means by a name: Go's tests name theirs
// without the folder, before they name the package.
func (p project) fileOf(name, after string) string {
	if p.kind != kindGo || p.has(name) || strings.Contains(name, "/") {
		return name
	}
	inPackage := failedPackage.FindStringSubmatch(after)
	found, best := name, -1
	for _, f := range p.files {
		dir, base := path.Split(f.Path)
		if base != name {
			continue
		}
		fits := 0
		if dir = strings.TrimSuffix(dir, "/"); inPackage != nil && strings.HasSuffix(inPackage[1], "/"+dir) {
			fits = len(dir)
		}
		if fits > best {
			found, best = f.Path, fits
		}
	}
	return found
}

// placesIn finds what is wrong where.
func placesIn(p project, s step, said string) []string {
	var all []string
	add := func(file, line, message string) {
		file = path.Join(s.dir, strings.TrimPrefix(file, "./"))
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
	for _, at := range colonPlace.FindAllStringSubmatchIndex(said, -1) {
		name := strings.TrimPrefix(said[at[2]:at[3]], "./")
		add(p.fileOf(name, said[at[1]:]), said[at[4]:at[5]], said[at[6]:at[7]])
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
	"module lookup disabled by GOPROXY=off", "ENOTCACHED", "EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "EUNSUPPORTEDPROTOCOL",
	"dial tcp", "Forbidden", "no such host", "Could not find a version that satisfies", "No matching distribution found", "No module named pip",
	"Failed to establish a new connection", "Cannot connect to proxy", "Tunnel connection failed",
}

// The words of tools about what is not here, and not about the project.
var (
	cargoFetch    = regexp.MustCompile("(?m)^(?:error: (?:failed to (?:get|download|fetch|query)|no matching package named|unable to update)|warning: spurious network error).*$|retry without (?:the offline flag|`--offline`|--offline)|you may want to run without the --offline flag|but --offline was specified")
	noProgram     = regexp.MustCompile(`(?m)^(?:env|prlimit): .*$`)
	noPytest      = regexp.MustCompile(`(?m)^\S*python\S*: No module named pytest$`)
	missingModule = regexp.MustCompile(`(?m)ModuleNotFoundError: No module named '([\w.]+)'`)
	realFailures  = regexp.MustCompile(`(?m)^FAILED \(.*failures=|\b\d+ failed\b`)
	noTests       = regexp.MustCompile(`(?m)^(?:Ran 0 tests in|NO TESTS RAN|no tests ran)`)
	newerGo       = regexp.MustCompile(`(?m)^.*requires go >= \S+ \(running go .*$`)
)

// late is why nothing more is tried.
const late = "the time of the run is nearly used up"

// cannot says why a command could not be tried here at all, or said nothing about
// the project.
func cannot(p project, s step, r sandbox.Result, said string, limit time.Duration, reach bool) string {
	switch {
	case r.Ending == sandbox.OutOfTime && limit < stepTime:
		return late
	case r.Ending != sandbox.Exited:
		return ""
	case p.kind == kindPython && s.level == Test && noTests.MatchString(said):
		return "no test was found"
	case r.OK():
		return ""
	case r.Exit == 127 && strings.Contains(noProgram.FindString(said), s.args[0]):
		return s.args[0] + " is not installed"
	case s.fetches:
		for _, words := range unreachable {
			if line := lineWith(said, words); line != "" {
				return "dependencies cannot be had: " + Cut(line, 200)
			}
		}
	}
	switch p.kind {
	case kindPython:
		return p.cannotImport(said)
	case kindNode:
		if strings.Contains(said, "npx canceled due to missing packages") || strings.Contains(said, "could not determine executable") {
			return "tsc is not installed"
		}
	case kindGo:
		if line := newerGo.FindString(said); line != "" {
			return "it needs a newer Go: " + Cut(strings.TrimSpace(line), 200)
		}
		if line := lineWith(said, "module lookup disabled by GOPROXY=off"); line != "" && !reach && p.facts.dependencies {
			return "dependencies cannot be had: " + Cut(line, 200)
		}
	case kindRust:
		if line := cargoFetch.FindString(said); line != "" && s.level == Build && p.facts.dependencies && !strings.Contains(said, "error: could not compile") {
			return "dependencies cannot be had: " + Cut(line, 200)
		}
	}
	return ""
}

// cannotImport says which module, declared and not the project's own, tests of
// Python lack. Tests that failed for another reason as well have failed.
func (p project) cannotImport(said string) string {
	if noPytest.MatchString(said) {
		return "pytest is not installed"
	}
	missing := missingModule.FindAllStringSubmatch(said, -1)
	if len(missing) == 0 || realFailures.MatchString(said) {
		return ""
	}
	for _, m := range missing {
		name, _, _ := strings.Cut(m[1], ".")
		if !slices.Contains(p.facts.python.declared, strings.ToLower(name)) || p.hasModule(name) {
			return ""
		}
	}
	return "dependencies cannot be had: No module named " + missing[0][1]
}

// hasModule says that a module of Python is the project's own.
func (p project) hasModule(name string) bool {
	return slices.ContainsFunc(p.files, func(f File) bool {
		return path.Ext(f.Path) == ".py" && slices.Contains(strings.Split(strings.TrimSuffix(f.Path, ".py"), "/"), name)
	})
}

func lineWith(said, words string) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, words) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
