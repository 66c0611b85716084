package template

import (
	"slices"
	"strings"
)

// The tables of nouns: what things are called, what they usually have, and what
// kind the name of a field gives away.

// placeThings are places, and what an API for one serves: beside things that a
// request names, the place itself is no resource.
var placeThings = table(`blog: post; shop, store, webshop, marketplace, catalog, catalogue: product; inventory, warehouse: item; library, bookstore, bookshop, book store, book shop: book;
forum: thread; crm: contact; chat: message; calendar: event; diary, journal, guestbook: entry; wiki: page; budget: expense; gym: member; helpdesk: ticket; clinic: appointment; restaurant: reservation;
hotel: booking; zoo: animal; garage: car; school: student; address book, addressbook, phone book, phonebook: contact; playlist: song; cookbook: recipe; url shortener, link shortener: link; bakery: order; museum: exhibit; club: member; farm: animal; hospital: patient; university, college: course; cinema: movie; airport: flight; pharmacy: medicine; vet, veterinary clinic: pet; dealership, car dealership: car; bug tracker, issue tracker: issue; kanban board: card; todo: todo`)

// kindsByName are the kinds that the last word of a field's name gives away.
var kindsByName = table(`
name, title, description, body, content, text, note, notes, author, owner, email, phone, address, city, country, url, link, image, status, state, category, color, currency, isbn, sku, location, genre, language, unit, icon, slug, summary, comment, director, artist, species, breed, address, class, notes, series, news, number, id, code, type, brand, model, make, gender, role, priority, time, hours, address, basis, campus, virus, bonus, canvas, status: string;
price, cost, amount, weight, height, width, length, latitude, longitude, temperature, humidity, total, balance, distance, salary, discount, rating, litres, liters, grams, kg, kilograms, km, kilometers, miles, volume, percentage, percent, speed, area, wage, fee, budget, tax, budget, lat, lng, lon, depth, pressure, score, average, revenue, profit, kilos, pounds, duration, value, mileage, rate, interest: number;
quantity, count, age, year, stock, level, points, position, servings, calories, size, capacity, credits, minutes, seconds, days, weeks, months, years, pages, stars, floor, seats, copies, likes, views, rank, attendees, guests, rooms, bedrooms, persons, players, reps, sets, steps walked, goals, wins, losses, laps, page count, horsepower, order number index: integer;
done, completed, complete, active, enabled, published, archived, paid, favorite, favourite, pinned, finished, available, read, sold, verified, public, approved, cancelled, canceled, closed, open, shipped, delivered, in stock, vaccinated, confirmed, urgent, hidden, visible, returned, watched, flag, adopted, optional flag, deleted: boolean;
tags, labels, keywords, categories, ingredients, steps, genres, authors, emails, participants, skills, links, features, allergens, colors, sizes, toppings, images, photos, languages, hobbies, items, members, members list, subjects: strings;
date, birthday, birthdate, deadline, dob, due, day: date;
datetime, timestamp, at: datetime`)

// typeWords say what kind a field has.
var typeWords = table(`
string, str, varchar, char, text, uuid, a string, a text, some text, free text, email, url, phone: string;
number, float, double, decimal, numeric, money, real, a number, a decimal, a float, float64, currency, amount: number;
int, integer, whole number, bigint, an integer, a whole number, int64, int32, year, count: integer;
bool, boolean, flag, yes no, true false, a boolean, a bool, checkbox, true or false, yes or no: boolean;
list, list of strings, array, array of strings, strings, string list, list of texts, list of text, texts, a list, a list of strings, string array, str list: strings;
date, a date: date;
datetime, date time, timestamp, date and time, a timestamp, time stamp, a datetime: datetime`)

// trailingTypes are those that also stand behind a name, as in "sku string".
var trailingTypes = phraseSet(`string, str, int, integer, float, decimal, bool, boolean, datetime, timestamp, flag, varchar, float64, int64`)

// usualFields is what a thing has when the request says nothing of it.
var usualFields = map[string]string{
	"todo": "title:string,done:boolean", "task": "title:string,done:boolean", "book": "title:string,author:string,year:integer",
	"movie": "title:string,director:string,year:integer", "post": "title:string,body:string,published:boolean",
	"article": "title:string,body:string,published:boolean", "note": "title:string,body:string", "comment": "text:string,author:string",
	"message": "text:string,author:string", "product": "name:string,price:number,stock:integer", "order": "customer:string,status:string,total:number",
	"user": "name:string,email:string", "contact": "name:string,email:string,phone:string", "event": "title:string,date:date,location:string",
	"recipe": "title:string,ingredients:strings,servings:integer", "expense": "description:string,amount:number,date:date",
	"link": "url:string,title:string", "ticket": "title:string,status:string,priority:string", "song": "title:string,artist:string,duration:number",
	"customer": "name:string,email:string", "invoice": "number:string,amount:number,paid:boolean", "review": "text:string,rating:number",
}

// titledThings are called by a title, everything else by a name.
var titledThings = phraseSet(`film, page, thread, document, poem, course, lesson, story, issue, bug, video, album, picture, photo, job, idea, goal, reminder, poll, survey, habit, bookmark`)

// layouts are the parts of a page that have a form of their own.
var layouts = table(`
hours, opening hours, opening times, open hours, business hours, store hours: hours;
prices, pricing, price list, rates, fees, packages, plans: pricing;
about, about us, about me, our story, story, history, bio, biography, mission, who we are: about;
contact, contact us, contact info, contact details, contact information, contacts, contact me, get in touch: contact;
faq, faqs, questions, frequently asked questions: faq;
location, address, directions, find us, where to find us: location;
newsletter: newsletter`)

