package merge

// arena hands out what a parsed file consists of from larger pieces of memory: a
// file has a hundred thousand small things, and they are dropped together.
type arena struct {
	nodes   pool[node]
	fields  pool[field]
	items   pool[*node]
	notes   pool[notes]
	details pool[rareDetail]
	tables  pool[tomlTable]
	names   pool[string]
}

// pool is a piece of memory for many of a kind.
type pool[T any] struct{ free []T }

const poolSize = 64

// take gives one, which is zero.
func (p *pool[T]) take() *T {
	if len(p.free) == 0 {
		p.free = make([]T, poolSize)
	}
	t := &p.free[0]
	p.free = p.free[1:]
	return t
}

// room gives an empty slice that may grow to a size in its place, and beyond it
// elsewhere.
func (p *pool[T]) room(size int) []T {
	if len(p.free) < size {
		p.free = make([]T, max(poolSize, size))
	}
	s := p.free[:0:size]
	p.free = p.free[size:]
	return s
}

func (a *arena) put(n node) *node {
	p := a.nodes.take()
	*p = n
	return p
}

// own is node.own with memory from here.
func (a *arena) own(n *node) *rareDetail {
	if n.rare == nil {
		n.rare = a.details.take()
	}
	return n.rare
}

// add is node.add with memory from here.
func (a *arena) add(dict *node, f field) bool {
	a.makeRoom(dict)
	return dict.add(f)
}

// push is node.push with memory from here, for a key that is new.
func (a *arena) push(dict *node, f field) {
	a.makeRoom(dict)
	dict.push(f, true)
}

func (a *arena) makeRoom(dict *node) {
	if dict.fields == nil {
		dict.fields = a.fields.room(4)
	}
}

// addItem appends to a list.
func (a *arena) addItem(list, item *node) {
	if list.items == nil {
		list.items = a.items.room(4)
	}
	list.items = append(list.items, item)
}

// annotate gives a field its comments, if it has any.
func (a *arena) annotate(f *field, head []string, tail string) {
	if len(head) > 0 || tail != "" {
		f.notes = a.notes.take()
		f.notes.head, f.notes.tail = head, tail
	}
}
