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
		"immutable ledger entries api: amount, memo": "immutable", "API for events: name, date. Append-only.": "append only", "todo api: add, complete, list. task: title": "add, list",
		"API for pets: name. Only employees should have access.": "only employees should have access", "API for pets: name. Each response should have a status code.": "each response",
		"API for pets: name. All clients must have a key.": "all clients must have a key", "API for sales: amount, date. Each day has a total.": "each day has a total",
		"API for appointments: client name, date. A client has only one appointment per day.": "client", "API for pets: name, kind. Must work with curl.": "work", "API for pets: name, kind, tested with postman": "tested",
		"API for cats: name, age. The path should be /kitties": "the path should be", "API for members that's only accessible with an api key, name and email": "only accessible",
		"API for fish: name. Save in a database called fishery.": "in a database", "API for members: name. Our trainers have to log in.": "our trainers have to log in", "API for notes: text. Use an in-memory sqlite": "in memory sqlite",
		"API for dogs, only adult dogs, name, breed": "adult dogs", "Go API for tools: name, price. Who has it is not important": "important",
		"API for exams with questions and answers": "questions", "API for suppliers: name, code and email unique, city": "email unique", "API for students with name and email. They attend courses.": "courses",
		"API: teams (name), players (name), matches (date). Players belong to a team. Matches too.": "matches too", "API for cars and bikes. Cars and bikes have a name. Also a price.": "also a price",
		"API for posts (title), photos (url), comments (text). Posts and photos have many comments.": "posts and photos have many comments", "API for users (name), teams (name) and projects (title). Users and teams have projects.": "users and teams have projects",
		"API for clients (name), projects (title), invoices (total). Projects and their invoices belong to a client.": "projects and their invoices", "API for books, authors and publishers. Books have a title, authors and publishers have a name.": "authors and publishers have a name",
		"API for transfers (amount), accounts (iban). A transfer comes from an account and goes to an account.": "a transfer comes from an account", "API for letters (subject), contacts (name). A letter comes from a contact and goes to many contacts.": "goes to many contacts",
		"API for bikes (brand), riders (name). A rider can rent one bike at a time.": "at a time", "API for cats, dogs and birds. Both have a name.": "both have a name",
		"API for parts with unique code and name":       "name",
		"API for farmers with fields: name, crop, size": "fields",
		"API for hotels with pools: name, city, stars":  "pools", "rest api for dogs with name breed age owner phone": "put commas", "API for questions and answers: question, answer, topic": "question",
		"Web page, cheese cellar, sections: Our Cheeses, The Farm, Contact": "cheese cellar", "Go API for lathes with name, running at 4000 rpm": "4000 rpm",
		"Go API for tasks (title), each task has a due date and several people assigned to it": "assigned to it",
		"API for a comic book collection with series and issues":                               "series and issues", "API for rooms (number) and desks (number). Each has a note.": "each has a note",
		"API for dogs and cats that belong to a shelter": "shelter", "API where the recipes are saved with care and love": "care and love", "API for rooms and desks. Each one has a name.": "has a name",
		"API for anglers, lakes and catches: species, weight, length": "anglers",
		"API for rooms and desks. Every record has a number.":         "number", "API for songs in playlists. A playlist has a name. A song has a title": "playlists",
		"API for members: name, tools they borrowed, phone": "tools", "API for hotels, each hotel has many rooms with a number and a price and a manager": "a manager", "API for houses with rooms. Each one has an area.": "has an area",
		"API for shelters with dogs and cats, each with a name": "name", "API for projects and tasks. A project has a name. Each has a deadline.": "each has a deadline",
		"API for teams: number of players, coach, league amateur or pro": "pro", "API for cars: type of fuel, petrol or diesel, price": "diesel",
		"API for suppliers: name, country, active by default": "default", "API for bills: number, paid in cash": "paid",
		"API for cats: name, age, dogs: name, breed": "dogs", "API for menus, which contain dishes, which contain allergens": "contain dishes", "API for kids to practise sums": "kids",
		"API for wine lovers. I want to keep name, grape and price.": "what records of wine lovers", "API for dogs. It has to know my location and the weather.": "location", "API for dogs. Please keep the code and comments in English.": "comments",
		"API for floats: title, people on float, music": "people on float", "API for lifts: address, capacity in kg, capacity in persons": "capacity",
		"API for beans: origin, roast level light to dark, price": "roast level light to dark", "API for sensors: name, room A102, min -20": "20", "API for tickets: title, status open, closed, snoozed, price": "snoozed",
		"API for my family: chore, who, done":           "what records of family",
		"API for vending machine: slot, product, price": "vending machine", "API made for choirs: singer, voice, since": "choirs", "API that replaces our key list: key, holder": "our key list",
		"API for travel agency: passenger, pnr, travel date": "travel agency", "API for lawyers: case no, client, hearing date": "lawyers", "API for gas agency: consumer no, name, address": "gas agency", "API for a hotel: name, city, stars": "hotel",
		"an API that lists the biggest files of a server, go": "biggest file", "a go cli that lists customers from a csv": "from a csv", "go tool to make a list of broken links": "broken link", "python script to make random numbers": "random number", "go cli to undo the last rename": "undo the last rename",
		"We are a football club and need something to manage players: first name, birthday": "does not say what is to be made",
		"express api for books": "express", "Python API with bottle for books": "bottle", "Go API with gin for books": "gin", "API for orders in spring": "spring", "Go API for shops selling bikes": "selling",
		"Go API for customers cancelling orders": "cancelling", "Go API for members, who borrow them": "borrow", "Go API for lines (date, tags such as colour, size and price)": "colour",
		"cli in python to keep track of the books ive read, title author rating 1-5 and finish date": "put commas",
		"CLI in python to manage my contacts with name phone and email, store in a json file":        "name phone",
		"Go API for trees with species height":                                                       "species height", "API for a chess club: members' names, ratings, birthdays and emails": "names", "backend for a gym: names, emails, plans": "names", "API for our club: names, phones and birthdays of the members": "birthdays",
		"backend for booking flights: passenger, seat":                    "booking flights",
		"backend for ordering pizzas: customer, pizza, size":              "pizzas",
		"website for a car club for old Volvos, events, photos":           "car club for old",
		"a tool that renames photos by adding a number at the end":        "adding a number at the end",
		"Python API for jobs I sent out: company, link to the ad, salary": "link", "Python API for movies I've watched with title, year": "watched",
		"fix my printer it prints only half of the page": "it prints only half", "cheese dairy, products, guided tours, opening hours": "A web site for a cheese dairy",
		"Go API, entities: 1 and 2, (": "1 and 2", "Nurses make mistakes, so I want an API for shifts: nurse, date": "so i want", "API for teams (name) and matches (date). Teams play matches. players: name": "teams play matches",
		"API for restaurants with tables: number, seats": "tables", "REST API for flashcards with decks and cards": "cards", "API for apartment hunting: address, rent": "apartment hunting",
		"API for customers (name), events (title). Customers are invited to an event":                "customers",
		"Hello team, kindly build API for our office with fields vehicle no, driver name, trip date": "what records of office",
		"Go API.\nSchedule:\n- pump_id: fk\n- minutes: int":                                          "pump_id",
		"an API in Go that records audio":                                                            "audio", "Go API, login token for users": "login token for users", "Go API: machines that belong to a shop (name, city)": "shop",
		"go api for rooms: size small medium large, price": "size small", "go api for eggs: date, size S M L": "size s m l", "go api for members: name, membership gold silver or bronze": "membership gold",
		"go api for movies: title, genre is one of drama comedy horror": "commas part choices", "go api for sensors: name, kind temperature humidity or pressure": "commas part choices",
		"pronounceable passwords python cli":    "passwords python",
		"go api for spots: number, occupied no": "occupied no", "go api for orders: number auto increment, total": "number auto", "go api for stock: item name, expires optional date": "expires optional",
		"go api for costs: amount, category like food, rent, fun":                     "category like",
		"Go API for photos: title, organised in albums":                               "organised",
		"Go API for invoices: number, default currency EUR, total":                    "total",
		"go api for items: name, price, price with tax":                               "price",
		"cli in Go for tracking expenses: amount, paid with, found at location, date": "location",
		"a react app for my todo list":                                                "react", "write a rust command line tool for notes": "rust", "Discord bot that posts memes": "discord bot",
		"Eine Webseite für meine Bäckerei in München": "English", "API REST en Go para listar libros con nombre": "English", "Сделай сайт для пекарни": "English",
		"hi": "nothing to make", "🚀": "nothing to make", "": "nothing to make", "asdf qwer": `"asdf qwer"`, "what is 2+2?": `"2+2"`, "an app": "say API",
		"an iPhone app to track water": "iphone app", "a snake game in python": "snake game", "GraphQL API for movies in Go": "graphql", "Go API for products with MongoDB": "mongodb",
		"Python API for users with OAuth login": "oauth", "a Go API for books that blorbify": "blorbify",
		"a website with login": "login", "a TypeScript command-line tool for notes": "not written in TypeScript", "a Go API": "what it is for", "an API for books in Go and Python": "two languages",
		"a Go API for songs, users can like songs": "like songs", "an API for converting currencies": "converting", "a website with a calculator": "calculator",
		"a backup script in python for my home folder": "backup", "go http server that serves static files": "static files",
		"Go API for books with title, author, landing page": "landing page", "Go API for hives and inspections. An inspection belongs to a hive and has a date, a number of frames with brood, and remarks": "remarks", "an API for tenants and apartments, tenants rent apartments": "tenants", "API for tenants and apartments, tenants rent apartments, typescript, postgres db": "tenants rent",
		"a Python API for temperature readings, values are floats": "values", "Make a CLI password manager in Go": "password manager", "a REST API in Go for a URL shortener": "url shortener",
		"CREATE TABLE books (id INTEGER PRIMARY KEY, area GEOMETRY); make a Go API for this": "geometry", "website": "what it is for", "做一个图书管理的API": "English",
		"build go backend for dating app":         "dating",
		"an API for accounts with balance checks": "balance checks", "A Go API for books, make it sparkle": "sparkle", "Go API for todos with tests with pytest": "pytest",
		"A backend for a recipe sharing app in TypeScript. Users can post recipes and rate them.": "recipe sharing", "python program that finds duplicates in a list": "in a list",
		"API for books with user management in Go": "user management", "Go API for cats/dogs": "cats/dogs",
		"Feature flags service in Go. Flag key, description, enabled":                        "flag key",
		"API in Go for members and their games (white, black, result 1-0 / 0-1 / ½-½, date)": "1 0",
		"API for quotes with author, return a random one":                                    "random",
		"an api that stores what i eat: food, calories":                                      "what i eat", "API in Python, store eggs per day: date, count": "date",
		"REST API for a tournament bracket generator": "generator",
		"go cli for git statistics":                   "git statistics", "python tool to list the comments in a file": "comments", "python tool that calculates the sum of numbers given as arguments": "numbers given",
		"Go API for radio shows: title, host, duration. Add a description field too. Drop the duration.": "drop",
		// What depends on something else, or may be a wish, is never dropped.
		"go api for votes, each user votes once: user, choice": "once", "Go API for timers that count down: name, seconds": "down",
		"go api for cats: name, size, small or large":                  "large",
		"API in Go for songs because people must be able to rate them": "rate them",
		"Go API for folders, folders can contain folders":              "folders", "Go API for a bank: accounts, transfer money between them": "transfer", "python tool to find duplicate files and delete them": "delete them",
		"python api for exams: student, score, grade is A above 90, B above 80": "80", "API in Go to compute shipping costs: weight, zone": "compute",
		"website in German for a bakery in Bonn": "in german", "website for a club with a member area": "member area",
		"Go API for tracks with title, with token and pages": "pages",
		"python script to rename photos by date taken":       "by date taken", "rename all files in a folder and delete the old ones": "delete", "python cli that renames variables in source code": "renames variables",
		"python script to find the largest files and delete them": "delete them", "python cli that monitors disk usage and sends an alert": "monitors", "go api to rename files": "rename files",
		"go cli that compresses large files": "compresses", "cli tool in go to track disk usage over time": "time", "python program that renames files according to a csv": "csv",
		"replace text in pdf files, python cli": "pdf files", "python cli to replace employees": "employees",
		"go tool that deletes duplicate photos": "deletes", "python tool that merges two csv files by the id column": "by the id column", "generate v7 uuids in go, command line": "v7", "tool that prints a uuid version 7": "version 7",
		"python cli that prints the uuid of my usb drive": "usb drive", "a dashboard that shows disk usage": "dashboard", "python tool that finds the biggest files and cleans up": "cleans", "go cli that shows the free space on my disk": "free space",
		"rename photos on my iphone, python script": "on my iphone", "python cli that searches for a text in my google drive": "in my google drive",
		"cli in python to validate uuids": "validate", "a cli that creates a folder structure for a new project": "folder structure", "go cli that copies a directory tree": "tree", "python tool for family trees": "family",
		"cli to list running processes": "running process", "cli to show the git history": "git", "tool to add a new column to a csv": "to a csv", "cli to remove accents from text": "from text",
		"cli to track time on projects": "on projects", "cli to manage docker containers": "docker", "cli to delete old log entries": "log entry", "tool for changing wallpapers": "wallpaper", "cli to organize photos": "photo", "tool to delete old backups": "backup",
		"cli shopping list with add, check off and clear": "check off", "cli bookmark manager with add, open and tag": "open",
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
