package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [<command>]",
		Short: "Print usage for a command",
		Long:  "Prints usage for a command, or for svc as a whole.",
		Example: `  svc help
  svc help pull
  svc pull --help   # the same`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if about, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, sub := range about.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = noSuchCommand(about, rest)
			}
			if err != nil {
				return usage(cmd.Root(), err)
			}
			return about.Help()
		},
	}
}

// noSuchCommand accepts no argument, takes one for the name of a command, and says which
// ones are like it.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	like := slices.Compact(cmd.SuggestionsFor(args[0]))
	if len(like) == 0 {
		return fmt.Errorf("unknown command %q", args[0])
	}
	for i, name := range like {
		like[i] = cmd.CommandPath() + " " + name
	}
	return fmt.Errorf("unknown command %q (did you mean %s?)", args[0], strings.Join(like, " or "))
}
