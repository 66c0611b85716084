package values_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

var lexicon = words.Lexicon{
	Vocabulary: map[string]glossary.Meaning{"or": {Class: "join"}, "and": {Class: "join"}, "a": {Class: "stop"}},
	Tables: glossary.Tables("[rule unique]\nunique\n[rule optional]\nif known\n[rule default]\ndefault\n[rule least]\nat least\n[rule above]\nabove\n[rule out of]\nout of\n" +
		"[rule choice]\none of\n[rule or]\ncan be\n[rule range]\nfrom\n[rule example]\nlike\n[modal]\nmust be\n[modal may]\ncan be\n[modal not]\ncan't be\n[rule-behind above]\nover\n[rule-behind empty]\nblank\n[rule-behind given]\ngiven\n[bound-behind most]\nor less\n[bound-behind least]\nor more\n[type integer]\ninteger\n[type-behind]\ninteger\n" +
		"[between-numbers]\nto, or\n[unit string]\ncharacters\n[field string]\nname\n[field number]\nfee\n[bound]\nmaximum\n"),
}

func TestRulesAreReadAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		rules values.Rules
		kind  string
		words int
	}{
		"unique":                          {rules: values.Rules{Unique: true}, words: 1},
		"must be unique, name":            {rules: values.Rules{Unique: true}, words: 3},
		"must be a integer":               {kind: "integer", words: 4},
		"if known":                        {rules: values.Rules{Need: "optional"}, words: 2},
		"default in progress, name":       {rules: values.Rules{Default: "in progress"}, words: 3},
		"default 5 unique":                {rules: values.Rules{Default: "5"}, words: 2},
		"at least 20 characters":          {rules: values.Rules{Min: "20"}, kind: "string", words: 4},
		"above 0":                         {rules: values.Rules{Min: "+0"}, words: 2},
		"out of 100":                      {rules: values.Rules{Min: "0", Max: "100"}, words: 3},
		"from 1 to 5":                     {rules: values.Rules{Min: "1", Max: "5"}, words: 4},
		"0..1":                            {rules: values.Rules{Min: "0", Max: "1"}, words: 1},
		"1 or 2":                          {rules: values.Rules{Min: "1", Max: "2"}, words: 3},
		"1 or 7":                          {},
		"5-1":                             {},
		"at least some":                   {},
		"one of A+, A-, O+":               {rules: values.Rules{Choices: []string{"A+", "A-", "O+"}}, words: 7},
		"can be open, in transit or lost": {rules: values.Rules{Choices: []string{"open", "in transit", "lost"}}, words: 8},
		"open/shut":                       {rules: values.Rules{Choices: []string{"open", "shut"}}, words: 1},
		"can be open, closed":             {}, // where that ends is not told
		"one of open, closed, name":       {},
		"like 6a+":                        {words: 2},
		"name":                            {},
		"over 5":                          {},
		"must be over 5":                  {rules: values.Rules{Min: "+5"}, words: 4},
		"can't be over 5":                 {rules: values.Rules{Max: "5"}, words: 4},
		"can be over 5":                   {},
		"can't be blank":                  {rules: values.Rules{Need: "required"}, words: 3},
		"can be blank":                    {rules: values.Rules{Need: "optional"}, words: 3},
		"must be blank":                   {},
		"must be given":                   {rules: values.Rules{Need: "required"}, words: 3},
		"can't be unique":                 {},
		"can't be 5":                      {},
		"must be 20 characters or more":   {rules: values.Rules{Min: "20"}, kind: "string", words: 6},
		"5 or less":                       {rules: values.Rules{Max: "5"}, words: 3},
	} {
		var got values.Rules
		kind := ""
		if n := got.Said(words.In(text, lexicon), 0, &kind); n != want.words || kind != want.kind || !reflect.DeepEqual(got, want.rules) {
			t.Errorf("%q: %d words, %+v of kind %q", text, n, got, kind)
		}
	}
}

func TestRulesTellTheKindOfValues(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		rules     values.Rules
		kind      string
		sure      bool
		want      string
		wantsSure bool
	}{
		{values.Rules{Choices: []string{"a", "b"}}, values.Integer, true, values.Text, true},
		{values.Rules{Min: "1", Max: "10"}, values.Text, true, values.Integer, true},
		{values.Rules{Min: "1", Max: "10"}, values.Number, true, values.Number, true},
		{values.Rules{Default: "0.5"}, values.Text, false, values.Number, true},
		{values.Rules{Default: "true"}, values.Text, false, values.Truth, true},
		{values.Rules{}, values.Text, false, values.Text, false},
	} {
		if kind, sure := each.rules.Kind(each.kind, each.sure); kind != each.want || sure != each.wantsSure {
			t.Errorf("%+v: %s, %v", each, kind, sure)
		}
	}
}

func TestOnlyRulesThatAreCertainAreKept(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		kind   string
		rules  values.Rules
		want   values.Rules
		others string
	}{
		{values.Integer, values.Rules{Min: "+0", Max: "+5", Unique: true}, values.Rules{Min: "1", Max: "4"}, "unique"},
		{values.Number, values.Rules{Min: "+0", Need: "required"}, values.Rules{Need: "required"}, "above 0"},
		{values.Text, values.Rules{Min: "1", Max: "5"}, values.Rules{}, "1 to 5"},
		{values.Text, values.Rules{Max: "500", Default: "x"}, values.Rules{Max: "500", Default: "x"}, ""},
		{values.Number, values.Rules{Choices: []string{"33", "45"}, Default: "blue"}, values.Rules{}, "33 and 45; default blue"},
	} {
		if got, others := each.rules.Certain(each.kind); !reflect.DeepEqual(got, each.want) || strings.Join(others, "; ") != each.others {
			t.Errorf("%+v: %+v, %q", each.rules, got, others)
		}
	}
}

func TestNamesTellTheKindOfValues(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"number of seats": values.Integer,
		"name of owner":   values.Text,
		"per head":        values.Text, // nothing stands before it
		"tags":            values.Texts,
		"refundable":      values.Truth,
		"maximum of cars": values.Integer,
		"fees owed":       values.Number,
		"fee claimed":     values.Number,
	} {
		if kind, _ := values.Guess(lexicon, strings.Fields(name)); kind != want {
			t.Errorf("%s: %s, want %s", name, kind, want)
		}
	}
}
