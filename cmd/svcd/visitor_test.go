package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const (
	consoleCookie = "__Host-svc_console"
	password      = "correct horse battery"
)

// visitor is a browser without scripts: it keeps cookies and follows nothing.
type visitor struct {
	t    *testing.T
	base string
	http *http.Client
}

func (i *instance) visitor() *visitor {
	i.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		i.t.Fatal(err)
	}
	return &visitor{i.t, i.base, &http.Client{
		Transport: i.transport(), Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// do sends a request; form makes it a POST. Lines are headers such as "Name: value".
func (v *visitor) do(path string, form url.Values, lines ...string) reply {
	v.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	address := v.base + path
	if strings.HasPrefix(path, "https://") {
		address = path
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, address, body)
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Set(name, text)
	}
	answer, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header, text}
}

func (v *visitor) want(status int, path string, form url.Values, lines ...string) reply {
	v.t.Helper()
	got := v.do(path, form, lines...)
	if got.status != status {
		v.t.Fatalf("%s: got %d, want %d:\n%s", path, got.status, status, got.body)
	}
	return got
}

func (v *visitor) token() string {
	v.t.Helper()
	home, err := url.Parse(v.base)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, c := range v.http.Jar.Cookies(home) {
		if c.Name == consoleCookie {
			return c.Value
		}
	}
	return ""
}

func credentials(address, secret string) url.Values {
	return url.Values{"email": {address}, "password": {secret}}
}

var linkPattern = regexp.MustCompile(`https://\S+/console/link/[\w-]+`)

// setUpLink is the link that the first start prints.
func (i *instance) setUpLink() (link string) {
	i.t.Helper()
	eventually(i.t, "the set-up link is printed", func() bool {
		link = linkPattern.FindString(i.out.String())
		return link != ""
	})
	return link
}

// setUp follows the set-up link.
func (i *instance) setUp() *visitor {
	i.t.Helper()
	link := i.setUpLink()
	v := i.visitor()
	v.want(http.StatusOK, link, nil)
	v.want(http.StatusSeeOther, link, credentials(email, password))
	return v
}

// member makes an account beside the first one and signs it in.
func (i *instance) member(address string) *visitor {
	i.t.Helper()
	i.account(address)
	link := strings.TrimSpace(i.operate("account", "reset-password", "--email", address))
	v := i.visitor()
	v.want(http.StatusSeeOther, link, credentials("", password))
	return v
}

var keyPattern = regexp.MustCompile(`svc_[a-z0-9]{8}_[0-9a-f]{32}`)
