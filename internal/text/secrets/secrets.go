// Package secrets finds what is surely a credential: in a text by the forms that
// issuers gave their keys and tokens, among files by the names that programs give to
// files of passwords and keys.
//
// It would rather miss a secret than call something else one, for people are stopped
// by what it finds. So a word that merely looks random is none, nor is a placeholder
// or an issuer's published example. Passwords that people choose are looked for only
// in files, where an address or the name of a setting marks them.
package secrets

import (
	"bytes"
	"regexp"
	"slices"
	"sync"
)

// Finding is one credential in a text.
type Finding struct {
	// Kind names what it is, for people: "GitHub token".
	Kind string
	// Start and End are the bytes that it takes up.
	Start, End int
	// Line is where it begins, counted from 1.
	Line int
}

// form is how one kind of credential is written: one of the prefixes, then what the
// pattern says. Looking for plain prefixes keeps large files cheap.
type form struct {
	kind     string
	prefixes []string
	rest     string
}

// ownKey is the place of this service's keys among the forms.
const ownKey = 0

var forms = []form{
	ownKey: {"API key of this service", []string{"svc_"}, `[A-Za-z0-9]{8}_[0-9a-fA-F]{32}`},
	{"AWS access key", []string{"AKIA", "ASIA"}, `[A-Z2-7]{16}`},
	{"AWS secret key", []string{"AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "SecretAccessKey"}, `["']?\s*[=:]\s*["']?[A-Za-z0-9/+]{40}`},
	{"Anthropic API key", []string{"sk-ant-api", "sk-ant-admin", "sk-ant-oat", "sk-ant-ort"}, `[0-9]{2}-[A-Za-z0-9_\-]{80,120}`},
	{"Azure storage key", []string{"AccountKey="}, `[A-Za-z0-9+/]{86}==`},
	{"DigitalOcean token", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, `[a-f0-9]{64}`},
	{"Docker token", []string{"dckr_pat_"}, `[A-Za-z0-9_\-]{27}`},
	{"GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, `[A-Za-z0-9]{36}`},
	{"GitHub token", []string{"github_pat_"}, `[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`},
	{"GitLab token", []string{"glpat-"}, `(?:[A-Za-z0-9_\-]{27,300}\.(?:[0-9a-z]{2}\.)?[0-9a-z]{9}|[A-Za-z0-9_\-]{20})`},
	{"Google API key", []string{"AIza"}, `[A-Za-z0-9_\-]{35}`},
	{"Google client secret", []string{"GOCSPX-"}, `[A-Za-z0-9_\-]{28}`},
	{"Groq API key", []string{"gsk_"}, `[A-Za-z0-9]{52}`},
	{"Hugging Face token", []string{"hf_"}, `[A-Za-z]{34}`},
	{"Linear API key", []string{"lin_api_"}, `[A-Za-z0-9]{40}`},
	{"OpenAI API key", []string{"sk-"}, `(?:(?:proj|svcacct|admin)-)?[A-Za-z0-9_\-]{20,80}T3BlbkFJ[A-Za-z0-9_\-]{20,80}`},
	{"OpenRouter API key", []string{"sk-or-v1-"}, `[a-f0-9]{64}`},
	{"PyPI token", []string{"pypi-AgEIcHlwaS5vcmc"}, `[A-Za-z0-9_\-]{50,200}`},
	{"SendGrid API key", []string{"SG."}, `[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}`},
	{"Shopify token", []string{"shpat_", "shpca_", "shppa_", "shpss_"}, `[a-fA-F0-9]{32}`},
	{"Slack token", []string{"xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-"}, `[0-9]{10,13}-[A-Za-z0-9\-]{20,80}`},
	{"Slack webhook", []string{"https://hooks.slack.com/services/"}, `T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}`},
	{"Stripe key", []string{"sk_live_", "rk_live_"}, `[A-Za-z0-9]{24,120}`},
	{"Vault token", []string{"hvs."}, `[A-Za-z0-9_\-]{90,120}`},
	{"age key", []string{"AGE-SECRET-KEY-1"}, `[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`},
	{"npm token", []string{"npm_"}, `[A-Za-z0-9]{36}`},
}

// longest is more than any form but a private key takes up.
const longest = 512

// pattern is an expression that is compiled when it is first needed: programs that
// search no text start without it.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// patterns are those of the forms, each compiled when a text has one of its prefixes.
var patterns = sync.OnceValue(func() []func() *regexp.Regexp {
	out := make([]func() *regexp.Regexp, len(forms))
	for i, f := range forms {
		out[i] = pattern("^" + f.rest)
	}
	return out
})

// Find gives the credentials in a text, in the order in which they stand.
func Find(text []byte) []Finding { return numbered(text, findAll(text)) }

func findAll(text []byte) []Finding {
	found := slices.Concat(privateKeys(text), webTokens(text))
	for i, f := range forms {
		for _, prefix := range f.prefixes {
			found = append(found, findForm(text, f.kind, prefix, patterns()[i])...)
		}
	}
	return found
}

// FindOwn gives the API keys of this service in a text, and nothing else.
func FindOwn(text []byte) []Finding {
	return numbered(text, findForm(text, forms[ownKey].kind, forms[ownKey].prefixes[0], patterns()[ownKey]))
}

// findForm finds the credentials of one form that begin with one prefix.
func findForm(text []byte, kind, prefix string, rest func() *regexp.Regexp) []Finding {
	var found []Finding
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(prefix))
		if at < 0 {
			return found
		}
		start := from + at
		from = start + len(prefix)
		if joinedBefore(text[:start]) {
			continue // the end of a longer word
		}
		match := rest().Find(text[from:min(len(text), from+longest)])
		end := from + len(match)
		if match == nil || joinedAfter(text[end:]) || placeholder(match) {
			continue
		}
		found = append(found, Finding{Kind: kind, Start: start, End: end})
		from = end
	}
}

// escaped is a character at the end of a text as strings of programs and addresses
// write it.
var escaped = pattern(`(?:\\[nrt]|%[0-9A-Fa-f]{2})$`)

// joinedBefore says whether a word that follows a text goes on in it. Escaped
// characters and the marks of bold type are no part of a word.
func joinedBefore(text []byte) bool {
	if len(text) == 0 || !wordByte(text[len(text)-1]) {
		return false
	}
	return !bytes.HasSuffix(text, []byte("__")) && !escaped().Match(text[max(0, len(text)-3):])
}

// joinedAfter says whether a word before a text goes on in it.
func joinedAfter(text []byte) bool {
	if after, bold := bytes.CutPrefix(text, []byte("__")); bold {
		text = after
	}
	return len(text) > 0 && wordByte(text[0])
}

// numbered sorts findings, drops those inside others and says in which lines the rest
// begin.
func numbered(text []byte, found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Start - b.Start })
	out := found[:0]
	line, counted, end := 1, 0, 0
	for _, f := range found {
		if f.Start < end {
			continue
		}
		line += bytes.Count(text[counted:f.Start], []byte("\n"))
		counted, end, f.Line = f.Start, f.End, line
		out = append(out, f)
	}
	return out
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// placeholder says whether somebody wrote something in the form of a credential
// that is none: few different characters, one many times in a row, or the word
// "example".
func placeholder(match []byte) bool {
	const fewest, longestRun = 8, 8
	var seen [256]bool
	different, run := 0, 0
	for i, c := range match {
		if !seen[c] {
			seen[c] = true
			different++
		}
		if i == 0 || c != match[i-1] {
			run = 0
		}
		if run++; run == longestRun {
			return true
		}
	}
	return different < fewest || bytes.Contains(bytes.ToLower(match), []byte("example"))
}
