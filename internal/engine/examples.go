package engine

// Examples are requests that every installation answers, since the template
// engine does: what the documents show, and first the four of different kinds that
// the console suggests. A test makes a project of each, and holds the documents to
// this list.
func Examples() []string {
	return []string{
		"A todo list API in Go with SQLite, tests and a Dockerfile",
		"a web site for a bakery in Bristol",
		"a Python API for books with title, author and isbn",
		"a TypeScript API for products with name and price, with authentication",
		"a bookmarks API in Python",
		"a todo list API in Go",
	}
}
