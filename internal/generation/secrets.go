package generation

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/secrets"
)

// struckOut finds what stands in the place of a secret. It names the variable that
// should hold it, for engines and people alike.
var struckOut = regexp.MustCompile(`\[secret struck out: \$([A-Z0-9_]+)\]`)

// strikeSecrets takes what is surely a credential out of a text.
func strikeSecrets(text string) string {
	found := secrets.Find([]byte(text))
	for _, f := range slices.Backward(found) {
		text = text[:f.Start] + "[secret struck out: $" + variableFor(f.Kind) + "]" + text[f.End:]
	}
	return text
}

// variableFor names a variable after a kind of credential.
func variableFor(kind string) string {
	return strings.ReplaceAll(strings.ToUpper(kind), " ", "_")
}

// withoutSecrets is the request as it is kept: nothing that was struck out is
// recorded, told, or given to an engine.
func (q Start) withoutSecrets() Start {
	q.Prompt = strikeSecrets(q.Prompt)
	wanted := make(map[string]string, len(q.Constraints))
	for name, value := range q.Constraints {
		wanted[strikeSecrets(name)] = strikeSecrets(value)
	}
	if q.Constraints != nil {
		q.Constraints = wanted
	}
	return q
}

// variablesFor names the variables that the secrets of a request belong in.
func variablesFor(run svc.Run) []string {
	names := make(map[string]bool)
	note := func(text string) {
		for _, m := range struckOut.FindAllStringSubmatch(text, -1) {
			names[m[1]] = true
		}
	}
	note(run.Prompt)
	for name, value := range run.Constraints {
		note(name)
		note(value)
	}
	return slices.Sorted(maps.Keys(names))
}

const useVariables = "The request held what is surely a secret; it was struck out before anything was kept. Use an environment variable instead, and replace the secret if it is in use."

// SecretsNotice tells who asked for a run that secrets were struck out of the
// request; empty: there were none.
func SecretsNotice(run svc.Run) string {
	names := variablesFor(run)
	if len(names) == 0 {
		return ""
	}
	return useVariables + " Suggested: " + strings.Join(names, ", ") + "."
}

// emitSecretsNotice tells the viewers of a run the same. It is no decision about the
// project, and is not kept with it.
func (j *job) emitSecretsNotice() error {
	names := variablesFor(j.run)
	if len(names) == 0 {
		return nil
	}
	return j.events.emit(svc.StateUpdateEvent{Key: "secrets_struck_out", Value: strings.Join(names, ", "), Reason: useVariables})
}
