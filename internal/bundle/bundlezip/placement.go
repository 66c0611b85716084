package bundlezip

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// placementRule says how files are placed whose name matches one of the patterns
// of path.Match. A pattern with a slash is matched against the last two parts of
// a path, one without against the last.
type placementRule struct {
	destination DestinationType
	strategy    MergeStrategy
	patterns    []string
}

// placements is the one table of what becomes of files about whose placement
// nobody says anything. The first rule that matches counts.
var placements = []placementRule{
	{Project, ThreeWay, []string{".env.example"}},
	{GlobalConfig, EnvMerge, []string{".env", ".env.*"}},
	{GlobalConfig, DeepMerge, []string{
		"package.json", "tsconfig*.json", "jsconfig*.json", ".vscode/*.json", ".eslintrc.json",
		".prettierrc", ".prettierrc.json", ".prettierrc.y*ml", ".prettierrc.toml", // .prettierrc.js is a program
		"compose*.y*ml", "docker-compose*.y*ml", "pyproject.toml", "Cargo.toml", "mkdocs.yml",
	}},
	{Project, AppendUnique, []string{".*ignore"}},
	{Project, ThreeWay, []string{"*"}},
}

// DefaultPlacement says where a file goes and how it meets one that is there,
// by its name alone: for engines, imports and pushes that say nothing about it.
func DefaultPlacement(name string) (DestinationType, MergeStrategy) {
	for _, rule := range placements {
		if matchesAny(name, rule.patterns) {
			return rule.destination, rule.strategy
		}
	}
	return Project, ThreeWay
}

// lockFiles record what a tool has resolved. Two versions of one have no
// sensible mixture.
var lockFiles = []string{
	"*.lock", "*-lock.json", "*-lock.y*ml", "*.lockb", "*.lockfile", "npm-shrinkwrap.json", "packages.lock.json",
}

// IsLockFile says whether a file is a tool's record of what it has resolved.
func IsLockFile(name string) bool { return matchesAny(name, lockFiles) }

func matchesAny(name string, patterns []string) bool {
	base := path.Base(name)
	inFolder := path.Join(path.Base(path.Dir(name)), base)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		subject := base
		if strings.Contains(pattern, "/") {
			subject = inFolder
		}
		matched, err := path.Match(pattern, subject)
		return err == nil && matched
	})
}

// placement completes what a state says about a file. Who names a strategy and
// no destination means the project.
func (f StateFile) placement() (DestinationType, MergeStrategy) {
	destination, strategy := DefaultPlacement(f.Path)
	if f.MergeStrategy != "" {
		destination = Project
	}
	return cmp.Or(f.DestinationType, destination), cmp.Or(f.MergeStrategy, strategy)
}
