package bundlezip_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

func TestCheckPath(t *testing.T) {
	accepted := []string{
		"a", "src/main.go", ".env", ".gitignore", ".github/workflows/ci.yml", ".gitattributes", "a/.gitkeep",
		"manifest.json", "sub/resolution_log.json", "docs/rollback_log.json", "sub/.svc/x", "sub/.svc.ack-pending",
		"svc", ".svcrc", "git", "git~", "git~a", "a~1", "console.log", "com10.txt", "COMMON", "lpt.txt", "auxiliary", "nullable.go",
		"[slug]/page.tsx", "a b/c d", " leading", "(group)/{x}", "it's", "a&b;c$d%e@f!g=h+i,j", "naïve.md", "日本語.txt", "👨‍👩‍👧.png",
		"..a", "a..b", "...a", strings.Repeat("x", 255), "backup.svc", "x.svc.backups",
	}
	for _, path := range accepted {
		if err := bundlezip.CheckPath(path); err != nil {
			t.Errorf("%q is refused: %v", path, err)
		}
	}
	refused := map[string]string{
		"":                              "empty",
		"/":                             "absolute",
		"a/":                            "empty component",
		"a/../b":                        "component ..",
		"...":                           "ends in a dot",
		"a\u00a0":                       "ends in a space",
		"a\u3000/b":                     "ends in a space",
		"a\x7f":                         "control character",
		"a\tb":                          "control character",
		"a\xc3":                         "UTF-8",
		"a\ufffd":                       "replacement",
		"c:":                            "colon",
		`a"b`:                           "Windows",
		"a?b":                           "Windows",
		"prn.tar.gz":                    "reserved name on Windows",
		"COM0":                          "reserved name on Windows",
		"com²":                          "reserved name on Windows",
		"conout$.txt":                   "reserved name on Windows",
		"a/.Git":                        ".git",
		".g\u200ei\u2060t/x":            ".git",
		"git~12/x":                      ".git",
		".SVC":                          ".svc",
		"SVC~1.ACK":                     ".svc",
		"x.svc.new/y":                   ".svc.new",
		".svc.backup":                   ".svc.backup",
		"ROLLBA~1.JSO":                  "logs",
		strings.Repeat("é", 128):        "too long",
		strings.Repeat("abcdefg/", 128): "empty component",
	}
	for path, want := range refused {
		err := bundlezip.CheckPath(path)
		var bad *bundlezip.PathError
		if !errors.As(err, &bad) {
			t.Errorf("%q: got %v, want a PathError", path, err)
			continue
		}
		if bad.Path != path || !strings.Contains(bad.Reason, want) || !errors.Is(err, bundlezip.ErrInvalid) {
			t.Errorf("%q: got %v, want the reason %q", path, err, want)
		}
	}
}

func TestCheckPaths(t *testing.T) {
	if err := bundlezip.CheckPaths([]string{"a/b", "a/c", "a.b", "ab/c", "a-b", "b", "A-C/x", "日/本"}); err != nil {
		t.Errorf("a harmless set is refused: %v", err)
	}
	if err := bundlezip.CheckPaths([]string{"HEAD", "objects/x", "src/refs/x", "src/objects.go", "src/head", "x/commondir", "x/head.go", "y/objects/1", "y/refs/1"}); err != nil {
		t.Errorf("parts of repositories in several folders are refused: %v", err)
	}
	tests := map[string]struct {
		paths []string
		want  string
	}{
		"one bad":                   {[]string{"a", "../b"}, "component"},
		"twice":                     {[]string{"a/b", "c", "a/b"}, "twice"},
		"case":                      {[]string{"a/B", "a/b"}, "differs only"},
		"case of a folder":          {[]string{"x/A/1", "x/a/2"}, "differs only"},
		"file, then folder":         {[]string{"a", "a/b"}, "where another path has"},
		"folder, then file":         {[]string{"a/b/c", "a/b"}, "where another path has"},
		"file, then deep folder":    {[]string{"a/b", "a/b/c/d/e"}, "where another path has"},
		"folder by case, then file": {[]string{"a/b/c", "A"}, "where another path has"},
		"normal forms":              {[]string{"\u00c5", "A\u030a"}, "differs only"},
		"angstrom":                  {[]string{"\u212b", "\u00e5"}, "differs only"},
		"final sigma":               {[]string{"ΟΔΟΣ", "οδος"}, "differs only"},
		"Git repository":            {[]string{"HEAD", "config", "objects/x", "refs/x"}, "the root a Git repository"},
		"one in a folder":           {[]string{"refs/x", "a/b/refs/c/d", "a/b/objects", "a/HEAD", "a/b/HEAD/x"}, `the folder "a/b" a Git repository`},
		"one by case":               {[]string{"x/oBJECTS/x", "x/Head", "x/ref\u017f/x"}, `the folder "x" a Git repository`},
		"one with commondir":        {[]string{"x/COMMONDIR", "x/HE\u200cAD"}, `the folder "x" a Git repository`},
		"variation selector":        {[]string{"\u2764", "\u2764\ufe0f"}, "differs only"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := bundlezip.CheckPaths(test.paths)
			if !errors.Is(err, bundlezip.ErrInvalid) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestCheckHomePath(t *testing.T) {
	for _, path := range []string{
		".config/tool/settings.json", ".vscode/settings.json", "Library/Application Support/Code/User/settings.json",
		".claude.json", "work/project/config.yaml", ".config/github/x.json", ".local/share/x.toml", "sub/.ssh/x.json",
	} {
		if err := bundlezip.CheckHomePath(path); err != nil {
			t.Errorf("%q is refused: %v", path, err)
		}
	}
	for _, path := range []string{
		".ssh", ".ssh/config.json", ".gnupg/x", ".aws/x", ".kube/config", ".docker/config.json", ".svc/config.json",
		".gitconfig", ".git-credentials", ".github/x.json", ".netrc", ".npmrc", ".pypirc", ".local/bin/x",
		".config/git/config", ".config/systemd/user/x", ".config/autostart/x", ".config/fish/config.fish",
		"Library/LaunchAgents/x.plist", "library/launchagents/x", ".bashrc", ".Profile", ".zshrc", ".zshenv", ".ZLOGIN",
		".s\u200dsh/config",
	} {
		var bad *bundlezip.PathError
		if err := bundlezip.CheckHomePath(path); !errors.As(err, &bad) || bad.Path != path {
			t.Errorf("%q: got %v", path, err)
		}
	}
}
