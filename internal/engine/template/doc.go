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
// digits, known words, numbers in a range and escaped text reach a file, and no
// path is ever made of anything but these identifiers.
//
// # What it writes
//
//	go          HTTP API on net/http                 database: none, file, postgres
//	typescript  HTTP API on node:http, Node 20       database: none, file, postgres
//	python      HTTP API on the standard library     database: none, sqlite
//	static      HTML, CSS and JavaScript by nginx    no database, no authentication
//
// Every project brings tests, a Dockerfile, compose.yaml, .env, .gitignore, a
// README, a CI workflow and its ports in the manifest.
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
// A constraint outranks the prompt. One that cannot be met, one that is not
// known, and a technology that the prompt names outright and this engine does
// not have, end the run with CONSTRAINT_UNRESOLVABLE before a file is written.
//
// # Continuing
//
// A project that this engine began can get or lose a database, authentication,
// CORS, resources, fields and sections, and change its name, port and license.
// What the project already has is no error: the run ends well and changes
// nothing but the memory document. A request in which nothing of this is found
// ends with CONSTRAINT_UNRESOLVABLE and says what can be asked, since a bundle
// without the change would look like success. Files of other engines are never
// touched, and a project begun by another engine is refused.
//
// What a request names beside things that it gets, and cannot get, such as the
// password of a user or a ninth resource, is told in the reason of the decision
// and in the memory document.
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
