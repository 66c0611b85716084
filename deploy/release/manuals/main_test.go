package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// talker is a program that has one command with a flag.
const talker = `#!/bin/sh
case "$*" in
"--help") printf 'talker talks.\n\nAvailable Commands:\n  say         Say something\n  help        Help\n\nFlags:\n  -h, --help\n' ;;
"say --help") printf 'Say something.\n\n.beware\n\nFlags:\n  --loud C:\\\\x\n' ;;
*) exit 1 ;;
esac
`

func TestManualHasEveryCommandAsItsHelpHasIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talker")
	if err := os.WriteFile(path, []byte(talker), 0o700); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := (program{name: "talker", path: path}).manual(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TALKER 1\n", "talker \\- talks\n", `.SH "TALKER SAY"`, `\-\-loud`, `\&.beware`, `C:\e`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, page.String())
		}
	}
	if strings.Contains(page.String(), "TALKER HELP") {
		t.Error("the page explains help")
	}
}
