package main

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// notices are made by deploy/release/notices.
//
//go:embed NOTICES.txt
var notices string

func newLicensesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Print the licences of everything in this program",
		Example: "  svc licenses | less",
		Args:    none,
		RunE:    func(*cobra.Command, []string) error { return a.print("%s", shown(notices)) },
	}
}
