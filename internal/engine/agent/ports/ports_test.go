package ports_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine/agent/ports"
)

// Promise: agent-ports
func TestPortsOfFiles(t *testing.T) {
	use := func(path, template string) bundlezip.PortUse {
		return bundlezip.PortUse{Path: path, Template: template}
	}
	for name, tc := range map[string]struct {
		files []file
		want  []bundlezip.Port
	}{
		"a variable": {
			[]file{{path: ".env", content: []byte("# x\nPORT=3000\nNAME=port\nTIMEOUT=30\n")}},
			[]bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{use(".env", "PORT={port}")}}},
		},
		"quoted, exported, with a comment": {
			[]file{{path: "a/.env.local", content: []byte("export API_PORT=\"8000\" # the API\r\n")}},
			[]bundlezip.Port{{Name: "api", Port: 8000, Uses: []bundlezip.PortUse{use("a/.env.local", "API_PORT=\"{port}")}}},
		},
		"what others listen on": {[]file{{path: ".env", content: []byte("DB_PORT=5432\nREDIS_PORT=6379\nSMTP_PORT=25\n")}}, nil},
		"a database that the project brings": {
			[]file{
				{path: ".env", content: []byte("DB_PORT=5432\n")},
				{path: "compose.yaml", content: []byte("services:\n  db:\n    ports:\n    - \"${DB_PORT:-5432}:5432\"\n    environment:\n      - PORT=1:2\n")},
			},
			[]bundlezip.Port{{Name: "db", Port: 5432, Uses: []bundlezip.PortUse{use(".env", "DB_PORT={port}"), use("compose.yaml", "${DB_PORT:-{port}}")}}},
		},
		"forms of compose": {
			[]file{{path: "docker-compose.yml", content: []byte(`services:
  a:
    ports: # several
      - 8080:80
      - "127.0.0.1:8081:81/tcp"
      - target: 82
        published: 8082
      - "83"
    expose:
      - 9000:9000
`)}},
			[]bundlezip.Port{
				{Name: "port-8080", Port: 8080, Uses: []bundlezip.PortUse{use("docker-compose.yml", "{port}:80")}},
				{Name: "port-8081", Port: 8081, Uses: []bundlezip.PortUse{use("docker-compose.yml", `"127.0.0.1:{port}:81/tcp"`)}},
				{Name: "port-8082", Port: 8082, Uses: []bundlezip.PortUse{use("docker-compose.yml", "published: {port}")}},
			},
		},
		"what stands twice":   {[]file{{path: ".env", content: []byte("PORT=3000\nA_PORT=3000\n")}}, []bundlezip.Port{{Name: "a", Port: 3000, Uses: []bundlezip.PortUse{use(".env", "A_PORT={port}")}}}},
		"no number":           {[]file{{path: ".env", content: []byte("PORT=\nB_PORT=99999\nC_PORT=x\nD_PORT=0\n")}}, nil},
		"two of a name":       {[]file{{path: ".env", content: []byte("PORT=1\n")}, {path: "b/.env", content: []byte("PORT=2\n")}}, []bundlezip.Port{{Name: "web", Port: 1, Uses: []bundlezip.PortUse{use(".env", "PORT={port}")}}, {Name: "web-2", Port: 2, Uses: []bundlezip.PortUse{use("b/.env", "PORT={port}")}}}},
		"no ports of compose": {[]file{{path: "compose.yaml", content: []byte("x: \"8080:80\"\n")}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, in(t, tc.files)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, name := range []string{".env.example", "env", "main.go", "composer.json"} {
		if found := in(t, []file{{name, []byte("PORT=1\n")}}); found != nil {
			t.Errorf("%s is looked at", name)
		}
	}
}

type file struct {
	path    string
	content []byte
}

func in(t *testing.T, files []file) []bundlezip.Port {
	t.Helper()
	var f ports.Finder
	for _, file := range files {
		if err := f.Add(file.path, file.content); err != nil {
			t.Fatal(err)
		}
	}
	return f.Ports()
}

// Each place costs a search of its file, whether it names a port or not.
// Promise: agent-exhausts-nothing
func TestPlacesAreBounded(t *testing.T) {
	for name, line := range map[string]string{"ports": "P%d_PORT=%[1]d\n", "nothing but the same": "PORT=80\n#%d\n"} {
		t.Run(name, func(t *testing.T) {
			lines := func(from, to int) []byte {
				var text []byte
				for i := from; i < to; i++ {
					text = fmt.Appendf(text, line, 10000+i)
				}
				return text
			}
			var f ports.Finder
			if err := errors.Join(f.Add(".env", lines(0, 600)), f.Add("b/.env", lines(600, 1000))); err != nil {
				t.Fatal(err)
			}
			if err := f.Add("c/.env", lines(1000, 1001)); !errors.Is(err, ports.ErrMany) {
				t.Errorf("one more: %v", err)
			}
		})
	}
}