// usualSections is what people look for on the page of such a place.
var usualSections = table(`
coffee, cafe, café, tea, bakery, restaurant, bar, pub, bistro, pizzeria, diner, brewery, deli, patisserie, catering, food: about,menu,opening-hours,location,contact;
band, singer, musician, dj, choir, orchestra, rapper: about,music,tour-dates,contact;
conference, meetup, festival, summit, hackathon, workshop, wedding, event: about,schedule,location,contact;
photographer, artist, designer, painter, illustrator, developer, architect, writer, freelancer, portfolio, engineer: portfolio,about,services,contact;
hotel, hostel, museum, gallery, zoo, campsite: about,gallery,prices,location,contact;
gym, salon, barber, studio, spa, clinic, dentist, doctor, lawyer, agency, consultant, plumber, garage, school, electrician: about,services,prices,contact;
shop, store, boutique, florist, bookstore, bookshop, market, farm, brand: about,products,opening-hours,contact;
charity, club, community, church, nonprofit, association, team: about,events,news,contact`)

// sectionWords are parts of pages that have no form of their own.
var sectionWords = phraseSet(`menu, gallery, team, testimonials, reviews, news, blog, projects, skills, experience, education, clients, partners, schedule, speakers, products, services, features, events, careers, portfolio, work, press, sponsors, tickets, rsvp, classes, courses, dates, music, videos, photos, shop, values, donate, volunteer, pets, rooms, programs, benefits, hours, times, treatments, recipes, books, tours, shows, albums, awards, research, publications, hobbies, interests, resume, cv, staff, members, facilities, activities, offers, specials, drinks, wines, collections, showcase, stories, articles, links, resources, directions, community, join, support, roadmap, timeline, travel, accommodation, registry, program, training, trainers, instructors, teachers, doctors, lawyers, stylists, services offered, quote, quotes`)

// table reads rows of "words: value" with semicolons between.
func table(text string) map[string]string {
	out := map[string]string{}
	for r := range strings.SplitSeq(text, ";") {
		words, value, _ := strings.Cut(r, ":")
		for word := range phraseSet(words) {
			out[word] = strings.TrimSpace(value)
		}
	}
	return out
}

var (
	reservedNouns = phraseSet(`con, prn, aux, nul, com0, com1, com2, com3, com4, com5, com6, com7, com8, com9, lpt0, lpt1, lpt2, lpt3, lpt4, lpt5, lpt6, lpt7, lpt8, lpt9, healthz`)
	// reservedFields are what the generated types already have a meaning for.
	reservedFields = phraseSet(`id, key, validate, withid, constructor, prototype, proto, self, refs`)
	// secretFields need more than a field.
	secretFields = phraseSet(`password, passwords, passphrase, pin, secret`)
	// plainAdjectives describe a field without naming it.
	plainAdjectives = phraseSet(`optional, required, mandatory, long, short, custom, additional, extra, nullable, current, simple`)
)

var irregularPlurals = table(`person: people; child: children; man: men; woman: women; mouse: mice; goose: geese; foot: feet; tooth: teeth; leaf: leaves; knife: knives; life: lives; wolf: wolves;
shelf: shelves; datum: data; medium: media; index: indexes; quiz: quizzes; hero: heroes; potato: potatoes; tomato: tomatoes; bus: buses; movie: movies; cookie: cookies; gas: gases; lens: lenses; status: statuses;
campus: campuses; virus: viruses; bonus: bonuses; news: news; weather: weather; feedback: feedback; music: music; staff: staff; traffic: traffic; money: money; furniture: furniture; series: series; species: species;
sheep: sheep; fish: fish; equipment: equipment; inventory: inventory; address: addresses; class: classes; process: processes; business: businesses; cache: caches; tie: ties; pie: pies; shoe: shoes; canvas: canvases; iris: irises; chess: chess`)

// plural gives the plural of an English noun.
func plural(w string) string {
	if p, ok := irregularPlurals[w]; ok {
		return p
	}
	switch {
	case hasSuffix(w, "s", "x", "z", "ch", "sh"):
		return w + "es"
	case strings.HasSuffix(w, "y") && len(w) > 1 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

// singular gives the singular of an English noun; a singular stays.
func singular(w string) string {
	if _, ok := irregularPlurals[w]; ok {
		return w
	}
	for s, p := range irregularPlurals {
		if p == w {
			return s
		}
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && hasSuffix(w, "sses", "xes", "zes", "ches", "shes"):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !hasSuffix(w, "ss", "us", "is"):
		return w[:len(w)-1]
	}
	return w
}

func hasSuffix(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}

// kindOf guesses the kind of a field from its name, whose words are given.
func kindOf(words []string) string {
	last := words[len(words)-1]
	switch {
	case words[0] == "is" || words[0] == "has":
		return kindBoolean
	case words[0] == "number" && len(words) > 1:
		return kindInteger
	case words[0] == "date":
		return kindDate
	case len(words) > 1 && last == "on":
		return kindDate
	case kindsByName[strings.Join(words, " ")] != "":
		return kindsByName[strings.Join(words, " ")]
	case len(words) == 1 && last == "at":
		return kindString
	case kindsByName[last] != "":
		return kindsByName[last]
	case singular(last) != last:
		return kindStrings
	}
	return kindString
}
