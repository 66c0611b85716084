package modelproxy_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// mixed writes some characters of a text in another way.
func mixed(text string, other func(byte) string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range len(text) {
		if random.IntN(2) == 0 {
			b.WriteByte(text[i])
		} else {
			b.WriteString(other(text[i]))
		}
	}
	return b.String()
}

func every(text string, other func(byte) string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(other(text[i]))
	}
	return b.String()
}

func unicodeForm(b byte) string  { return fmt.Sprintf(`\u%04x`, b) }
func unicodeUpper(b byte) string { return fmt.Sprintf(`\u%04X`, b) }
func percentForm(b byte) string  { return fmt.Sprintf(`%%%02X`, b) }
func percentLower(b byte) string { return fmt.Sprintf(`%%%02x`, b) }

// forms are the ways to write the key that are struck out.
func forms() map[string]string {
	all := map[string]string{
		"plain":               key,
		"JSON":                every(key, unicodeForm),
		"JSON, capitals":      every(key, unicodeUpper),
		"JSON in JSON":        every(key, func(b byte) string { return `\` + unicodeForm(b) }),
		"percent":             every(key, percentForm),
		"percent, small":      every(key, percentLower),
		"percent, the hyphen": strings.ReplaceAll(key, "-", "%2D"),
		"hex":                 hex.EncodeToString([]byte(key)),
		"hex, capitals":       strings.ToUpper(hex.EncodeToString([]byte(key))),
		"UTF-16":              every(key, func(b byte) string { return string([]byte{b, 0}) }),
		"UTF-16, big end":     every(key, func(b byte) string { return string([]byte{0, b}) }),
	}
	for seed := range uint64(5) {
		all["JSON, mixed "+strconv.FormatUint(seed, 10)] = mixed(key, unicodeForm, seed)
		all["percent, mixed "+strconv.FormatUint(seed, 10)] = mixed(key, percentForm, seed)
	}
	for name, encoding := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "base64, for addresses": base64.RawURLEncoding} {
		for lead := range 3 {
			for tail := range 3 {
				all[fmt.Sprintf("%s, %d before and %d behind", name, lead, tail)] = encoding.EncodeToString([]byte("\xfb\xff"[:lead] + key + "\xfe\xbf"[:tail]))
			}
		}
	}
	return all
}

// holdsKey reports whether a text has the key, or most of it, in any of the forms.
func holdsKey(text string) bool {
	decoded := text
	for range 2 {
		decoded = strings.NewReplacer(`\\u`, `\u`).Replace(decoded)
	}
	if unescaped, err := strconv.Unquote(`"` + strings.ReplaceAll(decoded, `"`, ``) + `"`); err == nil {
		decoded = unescaped
	}
	if plain, err := url.PathUnescape(text); err == nil {
		decoded += plain
	}
	decoded += strings.ReplaceAll(text, "\x00", "") + strings.ToLower(text)
	middle := key[3 : len(key)-3]
	if strings.Contains(decoded, middle) || strings.Contains(decoded, hex.EncodeToString([]byte(middle))) {
		return true
	}
	for lead := range 3 {
		inside := base64.RawStdEncoding.EncodeToString([]byte("abc"[:lead] + middle))[3:]
		if strings.Contains(text, inside[:len(inside)-2]) {
			return true
		}
	}
	return false
}

// A provider repeats the key in one of the forms; it is struck out, however the
// answer comes in pieces.
// Promise: agent-key-encodings
func TestTheKeyIsStruckOutInItsForms(t *testing.T) {
	for name, form := range forms() {
		for way, answer := range map[string]http.HandlerFunc{
			"whole": says(whole, "before "+form+" behind"),
			"refused": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", whole)
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, "before "+form+" behind")
			},
			"in pieces": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", whole)
				for _, piece := range strings.SplitAfter("before "+form+" behind", "") {
					_, _ = io.WriteString(w, piece)
					_ = http.NewResponseController(w).Flush()
				}
			},
			"streamed": says(stream, "data: before "+form+" behind\n\ndata: [DONE]\n\n"),
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				d := open(t, answer)
				_, text := d.ask("/v1/chat/completions", token, `{}`)
				if !holdsKey(form) {
					t.Fatalf("the test does not see the key in %q", form)
				}
				if holdsKey(text) || !strings.Contains(text, "before ") || !strings.Contains(text, "***") || !strings.Contains(text, " behind") {
					t.Errorf("%q came as %q", form, text)
				}
				if failure := fmt.Sprint(d.handler.Failure()); holdsKey(failure) {
					t.Errorf("the failure is %q", failure)
				}
			})
		}
	}
}

