package workdir

// Unfinished says which committed pull or rollback waits to be finished; its
// Kind is empty if none does. It changes nothing, and refuses what Recover would
// refuse.
func (f *Folder) Unfinished() (Recovered, error) {
	j, open, err := f.trustedJournal()
	if err != nil || !open {
		return Recovered{}, err
	}
	return Recovered{Kind: j.Kind, BundleID: j.BundleID}, nil
}
