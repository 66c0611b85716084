//go:build linux && (amd64 || arm64)

package validate

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// registry is a module proxy, a registry of npm and an index of pip on loopback,
// each with one package whose function says 42.
type registry struct {
	address string // host:port
	mu      sync.Mutex
	asked   []string
}

// zipped is an archive of files, in the order of their names.
func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarball(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}), second(w.Write([]byte(files[name])))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func second(_ int, err error) error { return err }

const wheelName = "depone-1.0.0-py3-none-any.whl"

func wheel(t *testing.T) []byte {
	t.Helper()
	return zipped(t, map[string]string{
		"depone.py":                       "def answer():\n    return 42\n",
		"depone-1.0.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: depone\nVersion: 1.0.0\n",
		"depone-1.0.0.dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"depone-1.0.0.dist-info/RECORD":   "depone.py,,\ndepone-1.0.0.dist-info/METADATA,,\ndepone-1.0.0.dist-info/WHEEL,,\ndepone-1.0.0.dist-info/RECORD,,\n",
	})
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{}
	const goMod = "module example.com/depone\n\ngo 1.24\n"
	module := zipped(t, map[string]string{
		"example.com/depone@v1.0.0/go.mod": goMod,
		"example.com/depone@v1.0.0/dep.go": "package depone\n\n// Answer is it.\nfunc Answer() int { return 42 }\n",
	})
	packed := tarball(t, map[string]string{
		"package/package.json": `{"name":"depone","version":"1.0.0","type":"module","main":"index.js"}`,
		"package/index.js":     "export const answer = () => 42;\n",
	})
	digest := sha512.Sum512(packed)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.asked = append(r.asked, req.URL.Path)
		r.mu.Unlock()
		answers := map[string][]byte{
			"/go/example.com/depone/@v/list":        []byte("v1.0.0\n"),
			"/go/example.com/depone/@v/v1.0.0.info": []byte(`{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}`),
			"/go/example.com/depone/@v/v1.0.0.mod":  []byte(goMod),
			"/go/example.com/depone/@v/v1.0.0.zip":  module,
			"/npm/depone": fmt.Appendf(nil, `{"name":"depone","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"depone","version":"1.0.0","dist":{"tarball":"http://%s/npm/depone/-/depone-1.0.0.tgz","integrity":"sha512-%s"}}}}`,
				req.Host, base64.StdEncoding.EncodeToString(digest[:])),
			"/npm/depone/-/depone-1.0.0.tgz": packed,
			"/pip/simple/depone/":            []byte(`<a href="/pip/` + wheelName + `">` + wheelName + `</a>`),
			"/pip/" + wheelName:              wheel(t),
		}
		answer, known := answers[req.URL.Path]
		if !known {
			http.NotFound(w, req)
			return
		}
		if strings.HasSuffix(req.URL.Path, "/") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write(answer) // who does not read it fails
	}))
	t.Cleanup(server.Close)
	r.address = strings.TrimPrefix(server.URL, "http://")
	return r
}

func (r *registry) wasAsked(part string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.asked, func(path string) bool { return strings.Contains(path, part) })
}

// variables lead the tools to a registry at a host.
func (r *registry) variables(host string) []string {
	return []string{
		"GOPROXY=http://" + host + "/go", "npm_config_registry=http://" + host + "/npm/",
		"PIP_INDEX_URL=http://" + host + "/pip/simple", "PIP_TRUSTED_HOST=" + host,
	}
}

// dependents are projects whose tests need the package of a registry.
func dependents() map[string]map[string]string {
	return map[string]map[string]string{
		"go": {
			"go.mod":      "module example.com/x\n\ngo 1.24\n\nrequire example.com/depone v1.0.0\n",
			"x.go":        "package x\n\nimport \"example.com/depone\"\n\n// Answer is asked for.\nfunc Answer() int { return depone.Answer() }\n",
			"x_test.go":   "package x\n\nimport \"testing\"\n\nfunc TestAnswer(t *testing.T) {\n\tif Answer() != 42 {\n\t\tt.Error(\"wrong answer\")\n\t}\n}\n",
			"sub/deep.go": "package sub\n",
		},
		"node": {
			"package.json":      `{"name":"x","version":"1.0.0","type":"module","dependencies":{"depone":"1.0.0"},"scripts":{"test":"node --test"}}`,
			"test/dep.test.mjs": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { answer } from 'depone';\ntest('answers', () => { assert.equal(answer(), 42); });\n",
		},
		"python": {
			"requirements.txt": "depone==1.0.0\n",
			"test_dep.py":      "import unittest\n\nimport depone\n\n\nclass Dep(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(depone.answer(), 42)\n",
		},
	}
}
