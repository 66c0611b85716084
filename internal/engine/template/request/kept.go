package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/engine/template/tool"
)

// unkept gives what a tool would keep records of, though nobody writes them down: they are on the computer or in the net, or
// they are only to be shown or removed there; and commands that were taken for fields.
func (r *Request) unkept() (out []Omission) {
	if r.Kind != Command {
		return nil
	}
	found := tool.Finds(r.Text)
	out = r.sourced()
	r.Things = slices.DeleteFunc(r.Things, func(thing *Thing) bool {
		name := strings.ReplaceAll(thing.Name, "_", " ")
		for _, field := range thing.Fields {
			if tool.Commands(field.Name) {
				out = append(out, Omission{What: strings.ReplaceAll(field.Name, "_", " "), Why: "a tool that keeps records has commands of its own"})
			}
		}
		if len(thing.Fields) > 0 || !found && !slices.ContainsFunc(strings.Fields(name), tool.Computing) {
			return false
		}
		out = append(out, Omission{What: name, Why: "no tool of these finds them: records are kept of what somebody writes down"})
		return true
	})
	return out
}

// sourced gives from where or of what the records would come, where a tool is asked for that keeps them and only their name
// is told: the temperature from a sensor, the time on projects.
func (r *Request) sourced() (out []Omission) {
	if slices.ContainsFunc(r.Things, func(t *Thing) bool { return len(t.Fields) > 0 }) {
		return nil
	}
	for _, left := range r.Left {
		all := strings.Fields(left.What)
		owned := len(all) > 1 && slices.Contains([]string{"my", "our", "the"}, all[1])
		place := slices.Contains([]string{"on", "of", "in", "to"}, all[0]) && !owned
		if left.Why == settings.Background && (place || all[0] == "from") {
			out = append(out, Omission{What: left.What, Why: "no tool of these does that"})
		}
	}
	return out
}
