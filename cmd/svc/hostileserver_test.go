package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// place is where something stands in a document: names and numbers.
type place []any

// leaves are the places of all values that are no list and no object.
func leaves(doc any, at place) (all []place) {
	switch v := doc.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, leaves(v[name], append(slices.Clone(at), name))...)
		}
	case []any:
		for i, item := range v {
			all = append(all, leaves(item, append(slices.Clone(at), i))...)
		}
	case stream:
		return leaves([]any(v), at)
	case nil, []byte:
	default:
		all = append(all, at)
	}
	return all
}

// planting gives a document with one of its leaves changed.
func planting(doc any, at place, change func(any) any) any {
	if len(at) == 0 {
		return change(doc)
	}
	switch v := doc.(type) {
	case map[string]any:
		name, _ := at[0].(string)
		out := maps.Clone(v)
		out[name] = planting(v[name], at[1:], change)
		return out
	case []any:
		i, _ := at[0].(int)
		out := slices.Clone(v)
		out[i] = planting(v[i], at[1:], change)
		return out
	case stream:
		changed, _ := planting([]any(v), at, change).([]any)
		return stream(changed)
	}
	panic("no such place")
}

// encodeHostile writes JSON as nobody should: only what would make it none is escaped.
func encodeHostile(to *bytes.Buffer, doc any) {
	switch v := doc.(type) {
	case map[string]any:
		to.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				to.WriteByte(',')
			}
			encodeHostile(to, name)
			to.WriteByte(':')
			encodeHostile(to, v[name])
		}
		to.WriteByte('}')
	case []any:
		to.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				to.WriteByte(',')
			}
			encodeHostile(to, item)
		}
		to.WriteByte(']')
	case string:
		to.WriteByte('"')
		for i := range len(v) {
			if c := v[i]; c < ' ' || c == '"' || c == '\\' {
				fmt.Fprintf(to, `\u%04x`, c)
			} else {
				to.WriteByte(c)
			}
		}
		to.WriteByte('"')
	case float64:
		to.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		fmt.Fprint(to, v)
	}
}

// bytes is the body as it is sent.
func (a answer) bytes() []byte {
	var out bytes.Buffer
	switch v := a.body.(type) {
	case nil:
	case []byte:
		return v
	case stream:
		for i, item := range v {
			event, _ := item.(map[string]any)
			name := strings.NewReplacer("\n", "", "\r", "").Replace(fmt.Sprint(event["name"]))
			fmt.Fprintf(&out, ": %s\nid: %d\nevent: %s\ndata: ", name, i+1, name)
			encodeHostile(&out, event["data"])
			out.WriteString("\n\n")
		}
	default:
		encodeHostile(&out, v)
	}
	return out.Bytes()
}

// hostileServer says what it is told to say.
type hostileServer struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]answer
}

func (s *hostileServer) say(answers map[string]answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = answers
}

func newHostileServer(t *testing.T) *hostileServer {
	t.Helper()
	s := &hostileServer{}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		a, ok := s.answers[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			a = answer{404, map[string]string{"X-Request-Id": "req_1"}, document(errorJSON)}
		}
		if strings.HasSuffix(r.URL.Path, "/stream") && a.status < http.StatusBadRequest {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		if a.status == hangs {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		if a.status == 0 {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = c.Write(a.bytes())
				_ = c.Close()
			}
			return
		}
		for name, value := range a.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(a.bytes())
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s
}

// writeCA writes down what a client has to trust.
func writeCA(t *testing.T, server *httptest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newServerWithNames starts a server at 127.0.0.1 whose certificate bears a name, as
// that of its issuer and of another host.
func newServerWithNames(t *testing.T, name string) (server *httptest.Server, ca string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{strings.Map(func(r rune) rune { return min(r, 0x7f) }, name)}, // ASCII, by its type
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req_1")
		w.WriteHeader(http.StatusNotFound)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, writeCA(t, server)
}

// variants are the scenario's answers with one field or header changed, by what is
// changed.
func (s scenario) variants() map[string]map[string]answer {
	out := map[string]map[string]answer{"as it is": s.answers}
	put := func(name, path string, a answer) {
		changed := maps.Clone(s.answers)
		changed[path] = a
		out[path+" "+name] = changed
	}
	for path, a := range s.answers {
		if s.varied != "" && s.varied != path {
			continue
		}
		for _, at := range leaves(a.body, nil) {
			changed := planting(a.body, at, func(was any) any {
				if text, ok := was.(string); ok {
					return text + planted
				}
				return planted
			})
			put(fmt.Sprint([]any(at)), path, answer{a.status, a.header, changed})
			changed = planting(a.body, at, func(any) any { return linePlanted })
			put("instead of "+fmt.Sprint([]any(at)), path, answer{a.status, a.header, changed})
		}
		for header := range a.header {
			changed := maps.Clone(a.header)
			changed[header] += planted
			put(header, path, answer{a.status, changed, a.body})
		}
		put("is no JSON", path, answer{a.status, a.header, []byte(planted)})
	}
	return out
}
