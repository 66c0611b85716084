//go:build unix

package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

const packagedConfig = "/etc/svcd/svcd.toml"

func TestPackagedConfigIsClosedToOthers(t *testing.T) {
	var release struct {
		NFPMs []struct {
			PackageName string `yaml:"package_name"`
			Recommends  []string
			Contents    []struct {
				Dst      string
				Type     string
				FileInfo struct{ Mode os.FileMode } `yaml:"file_info"`
			}
		} `yaml:"nfpms"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "../.goreleaser.yaml")), &release); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, p := range release.NFPMs {
		if p.PackageName == "svcd" && !slices.Contains(p.Recommends, "bubblewrap") {
			t.Errorf("the package recommends %v, and no sandbox works without bubblewrap", p.Recommends)
		}
		for _, c := range p.Contents {
			if c.Dst != packagedConfig {
				continue
			}
			found = true
			if c.FileInfo.Mode != 0o640 || c.Type != "config|noreplace" {
				t.Errorf("the package has it with mode %o, as %s", c.FileInfo.Mode, c.Type)
			}
		}
	}
	if !found {
		t.Errorf("no package has %s", packagedConfig)
	}
}

// install runs the package's script on a config that other users can read, with
// programs that only note that they were asked. It gives what was asked for and
// the mode that the config has then.
func install(t *testing.T, overridden bool) (asked []string, mode os.FileMode) {
	t.Helper()
	dir := t.TempDir()
	config, notes := filepath.Join(dir, "svcd.toml"), filepath.Join(dir, "notes")
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(config, "", 0o644)
	for _, name := range []string{"systemd-sysusers", "chown", "systemctl"} {
		write(filepath.Join(dir, name), "#!/bin/sh\necho "+name+" \"$@\" >>"+notes+"\n", 0o700)
	}
	answer := "1"
	if overridden {
		answer = "0"
	}
	write(filepath.Join(dir, "dpkg-statoverride"), "#!/bin/sh\nexit "+answer+"\n", 0o700)
	script := filepath.Join(dir, "postinst")
	write(script, strings.ReplaceAll(read(t, "debian/postinst"), packagedConfig, config), 0o700)
	cmd := exec.CommandContext(t.Context(), "sh", script, "configure")
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(config)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(read(t, notes)) {
		if !strings.HasPrefix(line, "systemctl ") {
			asked = append(asked, strings.ReplaceAll(strings.TrimSpace(line), config, packagedConfig))
		}
	}
	return asked, info.Mode()
}

func TestInstallingClosesTheConfig(t *testing.T) {
	const makeUser = "systemd-sysusers /usr/lib/sysusers.d/svcd.conf"
	asked, mode := install(t, false)
	if diff := cmp.Diff([]string{makeUser, "chown root:svcd " + packagedConfig}, asked); diff != "" || mode != 0o640 {
		t.Errorf("mode %o; was asked for (-want +got):\n%s", mode, diff)
	}
	asked, mode = install(t, true)
	if diff := cmp.Diff([]string{makeUser}, asked); diff != "" || mode != 0o644 {
		t.Errorf("where the operator decided: mode %o; was asked for (-want +got):\n%s", mode, diff)
	}
}

func TestPackagedConfigCanBeUncommented(t *testing.T) {
	text := regexp.MustCompile(`(?m)^#([a-z-]+ = )`).ReplaceAllString(read(t, "debian/svcd.toml"), "$1")
	var values map[string]string
	if err := toml.Unmarshal([]byte(text), &values); err != nil || values["acme-domain"] == "" {
		t.Errorf("%v in:\n%s", err, text)
	}
}

// A command that is told only of the folder would make a new database in it, where
// the settings name another.
func TestOperatorsCommandsUseTheServersSettings(t *testing.T) {
	command := regexp.MustCompile(`(?:sudo|systemd-run).*\bsvcd (?:account|key|project)|svcd (?:account|key|project) .*--(?:config|data-dir)`)
	for _, file := range []string{"../docs/operate.md", "systemd/svcd.service"} {
		// A command may go on in the next line.
		text := regexp.MustCompile(`\\\n#?\s*`).ReplaceAllString(read(t, file), "")
		found := 0
		for line := range strings.Lines(text) {
			if !command.MatchString(line) {
				continue
			}
			found++
			if strings.Contains(line, "--data-dir /var/lib/svcd") || !strings.Contains(line, "--config "+packagedConfig) {
				t.Errorf("%s: %s", file, line)
			}
		}
		if found == 0 {
			t.Errorf("%s does not say how", file)
		}
	}
}
