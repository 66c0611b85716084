package bundlezip

import (
	"path"
	"slices"
	"strings"
)

// homeDenied are the places of a home folder that decide who the user is to
// others or what runs when they sign in. Each entry is a folded path; it stands
// for itself and everything in it.
var homeDenied = []string{
	".ssh", ".gnupg", ".aws", ".kube", ".docker", ".svc", ".azure", ".config/gcloud",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".config/git", ".config/gh",
	".local/bin", ".config/systemd", ".local/share/systemd", ".config/autostart",
	".config/environment.d", ".config/plasma-workspace", ".pam_environment",
	"library/launchagents", "library/launchdaemons",
	"appdata/roaming/microsoft/windows/start menu",
	".config/fish", ".config/nushell", ".config/elvish", ".config/xonsh", ".config/powershell",
	".config/zsh", ".config/bash", "documents/powershell", "documents/windowspowershell",
	".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
	".cshrc", ".tcshrc", ".login", ".logout", ".kshrc", ".mkshrc", ".shrc", ".xonshrc", ".rcrc",
	".inputrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc",
}

// homeDeniedPrefixes begin the first component of what is denied: .gitconfig
// and .git-credentials, .zshrc and .zshenv, .zlogin and .zprofile, .oh-my-zsh.
var homeDeniedPrefixes = []string{".git", ".zsh", ".zlog", ".zprofile", ".oh-my-"}

// homeFormats are the file name endings that a bundle may touch in a home.
var homeFormats = []string{".json", ".jsonc", ".yaml", ".yml", ".toml"}

// CheckHomePath says whether a bundle may ever touch this place, given as a
// slash-separated path from the home folder. It holds for files with base
// "home", for the places that they resolve to, and for every file when the
// project root is the home folder itself. The error is a *PathError.
func CheckHomePath(fromHome string) error {
	components := strings.Split(fromHome, "/")
	for i, c := range components {
		components[i] = FoldName(c)
	}
	refused := slices.ContainsFunc(homeDeniedPrefixes, func(prefix string) bool {
		return strings.HasPrefix(components[0], prefix)
	})
	folded := strings.Join(components, "/")
	refused = refused || slices.ContainsFunc(homeDenied, func(place string) bool {
		return folded == place || strings.HasPrefix(folded, place+"/")
	})
	if refused {
		return &PathError{
			Path:   fromHome,
			Reason: "is a place in the home folder that no bundle may change (credentials, start-up files, programs)",
		}
	}
	return nil
}

// checkHomeFile holds the rules of a file with base "home".
func checkHomeFile(f File) error {
	refuse := func(reason string) error { return &PathError{Path: f.Path, Reason: reason} }
	switch {
	case f.DestinationType != GlobalConfig:
		return refuse("lies in the home folder, so its destination_type must be global_config")
	case f.MergeStrategy != DeepMerge && f.MergeStrategy != CreateOnly:
		return refuse("lies in the home folder, so its merge_strategy must be deep_merge or create_only")
	case !slices.Contains(homeFormats, path.Ext(f.Path)):
		return refuse("lies in the home folder, so it must be a .json, .jsonc, .yaml, .yml or .toml file")
	}
	return CheckHomePath(f.Path)
}
