package delivery

import "strings"

// validBundleID says whether a text can be the id of a bundle: a UUID as it is
// written here, in lower case. What cannot be is not asked for.
func validBundleID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// ValidProjectID says whether a text can be the id of a project.
func ValidProjectID(id string) bool {
	rest, found := strings.CutPrefix(id, "proj_")
	if !found || rest == "" || len(rest) > 64 {
		return false
	}
	for i := range len(rest) {
		if c := rest[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
