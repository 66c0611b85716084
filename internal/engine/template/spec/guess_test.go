package spec_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Other words would change stored specs, which leave out the kind of a string.
func TestNamesThatTellAKind(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"price": spec.Money, "Unit Price": spec.Money, "price tag": spec.String, "pages": spec.Integer, "rating": spec.Number,
		"done": spec.Boolean, "is paid": spec.Boolean, "has-lid": spec.Boolean, "can_fly at": spec.Boolean, "is": spec.String, "amount paid": spec.Money, "date published": spec.Date, "rent paid": spec.Boolean, "isbn": spec.String,
		"due date": spec.Date, "published at": spec.DateTime, "at": spec.String, "flat": spec.String, "timestamp": spec.DateTime,
		"email": spec.Email, "work email": spec.Email, "mail": spec.Email, "e-mail": spec.Email, "junk mail": spec.String,
		"url": spec.URL, "uuid": spec.UUID, "text": spec.Text, "title": spec.String,
	} {
		s, _, err := spec.Spec{Records: []spec.Record{{Noun: "x", Fields: []spec.Field{{Name: name}}}}}.Complete()
		if err != nil || s.Records[0].Fields[0].Kind != want {
			t.Errorf("%s: %v, %v, want %s", name, s.Records, err, want)
		}
	}
}
