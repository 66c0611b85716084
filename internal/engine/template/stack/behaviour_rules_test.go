package stack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// checkNone leaves out the value of a field in every way.
func (a *api) checkNone(r stack.Record, f stack.Field) {
	a.t.Helper()
	nothing := []any{absent, nil}
	if !slices.Contains([]string{spec.Integer, spec.Number, spec.Boolean, spec.Money}, f.Kind) { // a text in JSON
		nothing = append(nothing, "", " \t")
	}
	for _, none := range nothing {
		body := with(a.good(r), f.Column, none)
		switch {
		case f.HasDefault:
			made := a.object("POST", path(r), body, 201)
			want := object{}
			if err := json.Unmarshal([]byte(`{"v": `+f.JSON(f.Default)+`}`), &want); err != nil || fmt.Sprint(made[f.Column]) != fmt.Sprint(want["v"]) {
				a.t.Errorf("the default of %s is %v, want %s", f.Column, made[f.Column], f.JSON(f.Default))
			}
			at := fmt.Sprint(path(r), "/", made["id"])
			if f.Required {
				a.refused("PUT", at, body, f.Column)
			} else if got := a.object("PUT", at, body, 200); got[f.Column] != nil {
				a.t.Errorf("a replaced record has the default %v of %s again", got[f.Column], f.Column)
			}
		case f.Required:
			a.refused("POST", path(r), body, f.Column)
		default:
			made := a.object("POST", path(r), body, 201)
			if value, ok := made[f.Column]; !ok || value != nil {
				a.t.Errorf("%s = %v, want null", f.Column, value)
			}
			if kept := a.object("GET", fmt.Sprint(path(r), "/", made["id"]), nil, 200); kept[f.Column] != nil {
				a.t.Errorf("%s is stored as %v, want null", f.Column, kept[f.Column])
			}
		}
	}
}

// refused expects 422 with the name of the field.
func (a *api) refused(method, at string, body object, column string) {
	a.t.Helper()
	if _, text := a.ask(method, at, body, 422); !strings.Contains(text, column) {
		a.t.Errorf("%s %s with %s = %v: the error does not name the field: %s", method, at, column, body[column], text)
	}
}

// accepted expects a value in the answer, and when it is read again.
func (a *api) accepted(r stack.Record, f stack.Field, sent, want any) {
	a.t.Helper()
	body := with(a.good(r), f.Column, sent)
	made := a.object("POST", path(r), body, 201)
	kept := a.object("GET", fmt.Sprint(path(r), "/", made["id"]), nil, 200)
	if !equal(f, made[f.Column], want) || !equal(f, kept[f.Column], want) {
		a.t.Errorf("%s: sent %v, got %v and %v, want %v", f.Column, sent, made[f.Column], kept[f.Column], want)
	}
	a.ask("DELETE", fmt.Sprint(path(r), "/", made["id"]), nil, 204) // a unique value is free again
}

// equal compares values of a field; 1 and 1.0 are the same number.
func equal(f stack.Field, got, want any) bool {
	x, y := fmt.Sprint(got), fmt.Sprint(want)
	if f.Kind != spec.Number {
		return x == y
	}
	a, err := strconv.ParseFloat(x, 64)
	b, _ := strconv.ParseFloat(y, 64)
	return err == nil && a == b
}

// checkBounds sends values at the bounds of a field and beyond them.
func (a *api) checkBounds(r stack.Record, f stack.Field) {
	a.t.Helper()
	if f.To != "" || len(f.Choices) > 0 {
		return
	}
	for i, bound := range []string{f.Min, f.Max} {
		beyond := float64(2*i - 1)
		switch n, err := strconv.ParseFloat(bound, 64); {
		case f.Kind == spec.String || f.Kind == spec.Text:
			most := map[string]int{spec.String: 200, spec.Text: 10_000}[f.Kind]
			if err == nil {
				most = int(n)
			} else if i == 0 {
				most = 1
			}
			a.accepted(r, f, strings.Repeat("ä", most), strings.Repeat("ä", most))
			if most+int(beyond) > 0 {
				a.refused("POST", path(r), with(a.good(r), f.Column, strings.Repeat("ä", most+int(beyond))), f.Column)
			}
		case bound == "":
		case f.Kind == spec.Date:
			a.accepted(r, f, bound, bound)
			a.refused("POST", path(r), with(a.good(r), f.Column, []string{"0999-12-31", "9999-01-01"}[i]), f.Column)
		case f.Kind == spec.Money:
			a.accepted(r, f, bound, strconv.FormatFloat(n, 'f', 2, 64))
			a.refused("POST", path(r), with(a.good(r), f.Column, strconv.FormatFloat(n+beyond/100, 'f', 2, 64)), f.Column)
		case f.Kind == spec.Integer || f.Kind == spec.Number:
			a.accepted(r, f, raw(bound), bound)
			a.refused("POST", path(r), with(a.good(r), f.Column, n+beyond), f.Column)
		}
	}
}

