package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// notices are made by deploy/release/notices.
//
//go:embed NOTICES.txt
var notices string

func newLicensesCommand(std Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Print the licences of everything in this program",
		Example: "  svcd licenses | less",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(std.Out, notices)
			return err
		},
	}
}
