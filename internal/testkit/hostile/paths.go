package hostile

import (
	"fmt"
	"strings"
)

// unsafePaths are refused whoever says them, an entry or the manifest.
var unsafePaths = []struct{ name, path, want string }{
	{"parent", "../evil", "component .."},
	{"parent-after-folder", "a/../../evil", "component .."},
	{"parent-at-end", "a/..", "component .."},
	{"only-parent", "..", "component .."},
	{"only-dot", ".", "component ."},
	{"dot-first", "./evil", "component ."},
	{"dot-inside", "a/./evil", "component ."},
	{"empty-component", "a//evil", "empty component"},
	{"absolute", "/etc/evil", "absolute"},
	{"absolute-doubled", "//server/share/evil", "absolute"},
	{"backslash-parent", `..\evil`, "backslash"},
	{"backslash-inside", `a\..\..\evil`, "backslash"},
	{"backslash-absolute", `\evil`, "backslash"},
	{"backslash-share", `\\server\share\evil`, "backslash"},
	{"backslash-device", `\\?\C:\evil`, "backslash"},
	{"drive-absolute", "C:/evil", "colon"},
	{"drive-relative", "C:evil", "colon"},
	{"alternate-stream", "evil.txt:stream", "colon"},
	{"alternate-stream-of-folder", ".git::$INDEX_ALLOCATION/config", "colon"},
	{"nul-byte", "evil.txt\x00.png", "control character"},
	{"line-feed", "evil\n.txt", "control character"},
	{"escape-sequence", "evil\x1b[2J", "control character"},
	{"c1-control", "evil\u0085", "control character"},
	{"bidi-override", "evil\u202etxt.exe", "direction"},
	{"line-separator", "evil\u2028x", "lines of text"},
	{"wildcard", "evil*", "Windows does not allow"},
	{"trailing-dot", "evil.", "ends in a dot"},
	{"trailing-dot-of-folder", ".git./config", "ends in a dot"},
	{"trailing-space", "evil ", "ends in a space"},
	{"trailing-space-of-folder", ".git /config", "ends in a space"},
	{"device", "con", "reserved name on Windows"},
	{"device-extension", "sub/Con.txt", "reserved name on Windows"},
	{"device-spaced-extension", "nul .txt", "reserved name on Windows"},
	{"device-folder", "aux/evil", "reserved name on Windows"},
	{"device-number", "COM1.log", "reserved name on Windows"},
	{"device-superscript", "lpt³", "reserved name on Windows"},
	{"device-console", "CONIN$", "reserved name on Windows"},
	{"git", ".git/hooks/post-checkout", ".git"},
	{"git-case", ".GiT/config", ".git"},
	{"git-deep", "vendor/lib/.git/config", ".git"},
	{"git-file", "sub/.git", ".git"},
	{"git-short-name", "GIT~1/config", ".git"},
	{"git-ignorable", ".g\u200cit/config", ".git"},
	{"git-byte-order-mark", "\ufeff.git/config", ".git"},
	{"state-folder", ".svc/journal", ".svc"},
	{"state-folder-case", ".SVC/history/x", ".svc"},
	{"state-folder-long-s", ".\u017fvc/history/x", ".svc"},
	{"state-folder-itself", ".svc", ".svc"},
	{"state-folder-short-name", "svc~1/journal", ".svc"},
	{"sentinel", ".svc.ack-pending", ".svc"},
	{"sentinel-case", ".svc.ACK-pending", ".svc"},
	{"backup", "sub/settings.json.svc.backup", ".svc.backup"},
	{"backup-case", "settings.json.SVC.Backup", ".svc.backup"},
	{"incoming", "settings.json.svc.new", ".svc.new"},
	{"log", "resolution_log.json", "client's logs"},
	{"log-case", "Resolution_Log.JSON", "client's logs"},
	{"rollback-log", "rollback_log.json", "client's logs"},
	{"log-short-name", "RESOLU~1.JSO", "client's logs"},
	{"long-component", strings.Repeat("x", 256), "too long"},
	{"long-path", strings.Repeat("x/", 600) + "x", "too long"},
}