// kindCase is a value that is sent and what answers have for it; nil: 422.
type kindCase struct{ sent, want any }

// kindCases are good and bad values of each kind, for fields without rules.
var kindCases = map[string][]kindCase{
	spec.String: {
		{"one line", "one line"},
		{`"; DROP TABLE notes; --' \`, `"; DROP TABLE notes; --' \`},
		{"<b>&amp;</b>\u2028", "<b>&amp;</b>\u2028"},
		{"😀", "😀"},
		{"two\nlines", nil},
		{"two\rlines", nil},
		{"nul\x00", nil},
		{5, nil},
		{true, nil},
		{[]string{"a"}, nil},
		{object{}, nil},
	},
	spec.Text:    {{"two\nlines", "two\nlines"}, {" kept ", " kept "}, {"nul\x00", nil}, {5, nil}},
	spec.Integer: {{0, "0"}, {-7, "-7"}, {raw("9007199254740991"), "9007199254740991"}, {raw("9007199254740992"), nil}, {1.5, nil}, {"1", nil}, {true, nil}, {raw("1e400"), nil}},
	spec.Number:  {{0, "0"}, {-1.25, "-1.25"}, {0.1, "0.1"}, {"1", nil}, {false, nil}, {raw("1e400"), nil}},
	spec.Money: {
		{"12.5", "12.50"},
		{"12", "12.00"},
		{raw("12.5"), "12.50"},
		{raw("12"), "12.00"},
		{raw("0.1"), "0.10"},
		{"0.29", "0.29"},
		{raw("1.10"), "1.10"},
		{raw("19.99"), "19.99"},
		{"9007199254740.93", "9007199254740.93"},
		{raw("9007199254740.93"), "9007199254740.93"},
		{"-0", "0.00"},
		{"12.345", nil},
		{raw("12.345"), nil},
		{"1e2", nil},
		{"12,50", nil},
		{"1.", nil},
		{".5", nil},
		{"+1", nil},
		{" 1", nil},
		{"twelve", nil},
		{true, nil},
		{"99999999999999999999", nil},
	},
	spec.Boolean: {{true, true}, {false, false}, {"true", nil}, {1, nil}, {0, nil}},
	spec.Date: {
		{"2024-02-29", "2024-02-29"}, {"2026-02-29", nil}, {"2026-13-01", nil}, {"2026-1-31", nil}, {"31.01.2026", nil}, {"20260131", nil}, {"2026-01-31T00:00:00Z", nil}, {"banana", nil}, {20260131, nil},
	},
	spec.DateTime: {
		{"2026-01-31T09:30:00Z", "2026-01-31T09:30:00Z"},
		{"2026-01-31T01:30:00+02:00", "2026-01-30T23:30:00Z"},
		{"2026-01-31T09:30:00.25Z", "2026-01-31T09:30:00.250Z"},
		{"2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00Z"},
		{"2026-02-30T09:30:00Z", nil},
		{"2026-01-31", nil},
		{"2026-01-31T09:30:00", nil},
		{"2026-01-31 09:30:00Z", nil},
		{"2026-01-31T25:30:00Z", nil},
		{"banana", nil},
		{1, nil},
	},
	spec.Email: {{"Ann.Lee+x@mail.example.org", "Ann.Lee+x@mail.example.org"}, {"ann", nil}, {"ann@", nil}, {"@example.com", nil}, {"a b@example.com", nil}, {"a@b@example.com", nil}, {"ann@host", nil}, {5, nil}},
	spec.URL:   {{"http://a.example:8080/x?y=1#z", "http://a.example:8080/x?y=1#z"}, {"example.com", nil}, {"ftp://example.com", nil}, {"https://", nil}, {"https:///x", nil}, {"javascript:alert(1)", nil}, {"https://a b", nil}, {5, nil}},
	spec.UUID:  {{"0189F7EA-0000-7000-8000-00000000000a", "0189f7ea-0000-7000-8000-00000000000a"}, {"0189f7ea00007000800000000000000a", nil}, {"0189f7ea-0000-7000-8000-00000000000g", nil}, {5, nil}},
}

func (a *api) checkKind(r stack.Record, f stack.Field) {
	a.t.Helper()
	for _, choice := range f.Choices {
		a.accepted(r, f, raw(f.JSON(choice)), choice)
	}
	if len(f.Choices) > 0 {
		a.refused("POST", path(r), with(a.good(r), f.Column, "?"), f.Column)
		a.refused("POST", path(r), with(a.good(r), f.Column, 77), f.Column)
		return
	}
	for _, c := range kindCases[f.Kind] {
		switch {
		case c.want == nil:
			a.refused("POST", path(r), with(a.good(r), f.Column, c.sent), f.Column)
		case f.Min+f.Max == "":
			a.accepted(r, f, c.sent, c.want)
		}
	}
}

func (a *api) checkUnique(r stack.Record, f stack.Field) {
	a.t.Helper()
	first, other, third := a.create(r), a.create(r), a.good(r)
	taken := with(third, f.Column, first[f.Column])
	at := func(o object) string { return fmt.Sprint(path(r), "/", o["id"]) }
	for method, where := range map[string]string{"POST": path(r), "PUT": at(other)} {
		if _, text := a.ask(method, where, taken, 409); !strings.Contains(text, f.Column) {
			a.t.Errorf("the error does not name %s: %s", f.Column, text)
		}
	}
	if kept := a.object("GET", at(other), nil, 200); kept[f.Column] != nil && fmt.Sprint(kept[f.Column]) != fmt.Sprint(other[f.Column]) {
		a.t.Errorf("a refused request changed %s", f.Column)
	}
	a.ask("PUT", at(first), taken, 200)
	a.ask("DELETE", at(first), nil, 204)
	a.ask("POST", path(r), taken, 201)
	// Any number of requests at the same time get one value once.
	data, err := json.Marshal(with(a.good(r), f.Column, raw(f.Sample(9000))))
	if err != nil {
		a.t.Fatal(err)
	}
	answers := make(chan int, 8)
	for range 8 {
		go func() {
			req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.base+path(r), bytes.NewReader(data))
			if err != nil {
				answers <- 0
				return
			}
			req.Header.Set("Authorization", "Bearer "+a.token)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				answers <- 0
				return
			}
			_ = resp.Body.Close()
			answers <- resp.StatusCode
		}()
	}
	count := map[int]int{}
	for range 8 {
		count[<-answers]++
	}
	if count[201] != 1 || count[409] != 7 {
		a.t.Errorf("eight requests for the same %s were answered %v", f.Column, count)
	}
}

