package secrets_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/secrets"
)

// letters gives characters of an alphabet, the same at every run. No credential
// stands whole in this file: scanners of other people would find it.
func letters(alphabet string, n int) string {
	source := mathrand.New(mathrand.NewPCG(1, uint64(n)))
	var out strings.Builder
	for range n {
		out.WriteByte(alphabet[source.IntN(len(alphabet))])
	}
	return out.String()
}

const (
	hex    = "0123456789abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	any62  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

func credentials() map[string][]string {
	own, _ := svc.NewKey()
	return map[string][]string{
		"API key of this service": {own},
		"AWS access key":          {"AKI" + "A" + letters(upper, 16), "ASI" + "A" + letters(upper, 16)},
		"AWS secret key":          {"AWS_SECRET" + "_ACCESS_KEY=" + letters(any62, 40), "aws_secret" + "_access_key = \"" + letters(any62, 40)},
		"Anthropic API key":       {"sk-" + "ant-api03-" + letters(any62, 93) + "AA", "sk-" + "ant-oat01-" + letters(any62, 93) + "AA"},
		"Azure storage key":       {"Account" + "Key=" + letters(any62, 86) + "=="},
		"DigitalOcean token":      {"dop" + "_v1_" + letters(hex, 64)},
		"Docker token":            {"dckr" + "_pat_" + letters(any62, 27)},
		"GitHub token":            {"gh" + "p_" + letters(any62, 36), "github" + "_pat_" + letters(any62, 22) + "_" + letters(any62, 59)},
		"GitLab token":            {"glpat" + "-" + letters(any62, 20), "glpat" + "-" + letters(any62, 27) + ".01." + letters(hex, 9)},
		"Google API key":          {"AI" + "za" + letters(any62, 35)},
		"Google client secret":    {"GOC" + "SPX-" + letters(any62, 28)},
		"Groq API key":            {"gs" + "k_" + letters(any62, 52)},
		"Hugging Face token":      {"h" + "f_" + letters(letter, 34)},
		"Linear API key":          {"lin" + "_api_" + letters(any62, 40)},
		"OpenAI API key": {
			"sk" + "-" + letters(any62, 20) + "T3Blbk" + "FJ" + letters(any62, 20),
			"sk" + "-proj-" + letters(any62, 74) + "T3Blbk" + "FJ" + letters(any62, 74),
		},
		"OpenRouter API key": {"sk" + "-or-v1-" + letters(hex, 64)},
		"PyPI token":         {"pypi" + "-AgEIcHlwaS5vcmc" + letters(any62, 90)},
		"SendGrid API key":   {"S" + "G." + letters(any62, 22) + "." + letters(any62, 43)},
		"Shopify token":      {"shp" + "at_" + letters(hex, 32)},
		"Slack token":        {"xox" + "b-123456789012-" + letters(any62, 24)},
		"Slack webhook":      {"https://hooks.slack" + ".com/services/T" + letters(upper, 8) + "/B" + letters(upper, 8) + "/" + letters(any62, 24)},
		"Stripe key":         {"sk" + "_live_" + letters(any62, 24)},
		"Vault token":        {"hv" + "s." + letters(any62, 95)},
		"age key":            {"AGE-SECRET" + "-KEY-1" + letters("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)},
		"npm token":          {"np" + "m_" + letters(any62, 36)},
	}
}

// Promise: push-secrets
func TestFindsWhatIssuersIssue(t *testing.T) {
	for kind, all := range credentials() {
		for _, secret := range all {
			for _, around := range [][2]string{{"", ""}, {"a = \"", "\"\n"}, {"x:\n- ", " # mine"}, {"https://h/?k=", "&b=1"}, {"ä", "ö"}, {`{"a":"b\n`, `\n"}`}, {"k%3D", "%26"}} {
				text := "first\n" + around[0] + secret + around[1]
				found := secrets.Find([]byte(text))
				if len(found) != 1 || found[0].Kind != kind || text[found[0].Start:found[0].End] != secret {
					t.Errorf("%s in %q: %+v", kind, text, found)
					continue
				}
				if want := 1 + strings.Count(text[:found[0].Start], "\n"); found[0].Line != want {
					t.Errorf("%s: line %d, want %d", kind, found[0].Line, want)
				}
			}
		}
	}
}

func TestFindsACredentialAtTheBeginningAndAfterAnother(t *testing.T) {
	for kind, all := range credentials() {
		for _, secret := range all {
			if found := secrets.Find([]byte(secret + "\n" + secret)); len(found) != 2 || found[0].Start != 0 || found[0].Kind != kind || found[1].Line != 2 {
				t.Errorf("%s: %+v", kind, found)
			}
		}
	}
}

// Marks of bold type are no part of a credential, though its letters have them.
// Promise: push-secrets
func TestFindsACredentialInBoldType(t *testing.T) {
	for kind, all := range credentials() {
		for _, secret := range all {
			if text, _ := redact("It is __" + secret + "__, I think."); !strings.HasPrefix(text, "It is __["+kind+" removed]") || !strings.HasSuffix(text, ", I think.") {
				t.Errorf("%s: %q", kind, text)
			}
		}
	}
}

// Promise: push-secrets
func TestFindsNothingInWhatOnlyLooksLikeIt(t *testing.T) {
	for kind, all := range credentials() {
		for _, secret := range all {
			for name, text := range map[string]string{
				"cut off":                 secret[:len(secret)/2],
				"the middle of a word":    "x" + secret,
				"the start of a word":     secret + strings.Repeat("z", 130),
				"one character, repeated": secret[:strings.LastIndexAny(secret, "_-./=")+1] + strings.Repeat("x", 30),
			} {
				if kind == "Azure storage key" && name != "cut off" && name != "the middle of a word" {
					continue // its end is marked
				}
				if found := secrets.Find([]byte(text)); len(found) > 0 {
					t.Errorf("%s, %s: %q gave %+v", kind, name, text, found)
				}
			}
		}
	}
	for _, text := range []string{
		"AKIA" + "IOSFODNN7EXAMPLE",
		"svc_demo0000_" + strings.Repeat("0", 32),
		"svc_<prefix8>_<hex32>",
		"-----BEGIN RSA PRIVATE " + "KEY-----\n...\n-----END RSA PRIVATE KEY-----",
		`strings.HasPrefix(text, "-----BEGIN ` + `PRIVATE KEY-----") && strings.HasSuffix(text, "-----END PRIVATE KEY-----")`,
		"A file that begins with -----BEGIN RSA PRIVATE " + "KEY----- is a key. " + strings.Repeat("Refuse it by name and tell the person what to do. ", 10),
		"-----BEGIN CERTIFICATE-----\n" + letters(any62, 64) + "\n" + letters(any62, 64) + "\n-----END CERTIFICATE-----",
		"AWS_SECRET" + "_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET" + "_ACCESS_KEY=${{ secrets.AWS }}",
		"my_gh" + "p_" + letters(any62, 36),
		"postgres://app:secret@localhost/app", "password = hunter2", letters(hex, 64), "sk-learn", "hf_model", "npm_config_registry",
	} {
		if found := secrets.Find([]byte(text)); len(found) > 0 {
			t.Errorf("%q gave %+v", text, found)
		}
	}
}

// Promise: push-secrets
func TestFindsPrivateKeys(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ecBytes, err := x509.MarshalECPrivateKey(ecKey)
	if err != nil {
		t.Fatal(err)
	}
	edBytes, err := x509.MarshalPKCS8PrivateKey(edKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"RSA":      {Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)},
		"old RSA":  {Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey), Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}},
		"EC":       {Type: "EC PRIVATE KEY", Bytes: ecBytes},
		"Ed25519":  {Type: "PRIVATE KEY", Bytes: edBytes},
		"OpenSSH":  {Type: "OPENSSH PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)},
		"PGP":      {Type: "PGP PRIVATE KEY BLOCK", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)},
		"password": {Type: "ENCRYPTED PRIVATE KEY", Bytes: edBytes},
	} {
		key := strings.TrimSpace(string(pem.EncodeToMemory(block)))
		for form, text := range map[string]string{
			"as it is": key, "in a string": strings.ReplaceAll(key, "\n", `\n`), "CRLF": strings.ReplaceAll(key, "\n", "\r\n"),
			"indented": strings.ReplaceAll(key, "\n", "\n    "), "with spaces": strings.Join(strings.Fields(key), " "),
			"quoted": strings.ReplaceAll(key, "\n", "\n> "), "HTML": strings.ReplaceAll(key, "\n", "<br>\n"), "in an address": strings.ReplaceAll(key, "\n", "%0A"),
			"commented out": strings.ReplaceAll(key, "\n", "\n// "), "put together": strings.ReplaceAll(key, "\n", "\\n\" +\n\t\""), "escaped twice": strings.ReplaceAll(strings.ReplaceAll(key, "\n", `\\n`), "/", `\/`),
		} {
			text = "key:\n  \"" + text
			found := secrets.Find([]byte(text + "\" # end"))
			if len(found) != 1 || found[0].Kind != "private key" || found[0].End != len(text) || found[0].Line != 2 {
				t.Errorf("%s %s: %+v of %d bytes", name, form, found, len(text))
			}
		}
		// One without its end is struck out, and nothing of what follows.
		inside, _, _ := strings.Cut(key, "\n-----END")
		for _, gap := range []string{"\n", " ", "\n> ", "<br>", `\n`} {
			const after = "Please make a shop of it, with 3 pages: home, basket and legal. Thanks!"
			text, found := redact("Mine: " + strings.ReplaceAll(inside, "\n", gap) + gap + after)
			if text != "Mine: [private key removed]"+gap+after {
				t.Errorf("%s without an end, gaps %q: %q, %+v", name, gap, text, found)
			}
		}
		if found := secrets.Find([]byte(key[:len(key)-20])); len(found) != 1 {
			t.Errorf("%s, cut off: %+v", name, found)
		}
	}
}

