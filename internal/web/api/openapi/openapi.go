// Package openapi holds the description of the interface, which the server
// publishes and the tests hold against every real answer. It is written by hand:
// a description that is generated from the code describes whatever the code does.
package openapi

import (
	"bytes"
	_ "embed" // the document is a file of its own
	"encoding/json"
	"fmt"
)

//go:embed openapi.json
var document []byte

// placeholder is the address in the document, which is nobody's.
const placeholder = "https://svc.example"

// Document gives the OpenAPI document of a server with this address.
func Document(baseURL string) ([]byte, error) {
	quoted, err := json.Marshal(baseURL)
	if err != nil {
		return nil, fmt.Errorf("write the address into the OpenAPI document: %w", err)
	}
	return bytes.Replace(document, []byte(`"`+placeholder+`"`), quoted, 1), nil
}
