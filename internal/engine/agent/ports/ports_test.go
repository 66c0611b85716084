package ports_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine/agent/ports"
)

func TestPortsOfFiles(t *testing.T) {
	use := func(path, template string) bundlezip.PortUse {
		return bundlezip.PortUse{Path: path, Template: template}
	}
	for name, tc := range map[string]struct {
		files []ports.File
		want  []bundlezip.Port
	}{
		"a variable": {
			[]ports.File{{Path: ".env", Content: []byte("# x\nPORT=3000\nNAME=port\nTIMEOUT=30\n")}},
			[]bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{use(".env", "PORT={port}")}}},
		},
		"quoted, exported, with a comment": {
			[]ports.File{{Path: "a/.env.local", Content: []byte("export API_PORT=\"8000\" # the API\r\n")}},
			[]bundlezip.Port{{Name: "api", Port: 8000, Uses: []bundlezip.PortUse{use("a/.env.local", "API_PORT=\"{port}")}}},
		},
		"what others listen on": {[]ports.File{{Path: ".env", Content: []byte("DB_PORT=5432\nREDIS_PORT=6379\nSMTP_PORT=25\n")}}, nil},
		"a database that the project brings": {
			[]ports.File{
				{Path: ".env", Content: []byte("DB_PORT=5432\n")},
				{Path: "compose.yaml", Content: []byte("services:\n  db:\n    ports:\n    - \"${DB_PORT:-5432}:5432\"\n    environment:\n      - PORT=1:2\n")},
			},
			[]bundlezip.Port{{Name: "db", Port: 5432, Uses: []bundlezip.PortUse{use(".env", "DB_PORT={port}"), use("compose.yaml", "${DB_PORT:-{port}}")}}},
		},
		"forms of compose": {
			[]ports.File{{Path: "docker-compose.yml", Content: []byte(`services:
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
		"what stands twice":   {[]ports.File{{Path: ".env", Content: []byte("PORT=3000\nA_PORT=3000\n")}}, []bundlezip.Port{{Name: "a", Port: 3000, Uses: []bundlezip.PortUse{use(".env", "A_PORT={port}")}}}},
		"no number":           {[]ports.File{{Path: ".env", Content: []byte("PORT=\nB_PORT=99999\nC_PORT=x\nD_PORT=0\n")}}, nil},
		"two of a name":       {[]ports.File{{Path: ".env", Content: []byte("PORT=1\n")}, {Path: "b/.env", Content: []byte("PORT=2\n")}}, []bundlezip.Port{{Name: "web", Port: 1, Uses: []bundlezip.PortUse{use(".env", "PORT={port}")}}, {Name: "web-2", Port: 2, Uses: []bundlezip.PortUse{use("b/.env", "PORT={port}")}}}},
		"no ports of compose": {[]ports.File{{Path: "compose.yaml", Content: []byte("x: \"8080:80\"\n")}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ports.In(tc.files)); diff != "" {
				t.Error(diff)
			}
			for _, f := range tc.files {
				if !ports.Declares(f.Path) {
					t.Errorf("%s is passed over", f.Path)
				}
			}
		})
	}
	for _, name := range []string{".env.example", "env", "main.go", "composer.json"} {
		if ports.Declares(name) {
			t.Errorf("%s is looked at", name)
		}
	}
}
