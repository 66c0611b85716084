package bundlezip

import "strconv"

// RepositoryEntries records which entries of one folder Git looks for when it
// decides whether the folder is a repository. Git takes a folder without .git for a
// repository if HEAD lies beside objects and refs, or beside commondir, which names
// the folder that has them. It then runs programs that the folder's config names.
//
// The zero value is a folder with none of them.
type RepositoryEntries uint8

const (
	entryHead RepositoryEntries = 1 << iota
	entryObjects
	entryRefs
	entryCommonDir
)

// With returns the entries after one with this name was added. The name is compared
// as FoldName gives it, and whether it is a file or a folder makes no difference.
func (e RepositoryEntries) With(name string) RepositoryEntries { return e | entryOf(FoldName(name)) }

func entryOf(folded string) RepositoryEntries {
	switch folded {
	case "head":
		return entryHead
	case "objects":
		return entryObjects
	case "refs":
		return entryRefs
	case "commondir":
		return entryCommonDir
	}
	return 0
}

// Repository reports whether Git takes the folder for a repository.
func (e RepositoryEntries) Repository() bool {
	const plain, linked = entryHead | entryObjects | entryRefs, entryHead | entryCommonDir
	return e&plain == plain || e&linked == linked
}

// repositoryReason words a refusal. The empty folder is the root.
func repositoryReason(folder string) string {
	where := "the root"
	if folder != "" {
		where = "the folder " + strconv.Quote(folder)
	}
	return "makes " + where + " a Git repository without .git (HEAD beside objects and refs, or beside commondir)"
}
