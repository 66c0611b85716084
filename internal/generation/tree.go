package generation

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/validate"
)

// What an engine may say beside files.
const (
	maxMemory    = 128 << 10 // bytes of the memory document: as an event it fits in one message, however it is escaped
	maxStateKeys = 256
	maxStateText = 40 << 10 // a spec has 32 KiB
	maxPorts     = 256
	maxModel     = 200 // bytes of a model's name
	// Side outputs are what an engine says in one run that adds nothing to a file:
	// how many, and how many bytes of them. A project needs far less, and all of
	// it is kept.
	maxSideOutputs = 100_000
	maxSideBytes   = 64 << 20
	// stagingFactor bounds what all attempts at all files may write, as a multiple
	// of what a project may hold.
	stagingFactor = 4
)

// fileKey names a file of the tree.
type fileKey struct {
	base bundlezip.Base
	path string
}

// treeFile is a file of the tree: one of the project as it was, or one that
// this run has written.
type treeFile struct {
	size    int64
	where   engine.Placement
	written *stagedText // nil: as it was in the project
}

// tree is the project as the run is changing it.
type tree struct {
	id      string // of the project
	source  *pack.Source
	staging *stagingDir
	limit   svc.Extent
	emit    func(svc.Payload) error
	files   map[fileKey]treeFile
	bytes   int64
	ports   map[string]engine.Port
	state   map[string]string
	memory  string
	revised int
	cost    svc.Cost

	attempts map[string]int         // of each path, over the whole run
	builds   map[string]*stagedText // what tokens have built, in this attempt of the engine
	open     map[string]bool        // builds that no file line has completed
	touched  map[fileKey]bool       // written since the last validation
	removed  bool                   // files are gone since then

	sideOutputs int // outputs that added nothing to a file, over the whole run
	sideBytes   int // of decisions and memory
}

func newTree(project svc.Project, source *pack.Source, staging *stagingDir, limit svc.Extent, attempts map[string]int, emit func(svc.Payload) error) *tree {
	t := &tree{
		id: project.ID, source: source, staging: staging, limit: limit, emit: emit,
		files: make(map[fileKey]treeFile), ports: make(map[string]engine.Port),
		state: maps.Clone(project.State), memory: project.Memory, revised: project.MemoryRevision,
		attempts: attempts, touched: make(map[fileKey]bool),
	}
	if t.state == nil {
		t.state = make(map[string]string)
	}
	manifest := source.Manifest()
	for _, f := range manifest.Files {
		t.files[fileKey{f.Base, f.Path}] = treeFile{size: f.Size, where: engine.Placement{
			DestinationType: string(f.DestinationType), MergeStrategy: string(f.MergeStrategy),
			Base: string(f.Base), Mode: string(f.Mode),
		}}
		t.bytes += f.Size
	}
	for _, p := range manifest.Ports {
		port := engine.Port{Name: p.Name, Port: p.Port}
		for _, u := range p.Uses {
			port.Uses = append(port.Uses, engine.PortUse(u))
		}
		t.ports[p.Name] = port
	}
	t.nextAttempt()
	return t
}

// nextAttempt forgets what tokens have built: the engine is asked anew, and what
// it built before is the project it builds on.
func (t *tree) nextAttempt() {
	t.builds, t.open = make(map[string]*stagedText), make(map[string]bool)
}

// violation ends a run whose engine broke a rule of the boundary.
func violation(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeValidationFailed, Message: fmt.Sprintf(format, args...)}
}

// apply applies one output of the engine, and emits it.
func (t *tree) apply(out engine.Output) error {
	if err := t.count(out); err != nil {
		return err
	}
	switch o := out.(type) {
	case engine.ToolStatus:
		return t.toolStatus(o)
	case engine.StateUpdate:
		return t.setDecision(o)
	case engine.MemoryUpdate:
		return t.setMemory(o)
	case engine.Token:
		return t.token(o.File, o.Delta)
	case engine.File:
		return t.file(o)
	case engine.Delete:
		return t.removeFile(o.Path)
	case engine.Port:
		return t.setPort(o)
	case engine.Usage:
		return t.addUsage(o)
	default:
		return violation("The engine said something that is not known here (%T).", out)
	}
}