// What is no key stays, also where it resembles one.
// Promise: agent-key-encodings
func TestWhatIsNoKeyIsNotStruckOut(t *testing.T) {
	texts := []string{
		key[:len(key)-1] + "x", key[1:], `\u0073k-the`, "%73k-the-real", strings.Repeat(key[:5], 100), strings.Repeat(`\`, 1000), strings.Repeat("%", 1000),
		base64.StdEncoding.EncodeToString([]byte(key[:20])), hex.EncodeToString([]byte(key[2:])), strings.Repeat(key[:20]+`\u`, 50),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		text := make([]byte, random.IntN(3000))
		for i := range text {
			text[i] = `sk-the-real-key-0123456789\u00%7BbcZ `[random.IntN(37)]
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		d := open(t, says(whole, text+"$"))
		if _, got := d.ask("/v1/chat/completions", token, `{}`); got != text+"$" {
			t.Errorf("%q came as %q", text, got)
		}
		d = open(t, says(whole, text+key+key+text+"$"))
		if _, got := d.ask("/v1/chat/completions", token, `{}`); got != text+"******"+text+"$" {
			t.Errorf("%q and the key came as %q", text, got)
		}
	}
}

// Headers are passed on in our own words.
// Promise: agent-key-encodings
func TestHeadersDoNotRepeatTheKey(t *testing.T) {
	for name, tc := range map[string]struct {
		header, value, want string
		status              int
	}{
		"seconds":              {"Retry-After", "17", "17", 429},
		"parts of a second":    {"Retry-After", "1.5", "1.5", 429},
		"a date":               {"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 GMT", 503},
		"milliseconds":         {"Retry-After-Ms", "1500", "1500", 429},
		"the key":              {"Retry-After", key, "", 429},
		"a number and the key": {"Retry-After", "17 " + key, "", 429},
		"the key as a number":  {"Retry-After", "7" + strings.Repeat("0123456789", 4), "", 429},
		"the key in ms":        {"Retry-After-Ms", key, "", 429},
		"with an answer":       {"Retry-After", key, "", 200},
		"a kind":               {"Content-Type", "application/json", whole, 200},
		"a kind of problem":    {"Content-Type", "application/problem+json; charset=utf-8", whole, 400},
		"a kind with the key":  {"Content-Type", "application/json; key=" + key, whole, 200},
		"the key as a kind":    {"Content-Type", key + "/json", "text/plain; charset=utf-8", 200},
		"a stream":             {"Content-Type", stream + "; a=" + key, stream, 200},
		"another":              {"X-Key", key, "", 200},
		"a trailer":            {"Trailer:X-Key", key, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", whole)
				w.Header().Set(tc.header, tc.value)
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, "data: {}\n\ndata: [DONE]\n\n")
			})
			answer := d.answer(t)
			if got := answer.Header.Get(tc.header); got != tc.want || answer.StatusCode != tc.status {
				t.Errorf("%d, %s: %q, want %q", answer.StatusCode, tc.header, got, tc.want)
			}
			if all := fmt.Sprint(answer.Header, answer.Trailer); strings.Contains(all, key) {
				t.Errorf("headers %s", all)
			}
		})
	}
}

// answer asks and reads the answer.
func (d *desk) answer(t *testing.T) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/v1/chat/completions", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body) // how it ends does not matter
	_ = answer.Body.Close()
	return answer
}

// An answer in which the key could not be found is refused, whether it says so or
// was asked for it.
// Promise: agent-key-encodings
func TestEncodedAnswersAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		header, value string
		status, want  int
	}{
		"gzip":            {"Content-Encoding", "gzip", 200, 502},
		"deflate":         {"Content-Encoding", "deflate", 200, 502},
		"two":             {"Content-Encoding", "identity, br", 200, 502},
		"a refusal":       {"Content-Encoding", "zstd", 401, 502},
		"identity":        {"Content-Encoding", "identity", 200, 200},
		"UTF-16":          {"Content-Type", "application/json; charset=utf-16", 200, 502},
		"UTF-16, refused": {"Content-Type", "text/plain; charset=UTF-16LE", 400, 502},
		"UTF-7":           {"Content-Type", "application/json; charset=\"utf-7\"", 200, 502},
		"UTF-8":           {"Content-Type", "application/json; charset=UTF-8", 200, 200},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept-Encoding"); got != "identity" {
					t.Errorf("asked for %q", got)
				}
				w.Header().Set("Content-Type", whole)
				w.Header().Set(tc.header, tc.value)
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, "encoded")
			})
			status, text := d.ask("/v1/chat/completions", token, `{}`)
			if status != tc.want || (tc.want == 502) == strings.Contains(text, "encoded") {
				t.Errorf("%d %s", status, text)
			}
			d.handler.Close()
			if failed := d.handler.Failure() != nil; failed != (tc.want == 502) {
				t.Errorf("the failure is %v", d.handler.Failure())
			}
		})
	}
}
