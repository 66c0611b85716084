package secrets

import (
	"path"
	"slices"
	"strings"
)

// KeyPlace says whether a folder or file of this name is where people keep their
// keys, and no place for a file of a project. Upper and lower case are alike.
func KeyPlace(name string) bool {
	return slices.Contains([]string{
		".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker", ".netrc", "_netrc", ".pypirc", ".pgpass",
	}, strings.ToLower(name))
}

// FileName says what a file surely holds that has such a name, or nothing: "settings
// of one machine" for .env files, but not for .env.example, which is made to be
// shared. Upper and lower case are alike.
func FileName(name string) (kind string, found bool) {
	name = strings.ToLower(name)
	base := path.Base(name)
	switch {
	case base == ".env.example":
		return "", false
	case strings.HasPrefix(base, ".env"):
		return "settings of one machine, often with passwords", true
	case slices.Contains([]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}, base):
		return "a private key", true
	case slices.Contains([]string{".p12", ".pfx", ".jks", ".keystore", ".kdbx"}, path.Ext(base)):
		return "a store of private keys", true
	case slices.Contains([]string{".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd"}, base):
		return "passwords", true
	case name == ".aws/credentials" || strings.HasSuffix(name, "/.aws/credentials"):
		return "passwords", true
	}
	return "", false
}
