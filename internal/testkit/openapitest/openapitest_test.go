package openapitest_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/openapitest"
	"github.com/bundle-delivery/svc/internal/web/api/openapi"
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
