package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is one change in one place.
type mutant struct {
	pkg      *pkg
	file     string // its name in the package's folder
	in       string // the function
	operator string
	old, new string
	nth      int // of the same change in the same function
	ordinal  int // of the operator's places in the function
	line     int
	from, to int // the bytes that are replaced
}

// place names the mutant by where it is, whatever the text there.
func (m mutant) place() string {
	return fmt.Sprintf("%s %s: %s #%d", m.path(), m.in, m.operator, m.ordinal)
}

// key names the mutant for as long as its function keeps its text.
func (m mutant) key() string { return m.path() + " " + m.text() }

// text names the mutant within its file.
func (m mutant) text() string {
	k := fmt.Sprintf("%s: %s: %s", m.in, m.operator, shorten(m.old))
	if m.nth > 1 {
		k += fmt.Sprintf(" #%d", m.nth)
	}
	return k
}

// path is the mutant's file below the module's folder.
func (m mutant) path() string { return filepath.ToSlash(filepath.Join(m.pkg.name(), m.file)) }

func (m mutant) String() string { return fmt.Sprintf("%s (line %d)", m.key(), m.line) }

// shorten makes one short line of source.
func shorten(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if len(source) > 70 {
		return source[:67] + "..."
	}
	return source
}

// The operators that are exchanged for each other.
var exchanged = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL,
}

// sitesOf finds every change that an operator can make in a package.
func sitesOf(p *pkg) ([]mutant, error) {
	var all []mutant
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(file) {
			continue
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			v := &finder{pkg: p, file: name, in: functionName(f), fset: fset, source: source, seen: make(map[string]int), places: make(map[string]int)}
			ast.Inspect(f.Body, v.visit)
			all = append(all, v.found...)
		}
	}
	return all, nil
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if i, ok := t.(*ast.IndexExpr); ok {
		t = i.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// finder collects the mutants of one function.
type finder struct {
	pkg      *pkg
	file, in string
	fset     *token.FileSet
	source   []byte
	seen     map[string]int // by key
	places   map[string]int // by operator
	found    []mutant
}

// add notes that the bytes of replaced can be changed; shown is what a reader is
// shown of the place.
func (f *finder) add(operator string, from, to token.Pos, replacement string, shown ast.Node) {
	m := mutant{
		pkg: f.pkg, file: f.file, in: f.in, operator: operator, new: replacement,
		old: f.text(shown.Pos(), shown.End()), line: f.fset.Position(from).Line,
		from: f.fset.Position(from).Offset, to: f.fset.Position(to).Offset,
	}
	f.seen[m.key()]++
	m.nth = f.seen[m.key()]
	f.places[operator]++
	m.ordinal = f.places[operator]
	f.found = append(f.found, m)
}

func (f *finder) text(from, to token.Pos) string {
	return string(f.source[f.fset.Position(from).Offset:f.fset.Position(to).Offset])
}

// plain says that a change would show nothing: every test notices when each call
// fails, and texts cannot be subtracted.
func plain(n *ast.BinaryExpr) bool {
	if n.Op == token.ADD {
		text := false
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			text = text || ok && lit.Kind == token.STRING
			return true
		})
		return text
	}
	x, ok := n.X.(*ast.Ident)
	return ok && x.Name == "err" && n.Op == token.NEQ
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if to, ok := exchanged[n.Op]; ok && !plain(n) {
			f.add(n.Op.String()+" becomes "+to.String(), n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String(), n)
		}
	case *ast.IfStmt:
		f.add("never", n.Cond.Pos(), n.Cond.End(), "false && ("+f.text(n.Cond.Pos(), n.Cond.End())+")", n.Cond)
		if b, ok := n.Cond.(*ast.BinaryExpr); ok && plain(b) {
			break
		}
		f.add("always", n.Cond.Pos(), n.Cond.End(), "true || ("+f.text(n.Cond.Pos(), n.Cond.End())+")", n.Cond)
	case *ast.ExprStmt:
		// The values stay used, and what they were for does not happen.
		if _, ok := n.X.(*ast.CallExpr); ok {
			f.add("left out", n.Pos(), n.End(), "if false { "+f.text(n.Pos(), n.End())+" }", n)
		}
	case *ast.DeferStmt:
		f.add("left out", n.Pos(), n.End(), "if false { "+f.text(n.Pos(), n.End())+" }", n)
	case *ast.ReturnStmt:
		if last := len(n.Results) - 1; last >= 0 {
			if id, ok := n.Results[last].(*ast.Ident); ok && id.Name == "err" {
				f.add("no error", id.Pos(), id.End(), "func(error) error { return nil }(err)", n)
			}
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			if v, err := strconv.ParseInt(n.Value, 0, 32); err == nil {
				f.add("one more", n.Pos(), n.End(), strconv.FormatInt(v+1, 10), n)
			}
		}
	case *ast.Ident:
		if to, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			f.add(n.Name+" becomes "+to, n.Pos(), n.End(), to, n)
		}
	}
	return true
}