// redact replaces the credentials in a text by their kinds.
func redact(text string) (string, []secrets.Finding) {
	found := secrets.Find([]byte(text))
	var out strings.Builder
	from := 0
	for _, f := range found {
		out.WriteString(text[from:f.Start] + "[" + f.Kind + " removed]")
		from = f.End
	}
	return out.String() + text[from:], found
}

func TestFindsEveryCredentialOfALine(t *testing.T) {
	own, _ := svc.NewKey()
	github := "gh" + "p_" + letters(any62, 36)
	text, found := redact("a " + own + ", b " + github + ", c " + own + "!")
	if want := "a [API key of this service removed], b [GitHub token removed], c [API key of this service removed]!"; text != want || len(found) != 3 {
		t.Errorf("%q, %+v", text, found)
	}
	if text, found := redact("nothing"); text != "nothing" || len(found) != 0 {
		t.Errorf("%q, %+v", text, found)
	}
}

func TestFileName(t *testing.T) {
	for _, name := range []string{".env", "a/.env.local", ".ENV", ".envrc", ".env.production", "k/id_rsa", "id_ed25519", "a.p12", "b/c.PFX", ".netrc", ".aws/credentials", "x/.aws/credentials", ".git-credentials"} {
		if kind, found := secrets.FileName(name); !found || kind == "" {
			t.Errorf("%s is no secret", name)
		}
	}
	for _, name := range []string{".env.example", "env", "environment.ts", "src/env.go", "id_rsa.pub", "credentials", "main.go", "a.pem", "package.json"} {
		if kind, found := secrets.FileName(name); found {
			t.Errorf("%s is taken for %s", name, kind)
		}
	}
}

