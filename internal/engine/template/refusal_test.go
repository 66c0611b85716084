package template

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

var suggested = regexp.MustCompile(`A request that works: "([^"]*)"$`)

// Every refusal names what it refuses, and offers a request that works.
func TestRefusalsNameWhatAndOfferAnother(t *testing.T) {
	t.Parallel()
	for prompt, name := range map[string]string{
		"API for projects and tasks. A project has a name. Each has a deadline.": "deadline",
		"API for events: name, date. Append-only.":                               "Append-only", "todo api: add, complete, list. task: title": `"complete"`,
		"API for pets: name. Only employees should have access.": `"access"`, "API for pets: name. Each response should have a status code.": `"response"`,
		"API for pets: name. All clients must have a key.": `"client"`, "API for sales: amount, date. Each day has a total.": `"day"`,
		"API for appointments: client name, date. A client has only one appointment per day.": "client", "API for pets: name, kind. Must work with curl.": "curl", "API for pets: name, kind, tested with postman": "postman",
		"API for cats: name, age. The path should be /kitties":   "The path should be",
		"API for fish: name. Save in a database called fishery.": "called fishery", "API for members: name. Our trainers have to log in.": "log in", "API for notes: text. Use an in-memory sqlite": "two of database",
		"API for dogs, only adult dogs, name, breed": "adult dogs", "Go API for tools: name, price. Who has it is not important": "important",
		"API for exams with questions and answers": "fields of exams", "API for suppliers: name, code and email unique, city": "email unique", "API for students with name and email. They attend courses.": "courses",
		"API: teams (name), players (name), matches (date). Players belong to a team. Matches too.": "Matches too", "API for cars and bikes. Cars and bikes have a name. Also a price.": `"price"`,

		"API for clients (name), projects (title), invoices (total). Projects and their invoices belong to a client.": "belong to a client",
		"API for transfers (amount), accounts (iban). A transfer comes from an account and goes to an account.":       "from an account and goes to an account", "API for letters (subject), contacts (name). A letter comes from a contact and goes to many contacts.": "goes to many contacts",
		"API for bikes (brand), riders (name). A rider can rent one bike at a time.": "at a time", "API for cats, dogs and birds. Both have a name.": "Both have a name",
		"API for parts with unique code and name":                                 "name",
		"API for questions and answers: question, answer, topic":                  "question",
		"Web page, Rolf, cheese cellar, sections: Our Cheeses, The Farm, Contact": "cheese cellar", "Go API for lathes with name, running at 4000 rpm": "rpm",
		"API for a comic book collection with series and issues": "fields of comic books", "API for rooms (number) and desks (number). Each has a note.": "note",
		"API for dogs and cats that belong to a shelter": "shelter", "API where the recipes are saved with care and love": "love",
		"API for rooms and desks. Every record has a number.": `"record"`, "API for songs in playlists. A playlist has a name. A song has a title": "playlists",
		"API for hotels, each hotel has many rooms with a number and a price and a manager": `"a manager"`, "API for houses with rooms. Each one has an area.": "rooms",
		"API for shelters with dogs and cats, each with a name": "records of their own",
		"API for cars: type of fuel, petrol or diesel, price":   "or diesel",
		"API for suppliers: name, country, active by default":   "default", "API for bills: number, paid in cash": "cash",
		"API for menus, which contain dishes, which contain allergens": "contain dishes", "API for kids to practise sums": "practise sums",
		"API for dogs. It has to know my location and the weather.": "weather", "API for dogs. Please keep the code and comments in English.": "comments",
		"API for floats: title, people on float, music": `"float"`, "API for lifts: address, capacity in kg, capacity in persons": "persons",
		"API for sensors: name, room A102, min -20": "20", "API for tickets: title, status open, closed, snoozed, price": `"closed"`,
		"API for my family: chore, who, done":           "family",
		"API for vending machine: slot, product, price": "vending machine", "API made for choirs: singer, voice, since": "choirs", "API that replaces our key list: key, holder": "our key list",
		"API for travel agency: passenger, pnr, travel date": "travel agency", "API for lawyers: case no, client, hearing date": "case no", "API for gas agency: consumer no, name, address": "consumer no", "API for a hotel: name, city, stars": "hotel",
		"an API that lists the biggest files of a server, go": `"server"`, "a go cli that lists customers from a csv": "from a csv", "go tool to make a list of broken links": "go tool to make a list of broken links", "python script to make random numbers": "random numbers", "go cli to undo the last rename": "last rename",
		"We are a football club and need something to manage players: first name, birthday": "say API, web site or command-line tool",
		"express api for books": "express", "Go API with gin for books": "gin", "API for orders in spring": "spring", "Go API for shops selling bikes": "selling",
		"Go API for customers cancelling orders": "cancelling", "Go API for members, who borrow them": "borrow", "Go API for lines (date, tags such as colour, size and price)": "colour",
		"cli in python to keep track of the books ive read, title author rating 1-5 and finish date": "ive read",
		"CLI in python to manage my contacts with name phone and email, store in a json file":        "store in a json file",
		"Go API for trees with species height":                                                       "species height", "backend for a gym: names, emails, plans": "names", "API for our club: names, phones and birthdays of the members": "birthdays",
		"website for a car club for old Volvos, events, photos":           "car club for old",
		"a tool that renames photos by adding a number at the end":        "a tool that renames photos by adding a number at the end",
		"Python API for jobs I sent out: company, link to the ad, salary": "ad",
		"Go API, entities: 1 and 2, (":                                    `"2"`, "Nurses make mistakes, so I want an API for shifts: nurse, date": "mistakes", "API for teams (name) and matches (date). Teams play matches. players: name": "play matches",
		"API for restaurants with tables: number, seats": "tables", "REST API for flashcards with decks and cards": "cards", "API for apartment hunting: address, rent": "apartment hunting",
		"API for customers (name), events (title). Customers are invited to an event":                "invited to an event",
		"Hello team, kindly build API for our office with fields vehicle no, driver name, trip date": "vehicle no",
		"Go API.\nSchedule:\n- pump_id: fk\n- minutes: int":                                          `"fk"`,
		"an API in Go that records audio":                                                            "audio", "Go API, login token for users": "login token for users", "Go API: machines that belong to a shop (name, city)": "shop",
		"go api for sensors: name, kind temperature humidity or pressure": `"humidity or pressure"`,
		"go api for spots: number, occupied no":                           "occupied no", "go api for orders: number auto increment, total": "auto increment", "go api for stock: item name, expires optional date": "optional date",
		"go api for costs: amount, category like food, rent, fun":                     "food",
		"Go API for photos: title, organised in albums":                               "albums",
		"Go API for invoices: number, default currency EUR, total":                    "EUR",
		"go api for items: name, price, price with tax":                               "price",
		"cli in Go for tracking expenses: amount, paid with, found at location, date": "location",
		"a react app for my todo list":                                                "react", "write a rust command line tool for notes": "rust", "Discord bot that posts memes": "discord bot",
		"Eine Webseite für meine Bäckerei in München": "English", "API REST en Go para listar libros con nombre": "English", "Сделай сайт для пекарни": "English",
		"hi": `"hi"`, "🚀": "nothing to make", "": "nothing to make", "asdf qwer": "qwer", "what is 2+2?": "what is 2+2", "an app": "an app",
		"an iPhone app to track water": "iphone app", "a snake game in python": "snake game", "GraphQL API for movies in Go": "graphql", "Go API for products with MongoDB": "mongodb",
		"Python API for users with OAuth login": "oauth", "a Go API for books that blorbify": "blorbify",
		"a website with login": "login", "a TypeScript command-line tool for notes": "not written in TypeScript", "a Go API": "what it is for", "an API for books in Go and Python": "two of language",
		"an API for converting currencies": "converting", "a website with a calculator": "what the page is for",
		"a backup script in python for my home folder": "backup", "go http server that serves static files": "static files",
		"Go API for hives and inspections. An inspection belongs to a hive and has a date, a number of frames with brood, and remarks": "remarks", "an API for tenants and apartments, tenants rent apartments": "rent apartments", "API for tenants and apartments, tenants rent apartments, typescript, postgres db": "rent apartments",
		"a Python API for temperature readings, values are floats": "values", "Make a CLI password manager in Go": "password manager", "a REST API in Go for a URL shortener": "url shortener",
		"CREATE TABLE books (id INTEGER PRIMARY KEY, area GEOMETRY); make a Go API for this": "a definition in SQL", "website": "what the page is for", "做一个图书管理的API": "English",
		"an API for accounts with balance checks": "fields of accounts", "A Go API for books, make it sparkle": "sparkle", "Go API for todos with tests with pytest": "pytest",
		"A backend for a recipe sharing app in TypeScript. Users can post recipes and rate them.": "post recipes and rate them", "python program that finds duplicates in a list": "in a list",
		"API for books with user management in Go": "user management", "Go API for cats/dogs": "cats/dogs",
		"Feature flags service in Go. Flag key, description, enabled": "Flag key",

		"API for quotes with author, return a random one": "random",
		"API in Python, store eggs per day: date, count":  "per day",
		"REST API for a tournament bracket generator":     "generator",
		"go cli for git statistics":                       "git statistic", "python tool to list the comments in a file": "file", "python tool that calculates the sum of numbers given as arguments": "calculates",
		"Go API for radio shows: title, host, duration. Add a description field too. Drop the duration.": "description field too",
		// What depends on something else, or may be a wish, is never dropped.
		"go api for votes, each user votes once: user, choice": "once", "Go API for timers that count down: name, seconds": "down",
		"go api for cats: name, size, small or large":                  "large",
		"API in Go for songs because people must be able to rate them": "rate them",
		"Go API for folders, folders can contain folders":              "folders", "Go API for a bank: accounts, transfer money between them": "between them", "python tool to find duplicate files and delete them": "python tool to find duplicate files and delete them",
		"python api for exams: student, score, grade is A above 90, B above 80": "b", "API in Go to compute shipping costs: weight, zone": "compute",
		"website in German for a bakery in Bonn":       "in german",
		"python script to rename photos by date taken": "rename photos", "rename all files in a folder and delete the old ones": "rename all files in a folder and delete the old ones", "python cli that renames variables in source code": "source code",
		"python script to find the largest files and delete them": `"them"`, "python cli that monitors disk usage and sends an alert": "sends", "go api to rename files": "rename files",
		"go cli that compresses large files": "compresses", "cli tool in go to track disk usage over time": "time",
		"replace text in pdf files, python cli": "pdf", "python cli to replace employees": "employees",
		"go tool that deletes duplicate photos": "photos", "python tool that merges two csv files by the id column": "column", "tool that prints a uuid version 7": "tool that prints a uuid version 7",
		"python cli that prints the uuid of my usb drive": "usb drive", "a dashboard that shows disk usage": "disk usage", "python tool that finds the biggest files and cleans up": "python tool that finds the biggest files and cleans up", "go cli that shows the free space on my disk": `"disk"`,
		"rename photos on my iphone, python script": "iphone", "python cli that searches for a text in my google drive": "text",
		"cli in python to validate uuids": "uuids", "a cli that creates a folder structure for a new project": "folder structure", "go cli that copies a directory tree": "tree", "python tool for family trees": "python tool for family trees",
		"cli to list running processes": "running process", "cli to show the git history": "git", "tool to add a new column to a csv": "tool to add a new column to a csv", "cli to remove accents from text": "accent",
		"cli to track time on projects": `"projects"`, "cli to manage docker containers": "docker", "cli to delete old log entries": "log entry", "tool for changing wallpapers": "wallpaper", "cli to organize photos": "photo", "tool to delete old backups": "backup",
		"cli shopping list with add, check off and clear": "clear", "cli bookmark manager with add, open and tag": "open",
		"a Go API for books on port 80": "port 80", "an e-commerce website": "commerce",
	} {
		_, err := planOf(nil, prompt, constraints{})
		refused, ok := errors.AsType[*engine.Error](err)
		if !ok || refused.Code != engine.CodeConstraintUnresolvable || !strings.Contains(refused.Message, name) {
			t.Errorf("%q: %v, want %q", prompt, err, name)
			continue
		}
		m := suggested.FindStringSubmatch(refused.Message)
		if m == nil {
			t.Errorf("%q: nothing else is offered: %s", prompt, refused.Message)
			continue
		}
		if _, err := planOf(nil, m[1], constraints{}); err != nil {
			t.Errorf("%q: the offer fails: %v", prompt, err)
		}
	}
}