func pathCases() []Case {
	var cases []Case
	for _, p := range unsafePaths {
		cases = append(cases,
			// The entry and the manifest agree on the evil.
			Case{"slip-" + p.name, p.want, single(file(p.path, helloText), line(p.path, helloText))},
			// A harmless entry with an evil destination.
			Case{"destination-" + p.name, "at /files", single(file("ok.txt", helloText), bent(line(p.path, helloText), "entry", "ok.txt"))},
		)
	}
	return append(cases,
		Case{"slip-empty-name", "is empty", single(file("", helloText), line("ok.txt", helloText))},
		Case{"slip-invalid-utf8", "UTF-8", single(file("evil\xff\xfe", helloText), line("evil\ufffd", helloText))},
		Case{"slip-overlong-utf8", "UTF-8", single(file("\xc0\xae\xc0\xae/evil", helloText), line("evil", helloText))},
		Case{"slip-entry-of-a-harmless-path", "component ..", single(file("../evil", helloText), bent(line("ok.txt", helloText), "entry", "../evil"))},
		Case{"slip-half-surrogate", "replacement character", single(file("ok.txt", helloText), bent(line("a\ufffd", helloText), "entry", "ok.txt"))},
	)
}

func bent(l fields, key string, value any) fields {
	l[key] = value
	return l
}

// setCases hold paths that are harmless alone.
func setCases() []Case {
	pairs := []struct{ name, a, b, want string }{
		{"case", "readme.md", "README.md", "differs only in case"},
		{"case-in-folder", "Src/a.txt", "src/b.txt", "differs only in case"},
		{"case-sharp-s", "stra\u00dfe", "STRASSE", "differs only in case"},
		{"case-kelvin", "\u212a.txt", "k.txt", "differs only in case"},
		{"normal-forms", "caf\u00e9", "cafe\u0301", "differs only in case"},
		{"ignorable", "ab.txt", "a\u200db.txt", "differs only in case"},
		{"file-where-a-folder-is", "lib", "lib/a.txt", "where another path has"},
		{"file-where-a-folder-is-by-case", "LIB", "lib/a.txt", "where another path has"},
		{"manifest-by-case", "ok.txt", "Manifest.JSON", "differs only in case"},
		{"manifest-as-folder", "ok.txt", "manifest.json/x", "where another path has"},
	}
	var cases []Case
	for _, p := range pairs {
		z := zipFile{entries: []entry{
			file(p.a, helloText), file(p.b, helloText),
			manifest(line(p.a, helloText), line(p.b, helloText)).entry(),
		}}
		cases = append(cases, Case{"collision-" + p.name, p.want, z.bytes()})
	}
	twice := zipFile{entries: []entry{
		file("a.txt", helloText), file("a.txt", envText), manifest(line("a.txt", helloText)).entry(),
	}}
	twoManifests := good()
	twoManifests.entries = append(twoManifests.entries, manifest().entry())
	sameDestination := zipFile{entries: []entry{
		file("a.txt", helloText), file("b.txt", helloText),
		manifest(line("a.txt", helloText), bent(line("a.txt", helloText), "entry", "b.txt")).entry(),
	}}
	sameEntry := zipFile{entries: []entry{
		file("a.txt", helloText),
		manifest(line("a.txt", helloText), bent(line("b.txt", helloText), "entry", "a.txt")).entry(),
	}}
	manifestAsFile := zipFile{entries: []entry{manifest(bent(line("a.txt", nil), "entry", "manifest.json")).entry()}}
	return append(cases,
		Case{"collision-same-entry-twice", "is there twice", twice.bytes()},
		Case{"collision-two-manifests", "is there twice", twoManifests.bytes()},
		Case{"collision-same-destination", "is there twice", sameDestination.bytes()},
		Case{"collision-entry-for-two-files", "is there twice", sameEntry.bytes()},
		Case{"collision-manifest-as-a-file", "is there twice", manifestAsFile.bytes()},
	)
}