// Promise: agent-left-out
func TestKeyPlace(t *testing.T) {
	for _, name := range []string{".ssh", ".AWS", ".kube", ".netrc"} {
		if !secrets.KeyPlace(name) {
			t.Errorf("%s is no place of keys", name)
		}
	}
	for _, name := range []string{"ssh", ".sshd", ".github", "aws"} {
		if secrets.KeyPlace(name) {
			t.Errorf("%s is a place of keys", name)
		}
	}
}

// TestThisRepositoryHoldsNone: ten thousands of lines that speak of keys all the time.
// Promise: push-placeholders
func TestThisRepositoryHoldsNone(t *testing.T) {
	root := os.DirFS("../..")
	files := 0
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (name == ".git" || name == "bin" || strings.HasSuffix(name, "/node_modules")) {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err != nil || !entry.Type().IsRegular() || info.Size() > 1<<20 {
			return err
		}
		text, err := fs.ReadFile(root, name)
		for _, f := range secrets.FindInFile(name, text) {
			if !strings.HasSuffix(name, "_test.go") { // tests make up keys of ours
				t.Errorf("%s:%d: %s", name, f.Line, f.Kind)
			}
		}
		files++
		return err
	})
	if err != nil || files < 100 {
		t.Fatal(err, files)
	}
}

func BenchmarkFind(b *testing.B) {
	text := bytes.Repeat([]byte("func main() { fmt.Println(\"sk-learn, gh, AKI\") } // some line of a program\n"), 1<<14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if found := secrets.Find(text); len(found) > 0 {
			b.Fatal(found)
		}
	}
}
