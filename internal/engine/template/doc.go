// Package template is the engine that needs nobody: no network, no model, no
// clock and no chance.
//
// Its law: a request is first read into a [spec], the few decisions that make a
// project, and every file is then a function of the spec alone. The spec is what
// the project's state keeps, so continuing a project means to read the old spec,
// change it, write the tree again and hand out the files that became different.
// The same request is answered with the same outputs, byte for byte.
//
// The prompt is not trusted. Of its words only identifiers made of a to z and
// digits, known words, numbers in a range and escaped names reach a file, and no
// path is ever made of anything but these identifiers. Nothing quotes the prompt.
//
// # What it writes
//
//	API      go          net/http                  database: none, file, sqlite, postgres
//	         typescript  node:http, Node 20        database: none, file, sqlite, postgres
//	         python      the standard library      database: none, file, sqlite
//	site     static      HTML, CSS and JavaScript by nginx
//	command  go, python  records in a file, or work on files: counting, CSV and JSON, searching,
//	                     duplicates, checksums, passwords
//
// Projects build without a network but for their module or package cache: SQLite
// is modernc.org/sqlite in Go, which needs no C compiler, and sql.js in
// TypeScript, since Node 20 has none of its own. Python has no driver for
// PostgreSQL in its library, so that pair is refused.
//
// Every project brings tests, a README and a CI workflow; one that serves also a
// Dockerfile, compose.yaml, .env and its ports in the manifest. Lists are paged,
// kinds of fields are checked, and what a record refers to has to be there.
//
// # Reading
//
// vocabulary.txt says what words mean. A request is read once over it: each
// phrase has its meaning, other words are names where the sentence expects one,
// and what is left is not understood. A run succeeds only if everything is
// understood. What is the heart of a request and cannot be had (a kind, a
// language, a framework, a platform) is refused by name, with a request that
// works; a detail is left out, and told in the decision left_out and the README.
//
// # Constraints
//
//	language   go, typescript, python, static (locked for the life of a project)
//	name       the project's name; reduced to lower-case letters, digits and hyphens
//	port       1024 to 65535
//	resources  what the API serves, as nouns with commas between
//	sections   what the page of a static site shows, with commas between
//	database   none, file, sqlite, postgres, or yes for the one that suits the language
//	auth       none, token
//	cors       off, on
//	license    none, mit, isc
//	framework  none
//
// A constraint outranks the prompt. One that cannot be met or is not known ends
// the run with CONSTRAINT_UNRESOLVABLE before a file is written.
//
// # Continuing
//
// A project that this engine began can get or lose a database, authentication,
// CORS, resources, fields and sections, and change its name, port and license.
// A request that changes nothing is refused, since a bundle without a change
// would look like success. Files of other engines are never touched, and a
// project begun by another engine is refused.
//
// A pull deletes nothing and a deep merge takes nothing away. So the spec
// remembers the databases that a project once had: a source that would no longer
// build in a folder of that time is written empty, and the README says what else
// stays there until someone removes it.
//
// # Usage
//
// The model is "template" and the cost is nothing. A token is four bytes, begun
// ones counted: on the way in those of the prompt, the constraints and the
// findings, on the way out those of the files.
package template
