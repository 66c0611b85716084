package bundlezip

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CheckPath says whether a bundle may hold a file at this path: relative,
// slash-separated, expressible on every file system that clients run on, and
// not one of the names that version control or the client itself live by. The
// error is a *PathError.
func CheckPath(path string) error {
	return checkName(path, MaxPath)
}

// maxEntryName leaves room for the folder under which Write files what cannot
// bear its own path.
const maxEntryName = MaxPath + 64

func checkName(path string, limit int) error {
	refuse := func(reason string) error { return &PathError{Path: path, Reason: reason} }
	switch {
	case path == "":
		return refuse("is empty")
	case len(path) > limit:
		return refuse("is too long")
	case !utf8.ValidString(path):
		return refuse("is not valid UTF-8")
	case path[0] == '/':
		return refuse("is absolute")
	}
	for _, r := range path {
		if reason := badRune(r); reason != "" {
			return refuse(reason)
		}
	}
	components := strings.Split(path, "/")
	for _, c := range components {
		if reason := badComponent(c); reason != "" {
			return refuse(reason)
		}
	}
	folded := make([]string, len(components))
	for i, c := range components {
		folded[i] = FoldName(c)
	}
	if reason := reservedName(folded); reason != "" {
		return refuse(reason)
	}
	return nil
}

func badRune(r rune) string {
	switch {
	case r == '\\':
		return "contains a backslash"
	case r == ':':
		return "contains a colon (a drive letter or an alternate stream on Windows)"
	case r < ' ', r >= 0x7f && r <= 0x9f:
		return "contains a control character"
	case r == utf8.RuneError:
		return "contains the replacement character, the trace of text that was not valid"
	case strings.ContainsRune(`<>"|?*`, r):
		return "contains a character that Windows does not allow in names"
	case r == 0x2028, r == 0x2029, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return "contains a character that changes the direction or the lines of text"
	}
	return ""
}

func badComponent(c string) string {
	switch {
	case c == "":
		return "has an empty component"
	case c == "." || c == "..":
		return "has the component " + c
	case len(c) > MaxName:
		return "has a component that is too long"
	case strings.HasSuffix(c, "."):
		return "has a component that ends in a dot"
	}
	if last, _ := utf8.DecodeLastRuneInString(c); unicode.IsSpace(last) {
		return "has a component that ends in a space"
	}
	if windowsDevice(c) {
		return "has a component that is a reserved name on Windows"
	}
	return ""
}

// windowsDevice knows the names that Windows takes for devices, with whatever
// extension, spaces before it included.
func windowsDevice(c string) bool {
	stem, _, _ := strings.Cut(c, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	number, found := strings.CutPrefix(stem, "COM")
	if !found {
		number, found = strings.CutPrefix(stem, "LPT")
	}
	if !found || utf8.RuneCountInString(number) != 1 {
		return false
	}
	return strings.ContainsAny(number, "0123456789¹²³")
}

// reservedName looks at folded components.
func reservedName(components []string) string {
	for _, c := range components {
		if c == ".git" || shortNameOf(c, "git", "") {
			return "leads into a version-control folder (.git)"
		}
	}
	root := components[0]
	switch {
	case root == ".svc", root == ".svc.ack-pending", shortNameOf(root, "svc", ""), shortNameOf(root, "svc", "ack"):
		return "is kept for the client (.svc)"
	case len(components) == 1 && (root == "resolution_log.json" || root == "rollback_log.json" ||
		shortNameOf(root, "resolu", "jso") || shortNameOf(root, "rollba", "jso")):
		return "is kept for the client's logs"
	}
	// A folder of that name would stand in the way of a backup as well.
	for _, c := range components {
		if strings.HasSuffix(c, ".svc.backup") || strings.HasSuffix(c, ".svc.new") {
			return "has an ending kept for the client (.svc.backup, .svc.new)"
		}
	}
	return ""
}

// shortNameOf recognises the names of the form GIT~1 and RESOLU~1.JSO under
// which Windows also finds a file with a longer name.
func shortNameOf(c, stem, ext string) bool {
	rest, found := strings.CutPrefix(c, stem+"~")
	if !found {
		return false
	}
	number, gotExt, _ := strings.Cut(rest, ".")
	return number != "" && strings.Trim(number, "0123456789") == "" && gotExt == ext
}

// LooksShort says whether a folded component has the form of the names under which
// Windows also finds a file with a longer name, such as CLAUDE~1.
func LooksShort(component string) bool {
	stem, rest, found := strings.Cut(component, "~")
	number, _, _ := strings.Cut(rest, ".")
	return found && stem != "" && number != "" && strings.Trim(number, "0123456789") == ""
}

// FoldName gives the form in which two names are one and the same to some file
// system: normalised, without case, without the code points that HFS+ ignores.
func FoldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	name = strings.Map(func(r rune) rune {
		if ignorable(r) {
			return -1
		}
		return r
	}, name)
	return norm.NFC.String(foldCase(norm.NFD.String(name)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func ignorable(r rune) bool {
	return r == 0xad || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e ||
		r >= 0x2060 && r <= 0x206f || r == 0xfeff || r >= 0xfe00 && r <= 0xfe0f
}
