package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	svc "github.com/bundle-delivery/svc"
)

// DecodeStrict reads a text that is one JSON object and nothing more into a struct.
// Names are those of the struct to the letter, each at most once; the text is UTF-8
// and stands for whole characters, and nothing in it is NUL, which not every store can
// keep. Anything else is refused with CodeInvalidRequest and the field at fault.
func DecodeStrict(text []byte, v any) error {
	if !utf8.Valid(text) {
		return svc.Invalid("body", "The body is not UTF-8.")
	}
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return notExpected(nil)
	}
	t := reflect.TypeOf(v).Elem()
	err := json.Unmarshal(text, v, json.RejectUnknownMembers(true))
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return semanticError(t, wrong)
	}
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return syntacticError(t, wrong, text)
	}
	if err != nil {
		return notExpected(err)
	}
	return refuseNUL(t, text)
}

func semanticError(t reflect.Type, wrong *json.SemanticError) error {
	field := fieldOf(t, wrong.JSONPointer)
	switch {
	case errors.Is(wrong, json.ErrUnknownName):
		return svc.Invalid(cmp.Or(field, "body"), "There is no field %q in this request.", wrong.JSONPointer.LastToken())
	case field == "":
		return notExpected(wrong)
	}
	kind := wrong.JSONKind.String()
	switch wrong.JSONKind {
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case 't', 'f':
		kind = "bool"
	case '0':
		kind = strings.TrimSpace(kind + " " + string(wrong.JSONValue))
	}
	return svc.Invalid(field, "%s cannot be a JSON %s.", field, kind)
}

func syntacticError(t reflect.Type, wrong *jsontext.SyntacticError, text []byte) error {
	if errors.Is(wrong, jsontext.ErrDuplicateName) {
		return svc.Invalid(cmp.Or(fieldOf(t, wrong.JSONPointer), "body"), "%q is given more than once.", wrong.JSONPointer.LastToken())
	}
	// In UTF-8, only an escape can stand for what is no character.
	if jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		return svc.Invalid("body", "The body holds half a character: a surrogate without its other half.")
	}
	return notExpected(wrong)
}

// refuseNUL returns an error when a string of valid JSON holds NUL, which can only be
// written as an escape.
func refuseNUL(t reflect.Type, text []byte) error {
	if !bytes.Contains(text, []byte(`\u0000`)) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return notExpected(err)
		}
		if token.Kind() == '"' && strings.Contains(token.String(), "\x00") {
			field := fieldOf(t, dec.StackPointer())
			return svc.Invalid(field, "%s holds a NUL character.", field)
		}
	}
}

// fieldOf returns the field of a t that a pointer leads to. What is inside a list or a
// map belongs to the field that holds the list or the map.
func fieldOf(t reflect.Type, at jsontext.Pointer) string {
	var names []string
	for name := range at.Tokens() {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Slice, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			names = append(names, name)
			if t = memberOf(t, name); t == nil {
				return strings.Join(names, ".")
			}
		}
	}
	return strings.Join(names, ".")
}

// memberOf returns the type of the field that a struct has under a name in JSON, or nil.
func memberOf(t reflect.Type, name string) reflect.Type {
	for f := range t.Fields() {
		if known, _, _ := strings.Cut(f.Tag.Get("json"), ","); known == name {
			return f.Type
		}
	}
	return nil
}

func notExpected(cause error) error {
	e := svc.Invalid("body", "The body is not the JSON object that is expected here.")
	e.Err = cause
	return e
}