func (a *api) checkReference(r stack.Record, f stack.Field) {
	a.t.Helper()
	target := a.create(a.record(f.Target))
	at := fmt.Sprint("/", f.Target, "/", target["id"])
	body := with(a.good(r), f.Column, target["id"])
	made := a.object("POST", path(r), body, 201)
	if made[f.Column] != target["id"] {
		a.t.Errorf("%s = %v, want %v", f.Column, made[f.Column], target["id"])
	}
	own := fmt.Sprint(path(r), "/", made["id"])
	for _, bad := range []any{"nobody", 5, "nul\x00"} {
		lost := with(a.good(r), f.Column, bad)
		a.ask("POST", path(r), lost, 422)
		a.ask("PUT", own, lost, 422)
	}
	if got := a.object("GET", own, nil, 200); got[f.Column] != target["id"] {
		a.t.Errorf("a refused request changed %s", f.Column)
	}
	a.ask("DELETE", at, nil, 409)
	a.ask("GET", at, nil, 200)
	a.ask("DELETE", own, nil, 204)
	a.ask("DELETE", at, nil, 204)
	if f.Target == r.Plural { // a record may refer to itself, and be deleted
		self := a.create(r)
		at := fmt.Sprint(path(r), "/", self["id"])
		a.ask("PUT", at, with(self, f.Column, self["id"]), 200)
		a.ask("DELETE", at, nil, 204)
	}
}
