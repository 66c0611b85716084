package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// trial is one of the ten: what is asked, and what has to be true of the result
// beyond that it builds and passes its own tests.
type trial struct {
	name        string
	prompt      string
	constraints map[string]string
	then        string // a second wish, for the project that the first made
	kept        []check
}

// check says whether a constraint was kept.
type check struct {
	what string
	ok   func(result) bool
}

// result is what was delivered.
type result struct {
	files map[string]string
	ports []int
}

func (r result) has(match func(name string) bool) bool {
	for name := range r.files {
		if match(name) {
			return true
		}
	}
	return false
}

// says finds a word in any file, whatever its case.
func (r result) says(word string) bool {
	for _, text := range r.files {
		if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return true
		}
	}
	return false
}

func named(base string) check {
	return check{"has " + base, func(r result) bool {
		return r.has(func(name string) bool { return path.Base(name) == base })
	}}
}

func ending(ext string) check {
	return check{"is written in " + ext, func(r result) bool {
		return r.has(func(name string) bool { return path.Ext(name) == ext })
	}}
}

func without(ext string) check {
	return check{"has no " + ext, func(r result) bool {
		return !r.has(func(name string) bool { return path.Ext(name) == ext })
	}}
}

func port(n int) check {
	return check{fmt.Sprintf("declares port %d", n), func(r result) bool { return slices.Contains(r.ports, n) }}
}

func about(word string) check {
	return check{"speaks of " + word, func(r result) bool { return r.says(word) }}
}

var license = check{"has a license", func(r result) bool {
	return r.has(func(name string) bool { return strings.HasPrefix(path.Base(name), "LICENSE") })
}}

// trials are the ten.
func trials() []trial {
	readme := named("README.md")
	return []trial{
		{name: "go-todo", prompt: "A Go HTTP API for a todo list", constraints: map[string]string{"language": "go"}, kept: []check{named("go.mod"), readme, about("todo")}},
		{name: "go-port", prompt: "A Go HTTP API for books with title and author", constraints: map[string]string{"language": "go", "port": "9191"}, kept: []check{port(9191), about("book")}},
		{name: "go-auth", prompt: "A Go API for customers that asks for a token", constraints: map[string]string{"language": "go", "auth": "token"}, kept: []check{named("go.mod"), about("token")}},
		{name: "go-license", prompt: "An inventory service for items", constraints: map[string]string{"language": "go", "name": "inventory", "license": "mit"}, kept: []check{license, about("inventory")}},
		{name: "ts-notes", prompt: "An HTTP API for notes", constraints: map[string]string{"language": "typescript"}, kept: []check{named("package.json"), ending(".ts"), without(".go")}},
		{name: "ts-file", prompt: "An HTTP API for orders that keeps them in a file", constraints: map[string]string{"language": "typescript", "database": "file"}, kept: []check{named("package.json"), about("order")}},
		{name: "python-recipes", prompt: "A recipe service", constraints: map[string]string{"language": "python"}, kept: []check{ending(".py"), without(".go"), about("recipe")}},
		{name: "python-sqlite", prompt: "An API for expenses with an amount, kept in a database", constraints: map[string]string{"language": "python", "database": "sqlite"}, kept: []check{ending(".py"), about("sqlite")}},
		{name: "static-site", prompt: "A portfolio site for a photographer", constraints: map[string]string{"language": "static", "license": "mit"}, kept: []check{named("index.html"), license, without(".py")}},
		{name: "go-continued", prompt: "A Go HTTP API for tasks", constraints: map[string]string{"language": "go"}, then: "add authentication", kept: []check{named("go.mod"), about("task"), about("authoriz")}},
	}
}
