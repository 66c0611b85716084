package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir"
)

func newStatusCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status <bundle-id>",
		Short: "Show where a bundle stands",
		Long: `Asks the service for a bundle and prints its id, status, number of files and
creation time. A bundle that was downloaded or has expired is shown as well.`,
		Example: `  svc status 01890a5d-ac96-774b-bcce-b302099a8057
  svc status --json 01890a5d-ac96-774b-bcce-b302099a8057`,
		Args:              one("name one bundle id: svc status <bundle-id>"),
		ValidArgsFunction: completeBundles(a, ""),
		RunE:              func(cmd *cobra.Command, args []string) error { return runStatus(a, cmd, args[0]) },
	}
	a.addJSONFlag(cmd, "print one JSON object")
	return cmd
}

func runStatus(a *app, cmd *cobra.Command, id string) error {
	id, err := bundleID(id)
	if err != nil {
		return err
	}
	warnOfInterruption(a)
	c, err := a.client()
	if err != nil {
		return err
	}
	b, err := c.Bundle(cmd.Context(), id)
	if err != nil && b.ID == "" { // a bundle that is gone comes with its record
		return err
	}
	return a.result(b, func() error {
		return a.print("bundle_id: %s\nstatus: %s\nfile_count: %d\ncreated_at: %s\n", b.ID, b.Status, b.FileCount, svc.FormatTime(b.CreatedAt))
	})
}

// bundleID checks an argument.
func bundleID(text string) (string, error) {
	id := strings.ToLower(text)
	if !workdir.IsBundleID(id) {
		return "", fmt.Errorf("%q is not a bundle id; it looks like 01890a5d-ac96-774b-bcce-b302099a8057, see svc list", text)
	}
	return id, nil
}

// optionalBundleID checks an argument that may be left out.
func optionalBundleID(args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	return bundleID(args[0])
}

// addJSONFlag adds --json, which result obeys.
func (a *app) addJSONFlag(cmd *cobra.Command, about string) {
	cmd.Flags().BoolVar(&a.asJSON, "json", false, about)
}

// result prints a value as JSON, or else as a text.
func (a *app) result(v any, text func() error) error {
	if a.asJSON {
		return a.printJSON(v)
	}
	return text()
}

func (a *app) printJSON(v any) error {
	return a.encodeJSON(v, "  ")
}

// encodeJSON prints a value with this indentation; without one, in a line.
func (a *app) encodeJSON(v any, indent string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.Out.Write(printable.JSON(text.Bytes()))
	return err
}
