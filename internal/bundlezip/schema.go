package bundlezip

import (
	"bytes"
	"cmp"
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
	// One cause at its root says more to a person than the tree above it. The
	// validator reports in no certain order, so the first by place is taken.
	var findings []*ManifestError
	printer := message.NewPrinter(language.English)
	var collect func(*jsonschema.ValidationError)
	collect = func(cause *jsonschema.ValidationError) {
		for _, deeper := range cause.Causes {
			collect(deeper)
		}
		if len(cause.Causes) == 0 {
			reason := cause.ErrorKind.LocalizedString(printer)
			findings = append(findings, &ManifestError{Field: pointer(cause.InstanceLocation), Err: errors.New(reason)})
		}
	}
	collect(invalid)
	return slices.MinFunc(findings, func(a, b *ManifestError) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Err.Error(), b.Err.Error()))
	})
}

// pointer gives a JSON pointer.
func pointer(steps []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var p strings.Builder
	for _, step := range steps {
		p.WriteString("/" + escape.Replace(step))
	}
	return p.String()
}
