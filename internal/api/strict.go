package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
)

// DecodeStrict reads a text that is one JSON object and nothing more into a struct.
// Names are those of the struct to the letter, each at most once; the text is UTF-8
// and stands for whole characters, and nothing in it is NUL, which not every store can
// keep. Whatever else it is, is refused with CodeInvalidRequest and the field at fault.
func DecodeStrict(text []byte, v any) error {
	if !utf8.Valid(text) {
		return invalidField("body", "The body is not UTF-8.")
	}
	if !json.Valid(text) || !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return invalidField("body", "The body is not the JSON object that is expected here.")
	}
	if hasHalves(text) {
		return invalidField("body", "The body holds half a character: a surrogate without its other half.")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := checkStrict(dec, reflect.TypeOf(v).Elem(), ""); err != nil {
		return err
	}
	err := json.Unmarshal(text, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return invalidField(wrong.Field, "%s cannot be a JSON %s.", wrong.Field, wrong.Value)
	}
	if err != nil {
		e := invalidField("body", "The body is not the JSON object that is expected here.")
		e.Err = err
		return e
	}
	return nil
}

// hasHalves says whether an escape in valid JSON stands for half a character. Such
// halves encoding/json replaces without a word.
func hasHalves(text []byte) bool {
	open := false // the first half of a character was the last thing
	for i := 0; i < len(text); i++ {
		unit := uint64(0) // of UTF-16
		if text[i] == '\\' {
			if i++; text[i] == 'u' {
				unit, _ = strconv.ParseUint(string(text[i+1:i+5]), 16, 16) // it is valid
				i += 4
			}
		}
		if closes := unit >= 0xdc00 && unit <= 0xdfff; closes != open {
			return true
		}
		open = unit >= 0xd800 && unit <= 0xdbff
	}
	return false
}

// checkStrict walks through a value of valid JSON that is to become a t, and looks
// at what encoding/json lets pass. field is where it stands.
func checkStrict(dec *json.Decoder, t reflect.Type, field string) error {
	token, err := dec.Token()
	if err != nil {
		return invalidField("body", "The body cannot be read.")
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch token := token.(type) {
	case string:
		if strings.Contains(token, "\x00") {
			return invalidField(field, "%s holds a NUL character.", field)
		}
	case json.Delim:
		for seen := map[string]bool{}; dec.More(); {
			inner, at := t, field
			switch {
			case token == '{':
				if inner, at, err = checkName(dec, t, field, seen); err != nil {
					return err
				}
			case t.Kind() == reflect.Slice:
				inner = t.Elem()
			}
			if err := checkStrict(dec, inner, at); err != nil {
				return err
			}
		}
		_, err = dec.Token() // its end
	}
	return err
}

// checkName reads the next name of an object and gives the type and the field of
// its value.
func checkName(dec *json.Decoder, t reflect.Type, field string, seen map[string]bool) (reflect.Type, string, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, "", invalidField("body", "The body cannot be read.")
	}
	name, _ := token.(string)
	at, inner := field, t
	switch t.Kind() {
	case reflect.Struct:
		if at = name; field != "" {
			at = field + "." + name
		}
		if inner = memberOf(t, name); inner == nil {
			return nil, "", invalidField(cmp.Or(at, "body"), "There is no field %q in this request.", name)
		}
	case reflect.Map:
		inner = t.Elem()
	}
	if seen[name] {
		return nil, "", invalidField(at, "%q is given more than once.", name)
	}
	if strings.Contains(name, "\x00") {
		return nil, "", invalidField(at, "%s holds a NUL character.", at)
	}
	seen[name] = true
	return inner, at, nil
}

// memberOf is the type of the field that a struct has under a name in JSON, or nil.
func memberOf(t reflect.Type, name string) reflect.Type {
	for f := range t.Fields() {
		if known, _, _ := strings.Cut(f.Tag.Get("json"), ","); known == name {
			return f.Type
		}
	}
	return nil
}

func invalidField(field, format string, args ...any) *svc.Error {
	e := svc.Errorf(svc.CodeInvalidRequest, format, args...)
	e.Field = field
	return e
}