// count bounds what an engine says beside the contents of files, which have
// bounds of their own.
func (t *tree) count(out engine.Output) error {
	switch o := out.(type) {
	case engine.Token:
		if o.Delta != "" {
			return nil
		}
	case engine.StateUpdate:
		t.sideBytes += len(o.Key) + len(o.Value) + len(o.Reason)
	case engine.MemoryUpdate:
		t.sideBytes += len(o.Content)
	case engine.ToolStatus:
		t.sideBytes += len(o.Detail)
	}
	if t.sideOutputs++; t.sideOutputs > maxSideOutputs {
		return violation("The engine said more than %d things beside the contents of files.", maxSideOutputs)
	}
	if t.sideBytes > maxSideBytes {
		return violation("The engine's decisions, memory and reports have more than %d bytes in all.", maxSideBytes)
	}
	return nil
}

func (t *tree) toolStatus(o engine.ToolStatus) error {
	switch o.Action {
	case engine.ActionPlan:
		return nil // the run has said so itself, with its attempt
	case engine.ActionGenerateFile, engine.ActionValidate, engine.ActionRepairFile, engine.ActionFinalize:
	default:
		return violation("The engine began an action that is not known here: %.100q.", o.Action)
	}
	if o.File != "" {
		if err := checkPath(o.File); err != nil {
			return err
		}
	}
	return t.emit(svc.ToolStatusEvent{Action: o.Action, Status: svc.ToolStarted, File: o.File, Detail: validate.Cut(o.Detail, maxCheckDetail)})
}

func (t *tree) setDecision(o engine.StateUpdate) error {
	if o.Key == "" || len(o.Key) > maxStateText || len(o.Value) > maxStateText || len(o.Reason) > maxStateText {
		return violation("The engine locked a decision without a key or with more than %d bytes.", maxStateText)
	}
	if t.state[o.Key] = o.Value; len(t.state) > maxStateKeys {
		return violation("The engine locked more than %d decisions.", maxStateKeys)
	}
	return t.emit(svc.StateUpdateEvent{Key: o.Key, Value: o.Value, Reason: o.Reason})
}

func (t *tree) setMemory(o engine.MemoryUpdate) error {
	if len(o.Content) > maxMemory {
		return violation("The memory document has %d bytes; at most %d are kept.", len(o.Content), maxMemory)
	}
	t.memory, t.revised = o.Content, t.revised+1
	return t.emit(svc.MemoryUpdateEvent{Revision: t.revised, Content: o.Content})
}

func (t *tree) setPort(o engine.Port) error {
	if o.Name == "" || len(o.Name) > bundlezip.MaxName {
		return violation("The engine declared a port without a fitting name.")
	}
	if o.Port == 0 {
		delete(t.ports, o.Name)
		return nil
	}
	if t.ports[o.Name] = o; len(t.ports) > maxPorts {
		return violation("The engine declared more than %d ports.", maxPorts)
	}
	return nil
}

func (t *tree) addUsage(o engine.Usage) error {
	if o.InputTokens < 0 || o.OutputTokens < 0 || !(o.CostUSD >= 0 && o.CostUSD < 1e9) { // also when it is no number
		return violation("The engine told a usage that cannot be.")
	}
	if o.Model != "" {
		t.cost.Model = validate.Cut(o.Model, maxModel)
	}
	t.cost.InputTokens += o.InputTokens
	t.cost.OutputTokens += o.OutputTokens
	t.cost.EstimatedUSD += o.CostUSD
	return nil
}

// removeFile takes a file out, and with it the places of ports in it.
func (t *tree) removeFile(path string) error {
	if err := checkPath(path); err != nil {
		return err
	}
	for _, base := range []bundlezip.Base{bundlezip.ProjectRoot, bundlezip.Home} {
		if old, ok := t.files[fileKey{base, path}]; ok {
			delete(t.files, fileKey{base, path})
			delete(t.touched, fileKey{base, path})
			t.removed = true
			t.bytes -= old.size
		}
	}
	delete(t.builds, path)
	delete(t.open, path)
	for name, p := range t.ports {
		uses := slices.DeleteFunc(slices.Clone(p.Uses), func(u engine.PortUse) bool { return u.Path == path })
		if p.Uses = uses; len(uses) == 0 {
			delete(t.ports, name)
		} else {
			t.ports[name] = p
		}
	}
	return nil
}

