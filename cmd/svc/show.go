package main

import (
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// showPlan prints what a pull would do.
func showPlan(a *app, plan *workdir.Plan, opts pullOptions) error {
	if a.asJSON {
		return a.printJSON(plan.Log)
	}
	if opts.diff {
		if err := showDiff(a, plan); err != nil {
			return err
		}
	} else if err := showActions(a, plan); err != nil {
		return err
	}
	if home := plan.HomeFiles(); len(home) > 0 && !opts.allowGlobal {
		a.note("The pull will ask before it changes %s in your home folder.", count(len(home), "file"))
	}
	a.note("Nothing was written. This is what %s will do.", pullCommandLine(a, plan.Log.BundleID, opts))
	return nil
}

// pullCommandLine is the command that does what a look with these flags showed.
// The key is not repeated: what is on a screen is soon elsewhere.
func pullCommandLine(a *app, id string, opts pullOptions) string {
	line := commandLine{"svc", "pull", id}
	if opts.onConflict != string(workdir.ConflictKeep) {
		line.value("--on-conflict", opts.onConflict)
	}
	line.flag("--allow-global", opts.allowGlobal)
	line.flag("--insecure-unsigned", opts.unsigned)
	line.value("--api-url", a.apiURL)
	line.value("--ca-file", a.caFile)
	line.flag("--api-key <API_KEY>", a.apiKey != "")
	return strings.Join(line, " ")
}

// commandLine is a command for the user to run.
type commandLine []string

func (l *commandLine) flag(name string, set bool) {
	if set {
		*l = append(*l, name)
	}
}

func (l *commandLine) value(flag, value string) {
	if value != "" {
		*l = append(*l, flag, printable.ShellWord(printable.Line(value)))
	}
}

func actionColour(action workdir.Action) string {
	switch action {
	case workdir.Create:
		return green
	case workdir.Replace:
		return yellow
	case workdir.Merge:
		return cyan
	case workdir.Delete:
		return red
	case workdir.Keep:
	}
	return ""
}

func showActions(a *app, plan *workdir.Plan) error {
	for i, f := range plan.Files {
		if i == a.brief(len(plan.Files)) {
			if err := a.print("%s\n", a.more(len(plan.Files)-i, "file")); err != nil {
				return err
			}
			break
		}
		verb := a.term.paint(actionColour(f.Action), fmt.Sprintf("%-*s", stepIndent-1, f.Action))
		var conflicts shown
		if n := len(f.Conflicts); n > 0 {
			conflicts = a.term.paint(red, " ("+count(n, "conflict")+")")
		}
		if err := a.print("%s %s%s\n", verb, f.Name(), conflicts); err != nil {
			return err
		}
	}
	for _, e := range plan.Log.Entries {
		if e.Type == workdir.PortConflictResolved {
			if err := a.print("%-*s %s: %d -> %d%s\n", stepIndent-1, "port", e.Name, e.From, e.To, because(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// showDiff prints the lines that change.
func showDiff(a *app, plan *workdir.Plan) error {
	for _, c := range plan.Changes() {
		diff, err := c.Unified()
		if err == nil {
			err = a.print("%s", colourDiff(a, diff))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// colourDiff shows a diff, on a terminal with colours.
func colourDiff(a *app, diff string) shown {
	diff = printable.Text(diff)
	if !a.term.colour || !a.term.outTTY {
		return shown(diff)
	}
	var out strings.Builder
	for line := range strings.Lines(diff) {
		text, end := strings.TrimSuffix(line, "\n"), line[len(strings.TrimSuffix(line, "\n")):]
		colour := ""
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			colour = bold
		case strings.HasPrefix(text, "@@"):
			colour = cyan
		case strings.HasPrefix(text, "+"):
			colour = green
		case strings.HasPrefix(text, "-"):
			colour = red
		}
		if colour != "" {
			text = string(a.term.coloured(true, colour, text))
		}
		out.WriteString(text + end)
	}
	return shown(out.String())
}

// summarise prints what a pull did.
func summarise(a *app, plan *workdir.Plan, log workdir.Log) error {
	did, conflicts, beside := map[workdir.Action]int{}, 0, false
	for _, f := range plan.Files {
		if f.Action == workdir.Keep && len(f.Conflicts) > 0 {
			conflicts++
		} else {
			did[f.Action]++
		}
	}
	for _, e := range log.Entries {
		if e.Type == workdir.PortConflictResolved {
			a.warn("Port %s is %d here instead of %d%s.", e.Name, e.To, e.From, because(e))
		}
		if e.Type == workdir.FileWritten && workdir.IsBeside(e.Path) {
			a.warn("The incoming text is beside your file: %s", e.Path)
			beside = true
		}
	}
	var done tally
	done.add(did[workdir.Create], "%d created")
	done.add(did[workdir.Replace], "%d replaced")
	done.add(did[workdir.Merge], "%d merged")
	done.add(did[workdir.Keep], "%d kept")
	done.add(did[workdir.Delete], "%d deleted")
	done.addCount(conflicts, "conflict")
	if a.verbose {
		if err := showActions(a, plan); err != nil {
			return err
		}
	}
	err := a.print("Bundle %s is applied: %s.\n", log.BundleID, done.or("it has no files"))
	if beside {
		a.note("Merge each %s into its file and delete it. Or take the pull back,\nsvc export %s, and pull that --on-conflict theirs.", workdir.NewSuffix, printable.ShellWord(log.ProjectID))
	}
	a.note("What was done, file by file: %s", workdir.LogName)
	a.note("To take it back: svc rollback %s", log.BundleID)
	return err
}

// because gives the reason why a port has its number, in brackets.
func because(e workdir.Entry) string {
	if e.Detail == "" {
		return ""
	}
	return " (" + e.Detail + ")"
}
