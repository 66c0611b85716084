package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// ago says how long ago something was.
func ago(d time.Duration) string {
	if d < 10*time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

// left says how long something will last.
func left(d time.Duration) string {
	if d <= 0 {
		return "due now"
	}
	return span(nearest(d)) + " left"
}

// nearest rounds to the unit that span shows: what lasts a second less than 24 hours
// is 24 hours to a person.
func nearest(d time.Duration) time.Duration {
	switch {
	case d < time.Minute-time.Second/2:
		return max(d.Round(time.Second), time.Second)
	case d < time.Hour-time.Minute/2:
		return d.Round(time.Minute)
	case d < 48*time.Hour-time.Hour/2:
		return d.Round(time.Hour)
	}
	return d.Round(24 * time.Hour)
}

// wait says how long to wait: never less than it is.
func wait(d time.Duration) string {
	if d <= 2*time.Minute {
		return span(max((d + time.Second - 1).Truncate(time.Second), time.Second))
	}
	return span(d + time.Minute)
}

func span(d time.Duration) string {
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return strconv.Itoa(n) + " " + unit + "s"
	}
	switch {
	case d < time.Minute:
		return count(int(d.Seconds()), "second")
	case d < time.Hour:
		return count(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour")
	}
	return count(int(d.Hours()/24), "day")
}

func byteText(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// usdText shows cents of what is large, and more of what is small.
func usdText(v float64) string {
	if v == 0 || v >= 1 {
		return fmt.Sprintf("$%.2f", v)
	}
	return fmt.Sprintf("$%.4f", v)
}

// spentText is what a run has used, in a few words.
func spentText(c svc.Cost) string {
	return numberText(c.InputTokens+c.OutputTokens) + " tokens · " + usdText(c.EstimatedUSD)
}

// isProse says that a file is read as text, whose lines are as long as its window.
func isProse(path string) bool {
	ending := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
	return ending == "md" || ending == "txt"
}

// numberText separates thousands with narrow spaces.
func numberText(v any) string {
	digits := fmt.Sprint(v)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteString("\u202f")
		}
		b.WriteRune(c)
	}
	return b.String()
}

func planName(p svc.Plan) string {
	switch p {
	case svc.PlanHobby:
		return "Hobby"
	case svc.PlanDeveloper:
		return "Developer"
	case svc.PlanArchitectPro:
		return "Architect Pro"
	}
	return string(p)
}

// short gives the beginning of a long id, which is enough to tell two apart at a
// glance; the whole is one click away.
func short(id string) string {
	if len(id) > 16 {
		return id[:13] + "…"
	}
	return id
}

// stateName is the word for a state of a bundle or a run.
func stateName(state any) string {
	switch fmt.Sprint(state) {
	case string(svc.BundlePending):
		return "waiting"
	case skipped: // of checks; the script of the live view has the same words
		return "not tried"
	default:
		return strings.ReplaceAll(fmt.Sprint(state), "_", " ")
	}
}

// mergeName says how a file meets one that is there, where that is not as files
// usually do: keeping what both sides changed.
func mergeName(strategy bundlezip.MergeStrategy) string {
	switch strategy {
	case bundlezip.Overwrite:
		return "replaces yours"
	case bundlezip.CreateOnly:
		return "only if missing"
	case bundlezip.DeepMerge:
		return "adds settings"
	case bundlezip.EnvMerge:
		return "adds variables"
	case bundlezip.AppendUnique:
		return "adds lines"
	case bundlezip.ManagedBlock:
		return "replaces its own block"
	case bundlezip.ThreeWay:
	}
	return ""
}

// actionName is the word for what an engine is doing; the script of the live view
// has the same ones.
func actionName(action string) string {
	switch action {
	case "plan":
		return "planning"
	case "generate_file":
		return "writing"
	case "repair_file":
		return "repairing"
	case "validate":
		return "checking"
	case "finalize":
		return "packing"
	}
	return action
}
