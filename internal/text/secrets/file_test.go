package secrets_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/bundle-delivery/svc/internal/text/secrets"
)

// webToken makes a JSON web token. The signature is none that a key made.
func webToken(header, claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(header)) + "." + part([]byte(claims)) + "." + letters(any62, 43)
}

// password looks like one that a program made.
var password = letters(any62, 14) + "7!"

// Promise: push-secrets
func TestFindsPasswordsInAddresses(t *testing.T) {
	for _, address := range []string{
		"postgres://shop:%s@db.shop-internal.com/shop", "postgresql+asyncpg://shop:%s@10.0.0.7:5432/shop?sslmode=require",
		"mysql://root:%s@db.shop.io/x", "mongodb+srv://shop:%s@cluster0.ab1cd.mongodb.net/x", "redis://:%s@cache.shop.io:6379/0",
		"amqps://shop:%s@mq.shop.io", "https://deploy:%s@git.shop.io/x.git", "postgres://shop:%s@localhost/shop", "postgres://shop:%s@db:5432/shop",
	} {
		for _, around := range [][2]string{{"", ""}, {"DATABASE_URL=", "\n"}, {`connect("`, `")`}, {"url: '", "'"}, {"see <", ">."}} {
			text := "first\n" + around[0] + fmt.Sprintf(address, password) + around[1]
			found := secrets.FindInFile("main.go", []byte(text))
			if len(found) != 1 || found[0].Kind != "password in an address" || text[found[0].Start:found[0].End] != password || found[0].Line != 2 {
				t.Errorf("%s: %+v", text, found)
			}
		}
	}
	// People make up shorter ones; escapes and @ are part of them.
	for _, text := range []string{"postgres://shop:hunter2@db.shop.io/x", "postgres://shop:p%40ss-Kj3!@db.shop.io/x", "postgres://shop:tr@ub4dor@db.shop.io/x"} {
		if found := secrets.FindInFile("a.py", []byte(text)); len(found) != 1 {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// Promise: push-secrets
func TestFindsJSONWebTokens(t *testing.T) {
	token := webToken(`{"alg":"HS256","typ":"JWT"}`, `{"sub":"42","role":"service_role"}`)
	for _, around := range [][2]string{{"", ""}, {"Authorization: Bearer ", "\n"}, {`"`, `"`}, {`{"a":"b\n`, `\n"}`}, {"__", "__"}, {"It is ", "."}} {
		text := "first\n" + around[0] + token + around[1]
		for name, found := range map[string][]secrets.Finding{"file": secrets.FindInFile("a.txt", []byte(text)), "text": secrets.Find([]byte(text))} {
			if len(found) != 1 || found[0].Kind != "JSON web token" || text[found[0].Start:found[0].End] != token {
				t.Errorf("%s in a %s: %+v", text, name, found)
			}
		}
	}
	for name, text := range map[string]string{
		"no signature":    token[:strings.LastIndexByte(token, '.')+1],
		"a short one":     token[:strings.LastIndexByte(token, '.')+10],
		"alg none":        webToken(`{"alg":"none"}`, `{"sub":"42"}`),
		"that of jwt.io":  webToken(`{"alg":"HS256","typ":"JWT"}`, `{"sub":"1234567890","name":"John Doe"}`),
		"one for anybody": webToken(`{"alg":"HS256","typ":"JWT"}`, `{"role":"anon"}`),
		"no JSON":         "eyJ" + letters(any62, 40) + ".eyJ" + letters(any62, 40) + "." + letters(any62, 43),
		"part of a word":  "x" + token,
		"four parts":      token + "." + letters(any62, 20),
	} {
		if found := secrets.FindInFile("a.txt", []byte(text)); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// Promise: push-secrets
func TestFindsPasswordsInSettings(t *testing.T) {
	for name, lines := range map[string][]string{
		"values.yaml": {
			"password: %s", "  password: \"%s\"", "- db_password: '%s' # mine", "dbPassword: %s", "POSTGRES_PASSWORD: %s", "smtp-passwd: %s",
			"- MYSQL_ROOT_PASSWORD=%s", "db: {user: shop, password: %s}", "passphrase: %s", "DB_PASS: %s", "# password: %s", "spring.datasource.password: %s",
		},
		"config.json":            {`{"password": "%s"}`, `"dbPassword":"%s",`, `{"user": "shop", "smtpPass": "%s", "port": 25}`},
		"a.toml":                 {`password = "%s"`, "auth.password='%s'"},
		"app.ini":                {"password=%s", "db_pwd = %s ; mine"},
		"application.properties": {"spring.datasource.password=%s"},
		".env.example":           {"DB_PASSWORD=%s", "export DB_PASSWORD=\"%s\""},
	} {
		for _, line := range lines {
			for _, value := range []string{password, "hunter2", "correct-horse-battery-staple", "S0nnen#schein"} {
				text := "first:\n" + fmt.Sprintf(line, value) + "\nlast: x\n"
				found := secrets.FindInFile(name, []byte(text))
				if len(found) != 1 || found[0].Kind != "password in a setting" || text[found[0].Start:found[0].End] != value || found[0].Line != 2 {
					t.Errorf("%s: %q: %+v", name, text, found)
				}
			}
		}
	}
	key := letters(any62, 24) + "47"
	for _, line := range []string{"api_key: %s", "apiKey: \"%s\"", "client_secret: %s", "SESSION_SECRET=%s", "auth-token: %s", "secret_key_base: %s"} {
		text := fmt.Sprintf(line, key)
		if found := secrets.FindInFile("a.yml", []byte(text)); len(found) != 1 || found[0].Kind != "secret in a setting" || text[found[0].Start:found[0].End] != key {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

// TestFindsNoPasswordInPlaceholders has what example files, documents, programs and
// texts for people hold in the place of passwords.
// Promise: push-placeholders
func TestFindsNoPasswordInPlaceholders(t *testing.T) {
	for name, lines := range map[string][]string{
		"README.md": {
			"postgres://user:password@localhost:5432/app", "postgres://user:hunter2@localhost/db", "https://user:token@github.com/x", "redis://:secret@redis:6379",
			"postgres://app:correct-horse@db.shop.io/x", "postgres://USER:PASSWORD@HOST/DB", "postgres://<user>:<password>@<host>/db", "postgres://user:...@db.shop.io/x",
		},
		".env.example": {
			"DATABASE_URL=postgres://app:app@localhost:5432/app?sslmode=disable", "DATABASE_URL=postgres://user:password@localhost/app", "API_TOKEN=change-me",
			"DATABASE_URL=", "DB_PASSWORD=", "DB_PASSWORD=changeme", "DB_PASSWORD=your-password-here", "JWT_SECRET=replace_with_a_long_random_string", "SECRET_KEY=your_secret_key_1",
			"API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx", "SECRET_KEY=0123456789abcdef0123456789abcdef", "REDIS_URL=redis://localhost:6379",
		},
		"main.go": {
			`fmt.Sprintf("postgres://%s:%s@%s/%s", user, password, host, name)`, `"postgres://" + user + ":" + password + "@" + host`, "`postgres://${user}:${password}@${host}/x`",
			`f"postgres://{user}:{password}@{host}/x"`, "postgres://$USER:$PASSWORD@db.shop.io/x", "https://x-access-token:${TOKEN}@github.com/x", "postgres://app:%40s@db.shop.io",
			`password := "hunter2"`, "http://[::1]:8080/a@b", "http://host:8080/x@y", "ssh://git@github.com:22/x", "mailto:a@b.c", "postgres://a:b@c/d", "https://u:kJh3$5lq9x@example.com/x",
			"postgres://shop:kJh35lq9xW@db.example/x", "postgres://shop:shop@db.shop.io/x", "://a:kJh35lq9xW@b.shop.io",
		},
		"compose.yaml": {
			"POSTGRES_PASSWORD: app", "POSTGRES_PASSWORD: postgres", "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD}", "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-hunter2xx}", "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?set it}",
			"POSTGRES_PASSWORD_FILE: /run/secrets/db-1", "MYSQL_ROOT_PASSWORD: mysecretpassword", "password: supersecret123", "password: P@ssw0rd1", "password: s3cr3t", "password: Admin123!", "password: rootpassword",
			"password: \"\"", "password: ''", "password:", "password: # later", "password: ~", "password: null", "password: true", "password: 123456", "password: \"********\"", "password: <password-1>", "password: {{ vault_password_1 }}",
			"password: '{{ lookup(\"env\", \"P1\") }}'", "password: ${{ secrets.DB_PASSWORD_1 }}", "password: !Ref DBPassword1", "password: !vault |", "password: *pw1", "password: |", "password: {type: string, minLength: 8}", "password: [a1, b2]",
			"password: /run/secrets/db-1", "password: ./secrets/db1.txt", "password: vault:secret/data/db#pw1", "password: arn:aws:secretsmanager:eu-1:1:x", "password: op://vault/item-1/password", "password: env.DB_PASSWORD", "password: os.getenv(\"DB_PW1\")",
			"password: DB_ROOT_PASSWORD_FILE", "password: %env(DB_PASSWORD_1)%", "password: ENC[AES256_GCM,data:x1]", "token: my-service-account", "secret: db-credentials-2024", "secretName: kJh35lq9xWkJh35lq9xW", "tokens: 4096", "token: github.token",
			"api_key: https://docs.shop.io/keys/1", "url: https://x.io/a?page_token=kJh35lq9xWkJh35lq9xW12", "compass: North-42", "bypass: rule-42x",
		},
		"de.json": {
			`"password": "Passwort"`, `"password": "Mot de passe (8 caractères)"`, `"password": "Contraseña"`, `"password": "Your password must have 8 characters."`, `"forgot_password": "Forgot password?"`,
			`"password": "string"`, `"password": "required|min:8"`, `"autocomplete-password": "new-password"`, `"password": {"type": "string"}`, `"js-token": "^4.0.0"`, `"reset_password": "/users/reset/1"`, `"password": "varchar(255)"`,
		},
		"app.py": {`password = "hunter2-but-in-a-program"`, `os.environ["DB_PASSWORD"]`, "self.password = password1"},
	} {
		for _, line := range lines {
			if found := secrets.FindInFile(name, []byte("first\n"+line+"\nlast\n")); len(found) > 0 {
				t.Errorf("%s: %s: %+v", name, line, found)
			}
		}
	}
	// Requests of people are no files: a field with this name is none of their secrets.
	for _, text := range []string{"an API for users: name, password: hunter2-like, required", "postgres://shop:hunter2@db.shop.io/x"} {
		if found := secrets.Find([]byte(text)); len(found) > 0 {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// wide encodes a text in UTF-16.
func wide(text string, order binary.AppendByteOrder, mark bool) []byte {
	if mark {
		text = "\ufeff" + text
	}
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// Promise: push-secrets
func TestFindsSecretsInUTF16(t *testing.T) {
	all := map[string]string{"password in a setting": "password: " + password, "password in an address": "postgres://shop:" + password + "@db.shop.io/x", "JSON web token": webToken(`{"alg":"HS256"}`, `{"a":1}`)}
	for kind, found := range credentials() {
		all[kind] = found[0]
	}
	for kind, secret := range all {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, mark := range []bool{true, false} {
				text := "first: größer 日本 😀\r\nsecond: \"x\"\r\n" + secret + "\r\nend: x\r\n"
				if found := secrets.FindInFile("a.yaml", wide(text, order, mark)); len(found) != 1 || found[0].Kind != kind || found[0].Line != 3 {
					t.Errorf("%s, %v, mark %v: %+v", kind, order, mark, found)
				}
			}
		}
		if mostlyForeign := wide(strings.Repeat("日本語のテキスト", 50)+"\n"+secret+"\n", binary.LittleEndian, true); len(secrets.FindInFile("a.yaml", mostlyForeign)) != 1 {
			t.Errorf("%s among letters of another script is not found", kind)
		}
	}
	for _, text := range [][]byte{nil, {0xff}, {0xff, 0xfe}, {0xff, 0xfe, 'a'}, {0, 0, 0, 0}, wide("nothing", binary.BigEndian, true)} {
		if found := secrets.FindInFile("a.yaml", text); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

// TestFindTakesLinearTime gives texts that begin a secret again and again.
// Promise: push-placeholders
func TestFindTakesLinearTime(t *testing.T) {
	for _, begins := range []string{
		"eyJ", "eyJ-", "__eyJ", "eyJ.", ".eyJhbGci.eyJ", "://", "a://b:c", "a://b:c@", "a:b@", "password", "password:", "password: a ", "password = \"", "db_pass", "${password", "token=a1", "pass:pwd=",
		"secret: " + strings.Repeat("a1", 100), "-----BEGIN PRIVATE KEY-----", "ghp_", "password=changechangechange ",
	} {
		took := func(size int) time.Duration {
			text := []byte(strings.Repeat(begins, size/len(begins)))
			best := time.Hour
			for range 2 {
				start := time.Now()
				secrets.FindInFile("a.yaml", text)
				best = min(best, time.Since(start))
			}
			return best
		}
		if small, large := took(32<<10), took(512<<10); large > 100*small && large > time.Second { // 16 times is linear, 256 quadratic
			t.Errorf("%q: %v for 32 KiB, %v for 512 KiB", begins, small, large)
		}
	}
}

// Promise: push-placeholders
func FuzzFindInFile(f *testing.F) {
	f.Add("a.yaml", []byte("password: "+password))
	f.Add("a.md", []byte("postgres://a:"+password+"@b.io/"+webToken(`{"alg":"HS256"}`, `{}`)))
	f.Add("x", wide("token = x", binary.BigEndian, false))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		found := secrets.FindInFile(name, content)
		end, line := 0, 1
		for _, s := range found {
			if s.Start < end || s.End <= s.Start || s.End > 2*len(content) || s.Line < line || s.Kind == "" {
				t.Errorf("%+v", found)
			}
			end, line = s.End, s.Line
		}
		text := strings.ToValidUTF8(string(content), "?")
		if strings.Contains(text, "\x00") || strings.HasPrefix(text, "\ufeff") {
			return
		}
		narrow := secrets.FindInFile(name, []byte(text))
		if wide := secrets.FindInFile(name, wide(text, binary.LittleEndian, true)); !slices.Equal(narrow, wide) {
			t.Errorf("%+v in UTF-8, %+v in UTF-16", narrow, wide)
		}
	})
}
