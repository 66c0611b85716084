// Package schema holds manifests against the published JSON Schema with a real
// validator. The server does so with every manifest that it writes, so that what
// it delivers is what it says it delivers. The client, which has to stay small,
// applies the same rules without the validator (bundlezip.ParseManifest).
package schema

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

const id = "urn:bundle-delivery:svc:manifest:v1"

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(bundlezip.Schema()))
	if err != nil {
		return nil, fmt.Errorf("read the manifest schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource(id, document); err != nil {
		return nil, fmt.Errorf("add the manifest schema: %w", err)
	}
	return c.Compile(id)
})

// noLoader keeps a schema from naming other documents, on disk or elsewhere.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the manifest schema stands alone, %s is not loaded", url)
}

// Validate says whether a manifest has the form that the schema demands.
func Validate(manifest []byte) error {
	schema, err := compiled()
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(manifest))
	if err != nil {
		return fmt.Errorf("the manifest is not JSON: %w", err)
	}
	if err := schema.Validate(document); err != nil {
		return fmt.Errorf("the manifest does not keep the schema: %w", err)
	}
	return nil
}
