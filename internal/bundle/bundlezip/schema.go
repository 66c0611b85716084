package bundlezip

import (
	_ "embed" // the schema is a file of its own, because the server publishes it
	"slices"
)

//go:embed manifest.v1.schema.json
var schemaText []byte

// Schema gives the JSON Schema (2020-12) of the manifest, for people and other
// programs. It says as much of Manifest.Check as a schema can; a test holds the
// two equal.
func Schema() []byte { return slices.Clone(schemaText) }
