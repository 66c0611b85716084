package workdir

// move renames a file by its whole path: there is no call that begins at folders
// that are open.
func (p *placer) move(from, to string) error { return p.disk.root.Rename(from, to) }
