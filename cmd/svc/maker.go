package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

func newShowCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [<bundle-id>]",
		Short: "Say who made a bundle: which service, which engine and model, which checks",
		Long: `Says who made a bundle, by its attestation, once that is verified: of the bundle
that the last pull brought here, without the network, or of one that is named, also
after it was acknowledged.`,
		Example: `  svc show
  svc show 01890a5d-ac96-774b-bcce-b302099a8057
  svc show --json`,
		Args: optional("name one bundle id, or none for the last pull"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := optionalBundleID(args)
			if err != nil {
				return err
			}
			return runShow(cmd.Context(), a, id)
		},
	}
	a.addJSONFlag(cmd, "print one JSON object")
	return cmd
}

func runShow(ctx context.Context, a *app, id string) error {
	made, err := makerOf(ctx, a, id)
	if err != nil {
		return err
	}
	return a.result(viewMaker(made), func() error { return showMaker(a, made) })
}

// makerOf returns what is stated about a bundle, or about the one that the last pull
// brought here, verified.
func makerOf(ctx context.Context, a *app, id string) (made provenance.Provenance, err error) {
	if id != "" {
		return a.session(nil).Provenance(ctx, id)
	}
	err = a.inFolder(func(folder *workdir.Folder) error {
		made, err = a.session(folder).KeptProvenance()
		return err
	})
	switch {
	case errors.Is(err, workdir.ErrNoLog):
		err = fmt.Errorf("%w; run svc in the folder of the pull, or name a bundle", err)
	case errors.Is(err, pull.ErrUnsigned):
		err = errors.New("who made this is not known: the last pull kept no attestation, or its log was not written by your svc")
	}
	return made, err
}

// showMaker prints three lines.
func showMaker(a *app, p provenance.Provenance) error {
	return a.print("service: %s (svcd %s), %s\nmade by: %s\nchecks:  %s\n",
		p.Service, p.Version, p.MadeAt.UTC().Format(time.RFC3339), madeBy(p), checkSummary(p.Files.Validation))
}

func madeBy(p provenance.Provenance) string {
	var by string
	switch p.Files.Origin {
	case svc.OriginRun:
		by = "engine " + p.Files.Engine
		if p.Files.Model != "" && p.Files.Model != p.Files.Engine {
			by += ", model " + p.Files.Model
		}
		by += ", run " + p.Files.Run
	case svc.OriginImport:
		by = "an import of the operator's"
	case svc.OriginPush:
		by = "a push on state " + p.Files.Base
	default:
		by = "not written down"
	}
	if p.Origin != p.Files.Origin {
		by += " (" + string(p.Origin) + ")"
	}
	return by
}

func checkSummary(v *svc.Validation) string {
	if v == nil {
		return "none"
	}
	if len(v.Checks) == 0 {
		return v.Status
	}
	var names []string
	for _, c := range v.Checks {
		name := c.Check
		if c.Status != v.Status {
			name += " " + c.Status
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%s: %s", v.Status, strings.Join(names, ", "))
}

// makerView is what svc show --json prints.
type makerView struct {
	BundleID   string          `json:"bundle_id"`
	ProjectID  string          `json:"project_id"`
	SHA256     string          `json:"sha256"`
	Service    string          `json:"service"`
	Version    string          `json:"version"`
	MadeAt     string          `json:"made_at"`
	Origin     svc.Origin      `json:"origin"`
	Files      svc.Origin      `json:"files_origin,omitempty"`
	Engine     string          `json:"engine,omitempty"`
	Model      string          `json:"model,omitempty"`
	Run        string          `json:"run,omitempty"`
	Base       string          `json:"base_state,omitempty"`
	Validation *svc.Validation `json:"validation"`
}

func viewMaker(p provenance.Provenance) makerView {
	return makerView{
		BundleID: p.Bundle, ProjectID: p.Project, SHA256: fmt.Sprintf("%x", p.Archive), Service: p.Service, Version: p.Version,
		MadeAt: p.MadeAt.UTC().Format(time.RFC3339), Origin: p.Origin, Files: p.Files.Origin, Engine: p.Files.Engine, Model: p.Files.Model,
		Run: p.Files.Run, Base: p.Files.Base, Validation: p.Files.Validation,
	}
}
