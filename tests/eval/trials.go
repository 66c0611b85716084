package main

// trial is one sentence as somebody might write it, and what has to be true of
// what comes of it. None was written with an engine's vocabulary at hand.
type trial struct {
	name, prompt string
	then         []string // further wishes, for the project that the first made
	// facts hold for the program that is made. Where there are none, there is
	// nothing to make, and only a refusal is honest.
	facts []fact
	// names are what a refusal has to speak of: one of them each, where | parts them.
	names []string
	short bool // is among those that every test run tries
}

// within are requests that the template engine is meant for.
var within = []trial{
	{
		name: "go-todo", short: true, prompt: "i need a simple go rest api for a todo list, todos have a title, a done flag and a due date please",
		facts: []fact{written("go"), record("todos", `{"title":"milk","done":true,"due_date":"2026-03-01"}`), rejects("todos", "due_date", `"banana"`), rejects("todos", "done", `"perhaps"`)},
	},
	{
		name: "go-typed", prompt: "Write me a Go HTTP API for books with title:string, author:string and year:int",
		facts: []fact{written("go"), record("books", `{"title":"Emma","author":"Austen","year":1815}`), rejects("books", "year", `"soon"`)},
	},
	{
		name: "go-token", short: true, prompt: "golang backend, pets (name, species, birth date), require a token",
		facts: []fact{written("go"), guarded("pets"), record("pets", `{"name":"Rex","species":"dog","birth_date":"2020-01-02"}`)},
	},
	{
		name: "go-postgres", short: true, prompt: "Can you make an API in Go? It should manage customers with name, email and phone number. Store them in postgres.",
		facts: []fact{written("go"), keeps("customers", `{"name":"Ada","email":"ada@example.com","phone_number":"+44 1"}`, postgres)},
	},
	{
		name: "go-bullets", prompt: "Go service for invoices:\n- number\n- amount (decimal)\n- paid (bool)\n- issued on (date)\nlisten on port 9090",
		facts: []fact{written("go"), port(9090), record("invoices", `{"number":"A-1","amount":12.5,"paid":false,"issued_on":"2026-01-31"}`), rejects("invoices", "paid", `"x"`)},
	},
	{
		name: "go-sqlite", short: true, prompt: "api for kombucha batches with flavour, started_at and litres. go. sqlite.",
		facts: []fact{written("go"), keeps("batches|kombucha_batches|kombucha-batches", `{"flavour":"ginger","started_at":"2026-01-02T10:00:00Z","litres":4}`, sqlite)},
	},
	{
		name: "go-file", prompt: "Hey! could you please build a REST API in golang for my record collection? records should have artist, title, year. keep the data in a json file thx",
		facts: []fact{written("go"), keeps("records", `{"artist":"Can","title":"Tago Mago","year":1971}`, file)},
	},
	{
		name: "go-module", prompt: "go api, module github.com/acme/stock, items with sku string, quantity integer, price float. MIT license",
		facts: []fact{written("go"), says("go.mod", "module github.com/acme/stock\n"), says("LICENSE", "MIT License"), record("items", `{"sku":"x-1","quantity":3,"price":9.5}`), rejects("items", "quantity", `2.5`)},
	},
	{
		name: "go-relation", prompt: "A Go API for blog posts and comments. Posts have a title and body, comments have an author and text. comments belong to posts. Use SQLite",
		facts: []fact{written("go"), record("posts", `{"title":"Hi","body":"there"}`), belongs("comments", `{"author":"Bo","text":"yes"}`, "posts", `{"title":"Hi","body":"there"}`)},
	},
	{
		name: "go-paging", prompt: "REST endpoint in Go to manage employees (first name, last name, salary) with pagination",
		facts: []fact{written("go"), record("employees", `{"first_name":"Al","last_name":"Oh","salary":1200}`), paged("employees", `{"first_name":"Al","last_name":"Oh","salary":1200}`)},
	},
	{
		name: "go-plain", prompt: "an http api in go for tasks with title, priority and status",
		facts: []fact{written("go"), record("tasks", `{"title":"tidy","status":"open"}`)},
	},
	{
		name: "go-key", prompt: "crud api for movies in go with api key authentication. fields: title, director, release year, rating",
		facts: []fact{written("go"), guarded("movies"), record("movies", `{"title":"Alien","director":"Scott","release_year":1979,"rating":8.5}`)},
	},
	{
		name: "go-rules", prompt: "Go API for discount coupons. A coupon has a code (required, unique), percent (int between 1 and 100), active (bool, default true). Use sqlite.",
		facts: []fact{
			written("go"), record("coupons|discount_coupons|discount-coupons", `{"code":"SPRING","percent":10,"active":false}`), unique("coupons|discount_coupons|discount-coupons", "code", "SUMMER"),
			required("coupons|discount_coupons|discount-coupons", "code"), rejects("coupons|discount_coupons|discount-coupons", "percent", "0"),
			rejects("coupons|discount_coupons|discount-coupons", "percent", "101"), usual("coupons|discount_coupons|discount-coupons", "active", true),
		},
	},
	{
		name: "python-rules", prompt: "python backend for support tickets with subject, status (open/waiting/closed, default open) and an optional note",
		facts: []fact{
			written("py"), record("tickets|support_tickets|support-tickets", `{"subject":"no heat","status":"waiting","note":"ring twice"}`), rejects("tickets|support_tickets|support-tickets", "status", `"lost"`),
			usual("tickets|support_tickets|support-tickets", "status", "open"), optional("tickets|support_tickets|support-tickets", "note"),
		},
	},
	{
		name: "ts-rules", prompt: "TypeScript REST API for gym members: name is required, email must be unique, age at least 16",
		facts: []fact{
			written("ts"), record("members|gym_members|gym-members", `{"name":"Bo","email":"bo@example.com","age":30}`), unique("members|gym_members|gym-members", "email", "al@example.com"),
			required("members|gym_members|gym-members", "name"), rejects("members|gym_members|gym-members", "age", "15"),
		},
	},
	{
		name: "python-token", short: true, prompt: "Python API for pets, require a token",
		facts: []fact{written("py"), guarded("pets"), record("pets", `{"name":"Rex"}`)},
	},
	{
		name: "python-sqlite", short: true, prompt: "python rest api for recipes w/ title, ingredients and servings, save to sqlite",
		facts: []fact{written("py"), keeps("recipes", `{"title":"Soup","servings":4}`, sqlite)},
	},
	{
		name: "python-expenses", prompt: "please make a python web service that stores expenses (amount, category, date)",
		facts: []fact{written("py"), record("expenses", `{"amount":12.5,"category":"food","date":"2026-02-03"}`), rejects("expenses", "amount", `"much"`), rejects("expenses", "date", `"banana"`)},
	},
	{
		name: "python-relation", prompt: "I want a backend in Python for a library: authors and books. authors have a name, books have a title and isbn. A book belongs to an author. Database sqlite.",
		facts: []fact{written("py"), belongs("books", `{"title":"Emma","isbn":"978"}`, "authors", `{"name":"Austen"}`)},
	},
	{
		name: "python-port", prompt: "python api for events with name:str, starts_at:datetime, capacity:int on port 5050",
		facts: []fact{written("py"), port(5050), record("events", `{"name":"Fair","starts_at":"2026-05-01T09:00:00Z","capacity":50}`), rejects("events", "starts_at", `"later"`), rejects("events", "capacity", `"x"`)},
	},
	{
		name: "python-typo", prompt: "a small pyhton api for notes",
		facts: []fact{written("py"), record("notes", `{"title":"a"}`)},
	},
	{
		name: "python-readings", prompt: "Python microservice for sensor readings: sensor id, temperature (number), humidity (number), measured at (timestamp)",
		facts: []fact{written("py"), record("readings|sensor_readings|sensor-readings", `{"sensor_id":"s1","temperature":21.5,"humidity":40,"measured_at":"2026-05-01T09:00:00Z"}`)},
	},
	{
		name: "python-postgres", prompt: "contacts api python postgres", names: []string{"postgres"},
		facts: []fact{written("py"), keeps("contacts", `{"name":"Ada"}`, postgres)},
	},
	{
		name: "ts-products", short: true, prompt: "typescript api for products with name, price and tags (list of strings)",
		facts: []fact{written("ts"), record("products", `{"name":"cup","price":4.5,"tags":["a","b"]}`), rejects("products", "price", `"cheap"`)},
	},
	{
		name: "ts-file", prompt: "a rest api in node for orders that saves them to a file. orders have customer, total and status",
		facts: []fact{keeps("orders", `{"customer":"Bo","total":12.5,"status":"new"}`, file)},
	},
	{
		name: "ts-token", prompt: "TS backend for a gym: members with name, email, joined date. Needs auth with bearer tokens",
		facts: []fact{written("ts"), guarded("members"), record("members", `{"name":"Bo","email":"bo@example.com","joined_date":"2026-01-01"}`)},
	},
	{
		name: "ts-braces", prompt: "Create a Node.js HTTP API for tickets { subject: string, open: boolean, priority: number }",
		facts: []fact{record("tickets", `{"subject":"help","open":true,"priority":2}`), rejects("tickets", "open", `"x"`)},
	},
	{
		name: "ts-postgres", prompt: "typescript rest api for songs with title, artist and duration, using postgres",
		facts: []fact{written("ts"), keeps("songs", `{"title":"Vitamin C","artist":"Can","duration":213}`, postgres)},
	},
	{
		name: "ts-sqlite", prompt: "type script api for cars (make, model, year) with sqlite pls",
		facts: []fact{written("ts"), keeps("cars", `{"make":"Fiat","model":"500","year":1970}`, sqlite)},
	},
	{
		name: "ts-port", prompt: "node api on port 4000 for reviews: product, stars (integer), text",
		facts: []fact{port(4000), record("reviews", `{"product":"cup","stars":5,"text":"fine"}`)},
	},
	{
		name: "ts-two", prompt: "An API in TypeScript for students and courses with paging. Students have a name and an email; courses have a title and credits.",
		facts: []fact{written("ts"), record("students", `{"name":"Bo","email":"bo@example.com"}`), record("courses", `{"title":"Logic","credits":6}`), paged("courses", `{"title":"Logic","credits":6}`)},
	},
	{
		name: "site-bakery", short: true, prompt: "a website for my bakery called Crumb & Co in Bristol with opening hours and a menu",
		facts: []fact{shows("Crumb & Co", "Bristol", "Opening hours", "Menu")},
	},
	{
		name: "site-photographer", prompt: "static site for a wedding photographer named Anna Lindqvist, with a gallery and a contact section",
		facts: []fact{shows("Anna Lindqvist", "Gallery", "Contact", "photograph")},
	},
	{
		name: "site-coffee", prompt: "Landing page for a coffee shop \"Black Kettle\", sections: about, menu, opening hours, contact",
		facts: []fact{shows("Black Kettle", "About", "Menu", "Opening hours", "Contact")},
	},
	{
		name: "site-portfolio", prompt: "simple portfolio page for John Doe, web developer from Lisbon",
		facts: []fact{shows("John Doe", "Lisbon", "web developer")},
	},
	{
		name: "site-yoga", prompt: "make me a one page html site for a yoga studio: classes, prices, about us",
		facts: []fact{shows("yoga studio", "Classes", "Pric", "About")},
	},
	{
		name: "site-band", prompt: "i want a homepage for our band The Rusty Nails with tour dates",
		facts: []fact{shows("The Rusty Nails", "Tour dates")},
	},
	{
		name: "site-dentist", prompt: "plain html css website for a dentist dr. Maria Santos in Porto with faq and testimonials",
		facts: []fact{shows("Maria Santos", "Porto", "dentist", "Testimonials")},
	},
	{
		name: "site-more", prompt: "A website for the Riverside Book Club", then: []string{"add a faq section"},
		facts: []fact{shows("Riverside Book Club", "FAQ|Questions")},
	},
	{
		name: "cli-count", short: true, prompt: "command line tool in Go that counts words and lines in files",
		facts: []fact{written("go"), prints("counting", given{"a.txt": "one two\nthree\n"}, []string{"a.txt"}, []string{"count", "a.txt"}).of("3", "2")},
	},
	{
		name: "cli-csv", prompt: "python cli to convert csv to json",
		facts: []fact{written("py"), prints("converting", given{"a.csv": "name,age\nBo,7\n"}, []string{"a.csv"}, []string{"convert", "a.csv"}).of(`"name": "Bo"|"name":"Bo"`)},
	},
	{
		name: "cli-todo", prompt: "a cli todo app in python",
		facts: []fact{written("py"), prints("adding", nil, []string{"add", "milk"}, []string{"add", "--title", "milk"}).then("list").of("milk")},
	},
	{
		name: "cli-expenses", prompt: "Go command-line program to track expenses with amount, category and note",
		facts: []fact{written("go"), prints("adding", nil, []string{"add", "--amount", "12.5", "--category", "food", "--note", "soup"}, []string{"add", "12.5", "food", "soup"}).then("list").of("12.5", "food", "soup")},
	},
	{
		name: "cli-duplicates", prompt: "write a python script that finds duplicate files in a folder",
		facts: []fact{written("py"), prints("finding", given{"d/a": "same", "d/b": "same", "d/c": "other"}, []string{"d"}, []string{"find", "d"}, []string{"duplicates", "d"}).of("d/a", "d/b").never("d/c")},
	},
	{
		name: "cli-search", prompt: "small go cli that searches for a text in files",
		facts: []fact{written("go"), prints("searching", given{"a.txt": "one\ntwo needle\n", "b.txt": "none\n"}, []string{"needle", "a.txt", "b.txt"}, []string{"search", "needle", "a.txt", "b.txt"}).of("a.txt", "needle").never("b.txt")},
	},
	{
		name: "go-told", prompt: "I run a small coffee roastery and I need a simple backend (Go is fine) where I can store my beans (origin, roast level, price per kg, stock in kg). Should be protected by a token. Thanks!",
		facts: []fact{written("go"), guarded("beans"), record("beans", `{"origin":"Peru","roast_level":"medium","price_per_kg":18.5,"stock":2.5}`)},
	},
	{
		name: "python-list", prompt: "REST API\n- language: Python\n- resources: books, authors\n- books: title, isbn, published year\n- authors: name, nationality\n- storage: sqlite\n- auth: none",
		facts: []fact{written("py"), keeps("authors", `{"name":"Austen","nationality":"British"}`, sqlite), record("books", `{"title":"Emma","isbn":"978","published_year":1815}`)},
	},
	{
		name: "go-chain", prompt: "go api for tv shows with seasons and episodes. A season belongs to a show, an episode belongs to a season.",
		facts: []fact{written("go"), record("shows", `{"name":"Dark"}`), belongs("seasons", `{"name":"One"}`, "shows", `{"name":"Dark"}`)},
	},
	{
		name: "site-told", prompt: "We are a small bike rental shop called Pedal Power located in Utrecht. We'd like a nice modern website that shows our bikes, our rates and where to find us.",
		facts: []fact{shows("Pedal Power", "Utrecht", "Bikes", "Rates")},
	},
	{
		name: "cli-folder", prompt: "A Go program that prints the sha256 of every file in a directory",
		facts: []fact{written("go"), prints("summing", given{"d/a": "abc"}, []string{"d"}, []string{"checksum", "d"}).of("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "d/a")},
	},
	{
		name: "cli-rename", prompt: "I need a little Go program which renames all the files in a directory to lower case, with underscores instead of the spaces",
		facts: []fact{written("go"), prints("renaming", given{"d/My Pic.JPG": "x"}, []string{"--lower", "--spaces", "_", "--yes", "d"}, []string{"d"}, []string{"rename", "d"}).of("my_pic.jpg")},
	},
	{
		name: "cli-sizes", prompt: "my disk is full, please write a python script that shows me which folders take up the most space",
		facts: []fact{written("py"), prints("measuring", given{"d/big/a": "0123456789", "d/small/b": "0"}, []string{"d"}, []string{"sizes", "d"}, []string{"--path", "d"}).of("d/big", "10", "d/small")},
	},
	{
		name: "cli-replace", prompt: "python command line tool to replace one word with another in every text file of a folder",
		facts: []fact{written("py"), prints("replacing", given{"d/a.txt": "a cat\n", "d/b.txt": "none\n"}, []string{"--yes", "cat", "dog", "d"}, []string{"cat", "dog", "d"}, []string{"d", "cat", "dog"}).of("a.txt").never("b.txt")},
	},
	{
		name: "cli-lines", prompt: "Write a Go CLI that removes duplicate lines from a text file, but keeps their order.",
		facts: []fact{written("go"), prints("removing", given{"a.txt": "pear\nfig\npear\nkiwi\n"}, []string{"--unique", "a.txt"}, []string{"a.txt"}).of("pear\nfig\nkiwi")},
	},
	{
		name: "cli-uuid", prompt: "tiny go program that prints a random uuid",
		facts: []fact{written("go"), prints("printing", nil, []string{}, []string{"generate"}).of("-4").never("usage")},
	},
	{
		name: "cli-tree", prompt: "python script that prints the structure of a folder as a tree, up to a given depth",
		facts: []fact{written("py"), prints("drawing", given{"d/e/f.txt": "", "d/g.txt": ""}, []string{"d"}, []string{"--path", "d"}, []string{"d", "3"}).of("e", "f.txt", "g.txt")},
	},
	{
		name: "go-continued", short: true, prompt: "A Go API for books with title and author", then: []string{"add authentication", "add a price to books"},
		facts: []fact{written("go"), guarded("books"), record("books", `{"title":"Emma","author":"Austen","price":5.5}`)},
	},
}

// beyond are requests whose right answer, of the template engine, is a refusal
// or a named omission. An engine that can do more is judged by the facts.
var beyond = []trial{
	{name: "react", short: true, prompt: "a react app for my todo list", names: []string{"react"}, facts: []fact{says("package.json", `"react"`)}},
	{name: "rust", prompt: "write a rust command line tool for renaming files", names: []string{"rust"}, facts: []fact{says("Cargo.toml", "[package]")}},
	{name: "discord", prompt: "Discord bot that posts memes every hour", names: []string{"discord|bot"}, facts: []fact{mentions("discord")}},
	{name: "german", prompt: "Eine Webseite für meine Bäckerei in München mit Öffnungszeiten", names: []string{"english"}, facts: []fact{shows("München", "Öffnungszeiten")}},
	{name: "spanish", prompt: "API REST en Go para gestionar libros con nombre y correo", names: []string{"english"}, facts: []fact{written("go"), record("libros", `{"nombre":"Bo","correo":"bo@example.com"}`)}},
	{name: "french", prompt: "Une API en Python pour gérer des livres avec titre et auteur", names: []string{"english"}, facts: []fact{written("py"), record("livres", `{"titre":"Emma","auteur":"Austen"}`)}},
	{name: "hi", short: true, prompt: "hi"},
	{name: "emoji", prompt: "🚀🚀🚀"},
	{name: "letters", prompt: "asdf qwer zxcv", names: []string{"asdf"}},
	{name: "sum", prompt: "what is 2+2?"},
	{name: "iphone", prompt: "an iPhone app to track my water intake", names: []string{"iphone|mobile"}, facts: []fact{mentions("swift")}},
	{name: "game", prompt: "a snake game in python", names: []string{"game"}, facts: []fact{written("py"), mentions("snake")}},
	{name: "graphql", prompt: "GraphQL API for movies in Go", names: []string{"graphql"}, facts: []fact{written("go"), mentions("graphql")}},
	{name: "learning", prompt: "train a machine learning model that predicts house prices", names: []string{"machine learning|train|predict"}, facts: []fact{written("py"), mentions("predict")}},
	{name: "mail", prompt: "a python script that sends an email to my customers every monday", names: []string{"sends|mail|every|schedule"}, facts: []fact{written("py"), mentions("smtp")}},
	{name: "chain", prompt: "smart contract for an NFT collection on ethereum", names: []string{"contract|nft|ethereum"}, facts: []fact{mentions("solidity")}},
	{name: "mongo", prompt: "Go API for products with MongoDB", names: []string{"mongo"}, facts: []fact{written("go"), says("go.mod", "mongo")}},
	{name: "spring", prompt: "Java Spring Boot service for orders", names: []string{"java|spring"}, facts: []fact{mentions("springframework")}},
	{name: "oauth", prompt: "Python API for users with OAuth login via google", names: []string{"oauth|google"}, facts: []fact{written("py"), mentions("oauth")}},
	{name: "extension", prompt: "a chrome extension that blocks ads", names: []string{"extension"}, facts: []fact{mentions("manifest_version")}},
	{name: "websocket", prompt: "a websocket chat server in go", names: []string{"websocket|chat"}, facts: []fact{written("go"), mentions("websocket")}},
	{name: "django", prompt: "django app for a blog", names: []string{"django"}, facts: []fact{mentions("django")}},
	{name: "scrape", prompt: "scrape prices from amazon every day and store them in a csv", names: []string{"scrape|amazon"}},
	{name: "flutter", prompt: "Flutter app + Firebase backend for a food delivery startup", names: []string{"flutter|firebase|mobile"}, facts: []fact{says("pubspec.yaml", "flutter")}},
	{
		name: "filters", short: true, prompt: "go api for books with title and author, filter by author and sort by title", names: []string{"filter", "sort"},
		facts: []fact{written("go"), record("books", `{"title":"Emma","author":"Austen"}`), filtered("books", `{"title":"Emma","author":"%s"}`, "author"), ordered("books", `{"title":"%s","author":"Austen"}`, "title")},
	},
	{
		name: "form", prompt: "a website for my flower shop Petal Row with a contact form and an online shop", names: []string{"contact form", "shop"},
		facts: []fact{shows("Petal Row"), asks("contact form"), lacks("online shop", "the judge knows no shop")},
	},
	{
		name: "deploy", prompt: "Go API for todos. Deploy it to AWS.", names: []string{"aws|deploy"},
		facts: []fact{written("go"), record("todos", `{"title":"milk"}`), lacks("aws", "the judge cannot deploy")},
	},
	{
		name: "secret", prompt: "go api for notes, my password is hunter2 and the key is sk-live-12345",
		facts: []fact{written("go"), record("notes", `{"title":"a"}`), silent("hunter2", "sk-live-12345")},
	},
	{name: "shortener", prompt: "create a REST API using Go's standard library for a URL shortener", names: []string{"shortener"}, facts: []fact{written("go"), mentions("redirect")}},
	{name: "passwords", prompt: "Make a CLI password manager in Go", names: []string{"password"}, facts: []fact{written("go"), mentions("encrypt")}},
	{name: "borrow", prompt: "API for tenants and apartments, tenants rent apartments, typescript, postgres db", names: []string{"rent"}, facts: []fact{written("ts"), lacks("rent", "the judge knows no lease")}},
	{name: "german-page", prompt: "website for a bakery called Crust in Cork", then: []string{"add a German version"}, names: []string{"german"}},
	{name: "dark", prompt: "A Go API for books with title", then: []string{"make it dark"}, names: []string{"dark"}},
	{name: "more-tests", prompt: "A Go API for books with title", then: []string{"write more tests"}, names: []string{"test"}},
}
