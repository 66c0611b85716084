// Package ports finds the ports that a project declares where people look for
// them: in .env files and in compose files.
//
// A port is declared where its number can be replaced: it stands in the file
// exactly once in the words around it. What cannot be told apart is left alone.
package ports

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

func isEnv(name string) bool {
	base := path.Base(name)
	return base == ".env" || strings.HasPrefix(base, ".env.") && base != ".env.example"
}

func isCompose(name string) bool {
	for _, pattern := range []string{"compose*.y*ml", "docker-compose*.y*ml"} {
		if matched, err := path.Match(pattern, path.Base(name)); err == nil && matched {
			return true
		}
	}
	return false
}

// found is one place of a number.
type found struct {
	name     string // empty: whatever another place of the number is called
	port     int
	path     string
	template string
}

// others are services that a project calls as often as it brings them: what an
// .env file says about them is a port of the project only where a compose file
// publishes it.
var others = []string{"db", "database", "postgres", "pg", "mysql", "mariadb", "mongo", "mongodb", "redis", "smtp", "mail", "rabbitmq", "amqp", "kafka", "elastic", "ldap", "proxy"}

// maxPlaces is how many places the files may have together: each is looked for in
// the whole of its file, and held against all others.
const maxPlaces = 1000

// ErrMany is returned for files that declare more ports than anybody means.
var ErrMany = fmt.Errorf("its files declare ports in more than %d places; remove some", maxPlaces)

// Finder gathers the places of files. The zero value has none.
type Finder struct {
	all    []found
	looked int // at places, those that name no port among them
}

// Add adds a file, if it is one in which ports are looked for. ErrMany.
func (f *Finder) Add(name string, content []byte) error {
	if !isEnv(name) && !isCompose(name) || len(content) > bundlezip.MaxPortFile {
		return nil
	}
	places := composePlaces
	if isEnv(name) {
		places = envPlaces
	}
	for _, p := range places(string(content)) {
		if f.looked++; f.looked > maxPlaces {
			return ErrMany
		}
		p.path = name
		if _, _, err := bundlezip.FindPort(content, p.template, p.port); err == nil {
			f.all = append(f.all, p)
		}
	}
	return nil
}

// Ports lists the ports, sorted by name. The same number in several places is one
// port; the first variable that holds it gives it its name.
func (f *Finder) Ports() []bundlezip.Port {
	all := slices.Clone(f.all)
	all = slices.DeleteFunc(all, func(p found) bool {
		return isEnv(p.path) && slices.Contains(others, p.name) && !slices.ContainsFunc(all, func(o found) bool { return o.port == p.port && isCompose(o.path) })
	})
	byNumber := map[int]*bundlezip.Port{}
	for _, p := range all {
		port := byNumber[p.port]
		if port == nil {
			port = &bundlezip.Port{Port: p.port}
			byNumber[p.port] = port
		}
		port.Name = cmp.Or(port.Name, p.name)
		use := bundlezip.PortUse{Path: p.path, Template: p.template}
		if !slices.Contains(port.Uses, use) {
			port.Uses = append(port.Uses, use)
		}
	}
	var ports []bundlezip.Port
	taken := map[string]bool{}
	for _, p := range all {
		port := byNumber[p.port]
		if port == nil {
			continue // listed with its first place
		}
		delete(byNumber, p.port)
		name := cmp.Or(port.Name, "port-"+strconv.Itoa(p.port))
		if taken[name] { // the same variable has another number elsewhere
			name += "-" + strconv.Itoa(p.port)
		}
		taken[name], port.Name = true, name
		ports = append(ports, *port)
	}
	slices.SortFunc(ports, func(a, b bundlezip.Port) int { return cmp.Compare(a.Name, b.Name) })
	return ports
}

var envLine = regexp.MustCompile(`(?m)^(?:export[ \t]+)?((?:[A-Za-z0-9_]*_)?PORT)=(["']?)(\d{1,5})["']?[ \t]*(?:#.*)?\r?$`)

// envPlaces finds lines such as WEB_PORT=3000.
func envPlaces(text string) (all []found) {
	for _, m := range envLine.FindAllStringSubmatch(text, -1) {
		if port := number(m[3]); port > 0 {
			all = append(all, found{name: nameOf(m[1]), port: port, template: m[1] + "=" + m[2] + bundlezip.PortPlaceholder})
		}
	}
	return all
}

// nameOf is what the port of a variable is called: web for WEB_PORT and PORT.
func nameOf(variable string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(variable), "port"), "_")
	return cmp.Or(strings.ReplaceAll(name, "_", "-"), "web")
}

var (
	composePorts = regexp.MustCompile(`^(\s*)(?:- )?ports:\s*(?:#.*)?$`)
	// - "127.0.0.1:${WEB_PORT:-8080}:80/tcp"
	composeShort = regexp.MustCompile(`^\s*-\s+(["']?(?:\d+\.\d+\.\d+\.\d+:)?)(?:\$\{(\w+):?-(\d{1,5})\}|(\d{1,5}))(:\d{1,5}(?:/\w+)?["']?)\s*(?:#.*)?$`)
	// published: "${WEB_PORT:-8080}"
	composeLong = regexp.MustCompile(`^\s*(?:- )?published:\s*(["']?)(?:\$\{(\w+):?-(\d{1,5})\}|(\d{1,5}))["']?\s*(?:#.*)?$`)
)

// composePlaces finds what services publish, below their ports.
func composePlaces(text string) (all []found) {
	inside := -1 // how deep the list of ports is; below 0: there is none
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		deep := len(line) - len(strings.TrimLeft(line, " "))
		if m := composePorts.FindStringSubmatch(line); m != nil {
			inside = deep
			continue
		}
		if inside >= 0 && (deep < inside || deep == inside && !strings.HasPrefix(strings.TrimSpace(line), "-")) {
			inside = -1
		}
		if inside < 0 {
			continue
		}
		if m := composeShort.FindStringSubmatch(line); m != nil {
			all = append(all, place(m[1], m[2], m[3], m[4], m[5]))
		} else if m := composeLong.FindStringSubmatch(line); m != nil {
			all = append(all, place("published: "+m[1], m[2], m[3], m[4], m[1]))
		}
	}
	return slices.DeleteFunc(all, func(f found) bool { return f.port == 0 })
}

// place is a number in a compose file: that of a variable, or a plain one.
func place(before, variable, standard, plain, after string) found {
	if variable == "" {
		return found{port: number(plain), template: before + bundlezip.PortPlaceholder + after}
	}
	return found{
		name: nameOf(strings.ToUpper(variable)), port: number(standard),
		template: "${" + variable + ":-" + bundlezip.PortPlaceholder + "}",
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 65535 {
		return 0
	}
	return n
}
