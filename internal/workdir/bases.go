package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// basesName is the pack in the history of a pull with the files that it brought,
// as far as they can be merged: the common ancestors of the next merge. One pack
// is a third of the bytes and one file to write. Earlier versions of svc kept a
// copy of every file in a folder, base.
const basesName = "bases.zip"

// writtenName is the pack in the history of a pull with the texts that it wrote and that
// are not in the pack of bases, such as what came out of a merge: so that what a person
// changes later can be shown line by line.
const writtenName = "written.zip"

// baseCopy is a file that the bundle brought, kept for the next merge.
type baseCopy struct {
	bundlezip.StateFile
	digest string
	// offered says that the file found no place and lies beside the user's: it is no
	// ancestor, unless the user settles the conflict.
	offered bool
}

// keepBase remembers what the bundle brought, for the next merge.
func (pl *planner) keepBase(t target) { pl.keepText(t, false) }

func (pl *planner) keepText(t target, offered bool) {
	if !hasBase(t.MergeStrategy) || t.incoming == nil || !isText(t.incoming) {
		return
	}
	content := bundlezip.Bytes(t.incoming)
	if t.after == t.SHA256 {
		content = pl.archive.Content(t.Base, t.Path)
	}
	pl.bases = append(pl.bases, baseCopy{digest: t.after, offered: offered, StateFile: bundlezip.StateFile{
		Path: t.Path, DestinationType: t.DestinationType, MergeStrategy: t.MergeStrategy, Base: t.Base, Content: content,
	}})
}

// keepWritten remembers a text that the pull writes, unless the pack of bases has it.
func (pl *planner) keepWritten(w write) {
	if w.base != bundlezip.ProjectRoot || w.source.content == nil || len(w.source.content) > maxMerged || IsBeside(w.path) || !isText(w.source.content) {
		return
	}
	if n := len(pl.bases); n > 0 && pl.bases[n-1].Path == w.path && pl.bases[n-1].digest == w.after {
		return
	}
	content := bundlezip.Bytes(w.source.content)
	if file, ok := pl.archive.Find(w.base, w.path); ok && file.SHA256 == w.after {
		content = pl.archive.Content(w.base, w.path)
	}
	pl.written = append(pl.written, bundlezip.StateFile{Path: w.path, Content: content})
}

// stageBases stages the pack of one root and gives the digests of what is in it.
func (p *Plan) stageBases(w *staging, base bundlezip.Base) (digests map[string]string, err error) {
	var files []bundlezip.StateFile
	digests = map[string]string{}
	for _, b := range p.bases {
		if b.Base == base {
			files = append(files, b.StateFile)
			if !b.offered {
				digests[b.Path] = b.digest
			}
		}
	}
	return digests, p.stagePack(w, p.keepFolder(base)+"/"+basesName, files)
}

// stagePack stages files as one pack; none make none.
func (p *Plan) stagePack(w *staging, to string, files []bundlezip.StateFile) error {
	if len(files) == 0 {
		return nil
	}
	from, err := w.next()
	if err != nil {
		return err
	}
	var pack bundlezip.Result
	err = w.disk.createWith(from, perm{bits: 0o600}, func(file *os.File) error {
		pack, err = bundlezip.Write(file, bundlezip.State{ProjectID: p.Log.ProjectID, Files: files})
		return err
	})
	w.steps = append(w.steps, step{Op: opPlace, From: from, Path: to, After: pack.SHA256})
	return err
}

// baseReader reads what earlier pulls have kept, and keeps their packs open.
type baseReader struct {
	folder  *Folder
	history []pastPull
	packs   map[string]*bundlezip.Archive // by path
	files   []*os.File
}

// read gives a file as the pull with that folder of history brought it.
func (r *baseReader) read(d disk, folder string, base bundlezip.Base, name string) ([]byte, error) {
	pack, err := r.pack(d, folder+"/"+basesName)
	if errors.Is(err, fs.ErrNotExist) {
		return d.read(folder+"/base/"+name, maxMerged)
	}
	if err != nil {
		return nil, err
	}
	if file, ok := pack.Find(base, name); ok && file.Size > maxMerged {
		return nil, fmt.Errorf("%s in %s is too large", name, folder)
	}
	return pack.ReadFile(base, name)
}

func (r *baseReader) pack(d disk, name string) (*bundlezip.Archive, error) {
	if pack, ok := r.packs[name]; ok {
		return pack, nil
	}
	file, info, err := d.open(name)
	if err != nil {
		return nil, err
	}
	pack, err := bundlezip.Open(file, info.Size())
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if r.packs == nil {
		r.packs = map[string]*bundlezip.Archive{}
	}
	r.packs[name], r.files = pack, append(r.files, file)
	return pack, nil
}

func (r *baseReader) close() (err error) {
	for _, file := range r.files {
		err = errors.Join(err, file.Close())
	}
	return err
}