// repositoryCases hold files that make a folder a Git repository without .git: the
// next git command there runs the program that config names.
func repositoryCases() []Case {
	config := []byte("[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch ran; false\"\n")
	head := []byte("ref: refs/heads/main\n")
	sets := []struct {
		name  string
		paths []string
		want  string
	}{
		{"root", []string{"HEAD", "config", "objects/x", "refs/x"}, "the root a Git repository"},
		{"folder", []string{"vendor/x/HEAD", "vendor/x/config", "vendor/x/objects/x", "vendor/x/refs/x"}, `the folder "vendor/x" a Git repository`},
		{"case", []string{"Head", "config", "OBJECTS/x", "Refs/x"}, "a Git repository"},
		{"ignorable", []string{"HE\u200cAD", "config", "objects/x", "ref\u017f/x"}, "a Git repository"},
		{"files", []string{"HEAD", "config", "objects", "refs"}, "a Git repository"},
		{"commondir", []string{"a/HEAD", "a/commondir", "store/config", "store/objects/x", "store/refs/x"}, `the folder "a" a Git repository`},
		{"commondir-case", []string{"a/head", "a/CommonDir"}, "a Git repository"},
	}
	var cases []Case
	for _, s := range sets {
		var z zipFile
		var lines []fields
		for _, path := range s.paths {
			content := head
			if strings.HasSuffix(path, "config") {
				content = config
			}
			z.entries = append(z.entries, file(path, content))
			lines = append(lines, line(path, content))
		}
		z.entries = append(z.entries, manifest(lines...).entry())
		cases = append(cases, Case{"repository-" + s.name, s.want, z.bytes()})
	}
	return cases
}

// kindCases are entries that are no regular files, or wear what others are.
func kindCases() []Case {
	mode := func(name string, bits uint32, want string) Case {
		return Case{"kind-" + name, want, with(func(_ *zipFile, hello *entry) { hello.central.attributes = bits << 16 })}
	}
	cases := []Case{
		mode("symlink", 0o120777, "not a regular file"),
		mode("folder", 0o040755, "not a regular file"),
		mode("fifo", 0o010644, "not a regular file"),
		mode("character-device", 0o020644, "not a regular file"),
		mode("block-device", 0o060644, "not a regular file"),
		mode("socket", 0o140644, "not a regular file"),
		mode("setuid", 0o104755, "special permission bits"),
		mode("setgid", 0o102755, "special permission bits"),
		{"kind-symlink-of-another-system", "not a regular file", with(func(_ *zipFile, hello *entry) {
			hello.central.creator, hello.central.attributes = 20, 0o120777<<16
		})},
		{"kind-symlink-then-file-through-it", "not a regular file", symlinkThenFile()},
		{"kind-folder-by-attribute", "folder or label", with(func(_ *zipFile, hello *entry) { hello.central.attributes |= 0x10 })},
		{"kind-label-by-attribute", "folder or label", with(func(_ *zipFile, hello *entry) { hello.central.attributes |= 0x08 })},
		{"kind-folder-by-name", "is a folder", single(stored("src/", nil), line("src", nil))},
	}
	extras := []struct {
		name string
		id   uint16
		data string
	}{
		{"unicode-path", 0x7075, "\x01\x00\x00\x00\x00../evil"},
		{"unicode-comment", 0x6375, "\x01\x00\x00\x00\x00x"},
		{"zip64", 0x0001, strings.Repeat("\x00", 16)},
		{"unix-link", 0x756e, "\x00\x00\x00\x00\xff\xa1\x04\x00\x00\x00\x00\x00\x00\x00/etc"},
		{"pkware-unix-link", 0x000d, strings.Repeat("\x00", 12) + "/etc/evil"},
		{"aes", 0x9901, "\x02\x00AE\x03\x08\x00"},
		{"strong-encryption", 0x0017, "\x02\x00"},
	}
	for _, x := range extras {
		field := string(le16(nil, x.id, length16(x.data))) + x.data
		want := fmt.Sprintf("extra field 0x%04x", x.id)
		cases = append(cases,
			Case{"extra-" + x.name, want, with(func(_ *zipFile, hello *entry) { hello.both(func(h *header) { h.extra = field }) })},
			Case{"extra-" + x.name + "-local-only", want, with(func(_ *zipFile, hello *entry) { hello.local.extra = field })},
		)
	}
	return append(cases,
		Case{"extra-broken", "broken extra field", with(func(_ *zipFile, hello *entry) { hello.central.extra = "UT\xff\x00x" })},
		Case{"extra-broken-local", "broken extra field", with(func(_ *zipFile, hello *entry) { hello.local.extra = "UT" })},
		Case{"extra-oversized", "oversized", with(func(_ *zipFile, hello *entry) {
			hello.local.extra = "UT" + string(le16(nil, 4000)) + strings.Repeat("x", 4000)
		})},
	)
}

func symlinkThenFile() []byte {
	link := stored("out", []byte("/tmp"))
	link.central.attributes = 0o120777 << 16
	z := zipFile{entries: []entry{
		link, file("out2/evil", helloText),
		manifest(line("out", []byte("/tmp")), line("out2/evil", helloText)).entry(),
	}}
	return z.bytes()
}
