package openapitest_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/api/openapi"
	"github.com/bundle-delivery/svc/internal/api/openapi/openapitest"
)

// Promise: openapi-agrees
func TestDocumentIsValidOpenAPI31(t *testing.T) {
	document, err := openapi.Document("https://svc.example.org/base")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openapitest.New(document); err != nil {
		t.Fatal(err)
	}
}