func checkPath(path string) error {
	if err := bundlezip.CheckPath(path); err != nil {
		return &engine.Error{Code: engine.CodeValidationFailed, Message: fmt.Sprintf("The engine named a file that a bundle cannot hold: %v.", err), Err: err}
	}
	return nil
}

// put places a written file in the tree.
func (t *tree) put(at fileKey, where engine.Placement, content *stagedText) error {
	old, existed := t.files[at]
	if !existed && len(t.files) >= t.limit.Files {
		return violation("The project would have more than %d files.", t.limit.Files)
	}
	t.bytes += content.size - old.size
	if t.bytes > t.limit.Bytes {
		return violation("The project would have more than %d bytes.", t.limit.Bytes)
	}
	t.files[at] = treeFile{size: content.size, where: where, written: content}
	t.touched[at] = true
	return nil
}

// openFile reads a file of the tree.
func (t *tree) openFile(at fileKey) (io.ReadCloser, error) {
	f, ok := t.files[at]
	return openIn(t.source, at, f, ok)
}

func openIn(source *pack.Source, at fileKey, f treeFile, found bool) (io.ReadCloser, error) {
	if !found {
		return nil, fmt.Errorf("%s is no file of the project", at.path)
	}
	if f.written != nil {
		return f.written.open()
	}
	return source.OpenFile(at.base, at.path)
}

// sortedKeys lists the files, sorted by path.
func (t *tree) sortedKeys() []fileKey {
	all := slices.Collect(maps.Keys(t.files))
	slices.SortFunc(all, func(a, b fileKey) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.base, b.base))
	})
	return all
}

// project is the tree as it stands, for the engine to see. It stays as it is
// while the engine changes the tree, and may be read beside that: the view has
// its own list, and a text of an earlier attempt is never added to.
func (t *tree) project() engine.Project {
	p := engine.Project{State: maps.Clone(t.state), Memory: t.memory}
	type file struct {
		fileKey
		treeFile
	}
	view := make(map[string]file, len(t.files))
	for _, at := range t.sortedKeys() {
		f := t.files[at]
		p.Files = append(p.Files, engine.FileInfo{Path: at.path, Size: f.size, Place: f.where})
		if _, taken := view[at.path]; !taken {
			view[at.path] = file{at, f}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.ports)) {
		p.Ports = append(p.Ports, t.ports[name])
	}
	source := t.source
	p.Open = func(path string) (io.ReadCloser, error) {
		f, found := view[path]
		return openIn(source, fileKey{f.base, path}, f.treeFile, found)
	}
	return p
}

// content is the tree as it is packaged. Files that were not written are those
// of the old pack, which are copied as they are.
func (t *tree) content() pack.Content {
	state := t.source.State()
	state.ProjectID = t.id
	state.Architecture = maps.Clone(t.state)
	state.Files = slices.DeleteFunc(state.Files, func(f bundlezip.StateFile) bool {
		now, ok := t.files[fileKey{f.Base, f.Path}]
		return !ok || now.written != nil
	})
	for _, at := range t.sortedKeys() {
		if f := t.files[at]; f.written != nil {
			state.Files = append(state.Files, bundlezip.StateFile{
				Path: at.path, Base: at.base,
				DestinationType: bundlezip.DestinationType(f.where.DestinationType),
				MergeStrategy:   bundlezip.MergeStrategy(f.where.MergeStrategy),
				Mode:            bundlezip.Mode(f.where.Mode),
				Content:         bundlezip.Reader(f.written.open),
			})
		}
	}
	state.Ports = nil
	for _, name := range slices.Sorted(maps.Keys(t.ports)) {
		p := t.ports[name]
		port := bundlezip.Port{Name: p.Name, Port: p.Port}
		for _, u := range p.Uses {
			port.Uses = append(port.Uses, bundlezip.PortUse(u))
		}
		state.Ports = append(state.Ports, port)
	}
	return pack.Content{State: state, Memory: t.memory, MemoryRevision: t.revised}
}
