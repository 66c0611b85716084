package setting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestAFlagGoesBeforeAVariableBeforeTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	for name, tt := range map[string]struct {
		args, environment []string
		config            string
		want              string // of the address
		refused           string
	}{
		"nothing":          {want: "default"},
		"the file":         {config: `address = "by-file"`, want: "by-file"},
		"a variable":       {config: `address = "by-file"`, environment: []string{"X_ADDRESS=by-variable", "OTHER=1"}, want: "by-variable"},
		"a flag":           {config: `address = "by-file"`, environment: []string{"X_ADDRESS=by-variable"}, args: []string{"--address", "by-flag"}, want: "by-flag"},
		"an empty flag":    {args: []string{"--address="}, refused: "--address is empty"},
		"an empty one":     {environment: []string{"X_ADDRESS="}, refused: "X_ADDRESS is empty"},
		"empty in a file":  {config: `address = ""`, refused: "setting address is empty"},
		"unknown variable": {environment: []string{"X_ADR=1"}, refused: "X_ADR"},
		"unknown key":      {config: `adr = "1"`, refused: "adr"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(tt.config), 0o600); err != nil {
				t.Fatal(err)
			}
			address := "default"
			all := []Setting{Of("address", "where", Text(&address, "url"))}
			flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
			Register(flags, all)
			if err := flags.Parse(append(tt.args, "--config", file)); err != nil {
				t.Fatal(err)
			}
			err := Program{Prefix: "X_", Help: "x --help"}.Resolve(flags, tt.environment, all, all)
			if tt.refused == "" && (err != nil || address != tt.want) || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("%q, %v; want %q or a refusal with %q", address, err, tt.want, tt.refused)
			}
		})
	}
}
