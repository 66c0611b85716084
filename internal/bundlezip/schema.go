package bundlezip

import (
	"bytes"
	_ "embed" // the schema is a file of its own, because the server publishes it
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed manifest.v1.schema.json
var schemaText []byte

const schemaID = "urn:bundle-delivery:svc:manifest:v1"

// Schema gives the JSON Schema (2020-12) of the manifest.
func Schema() []byte { return slices.Clone(schemaText) }

// compiledSchema is compiled when first asked for: a client that only prints
// its version should not pay for it.
var compiledSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return nil, fmt.Errorf("read the manifest schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource(schemaID, document); err != nil {
		return nil, fmt.Errorf("add the manifest schema: %w", err)
	}
	return c.Compile(schemaID)
})

// noLoader keeps a schema from naming other documents, on disk or elsewhere.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the manifest schema stands alone, %s is not loaded", url)
}

// checkSchema validates a decoded document; numbers are json.Number.
func checkSchema(document any) error {
	schema, err := compiledSchema()
	if err != nil {
		return err
	}
	err = schema.Validate(document)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return &ManifestError{Err: err}
	}
	// One cause at its root says more to a person than the tree above it.
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	reason := invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	field := ""
	for _, step := range invalid.InstanceLocation {
		field += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
	}
	return badManifest(field, "%s", reason)
}
