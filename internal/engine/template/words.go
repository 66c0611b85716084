package template

import (
	"slices"
	"strings"
)

// wordSet is a set of words; nothing changes it once it is made.
type wordSet map[string]bool

// wordsFrom makes a set of the words in list, with white space between.
func wordsFrom(list string) wordSet {
	set := wordSet{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// Words that name no thing of the project: grammar, wishes, and praise.
var fillerWords = wordsFrom(`a an the this that these those my our your their his her its it i we you they he she me us them
and or but nor so as at by for from in into of off on onto out over per than then to under up upon via with within without
is are was were be been being am do does did done has have had having can could should would will shall may might must need needs
make makes making build builds building create creates creating write writes writing generate generates give gives want wants wanted like
please thanks hello hi hey add adds adding use uses using used include includes including provide provides providing support supports supporting
get gets getting set sets setting let lets allow allows allowing enable enables show shows showing see
new small simple tiny little basic minimal nice good great best better clean modern fast quick quickly easy beautiful pretty cool complete full
real production ready robust secure safe reliable lightweight personal private public internal own working some any each every all both
many more most much other another same different several various multiple single one two three four five first second
not no never only just also too very really well where when while who whom whose which what why how if else because about after before
between during against through there here again once etc eg ie vs
able available based called named known titled implement implements implementing design develop deploy run runs running start
keep keeps kept save saves saving stored manages managing managed manage tracks tracking tracked track stores store storing handle handles
handling serve serves serving list lists listing record records recording collect collects collecting organize organise organizing browse browsing
search searching edit editing update updates updating delete deletes deleting remove removes removing drop replace change changes changing
read reads reading rename call people person user's everyone someone thing things stuff way kind type types sort style
company business team's client clients' customer's simply mostly expose exposes exposing return returns returning accept accepts`)

// Words for the program itself, its parts and its tools.
var techWords = wordsFrom(`api apis rest restful http https json xml crud endpoint endpoints route routes routing resource resources service services
microservice microservices server servers backend frontend app apps application applications web website site sites webpage page pages program
project repo repository tool tools system systems platform platforms software code codebase prototype mvp demo example sample boilerplate template
starter skeleton scaffold framework library libraries package module stack language tracker trackers manager management organizer directory directories planner collection collections
database databases db sql sqlite sqlite3 postgres postgresql mysql mariadb mongodb mongo redis storage persistence persistent persist persists persisted persisting datastore
file files disk memory auth authentication authenticated authorization authorisation authorized login logins signin signup password passwords
token tokens bearer jwt oauth oauth2 session sessions key keys secret cors origin origins browser browsers middleware
test tests tested testing unit docker dockerfile container containers compose kubernetes ci cd pipeline github actions workflow makefile readme
documentation docs log logs logging logger structured config configuration env environment port ports health healthcheck check graceful shutdown
validation error errors deployment hosting cloud go golang typescript ts node nodejs javascript js python py python3 html html5 css css3 nginx
net std stdlib standard static dynamic landing homepage portfolio markdown license licence mit isc open source
cli command interface ui ux gui schema model models data entity entities field fields attribute attributes property properties feature features functionality
operation operations method methods request requests response responses version v1 v2 versioned fast async sync local offline online named localhost`)

// places hold things rather than being them: alone, a blog serves posts; beside
// a thing that the prompt names, the place itself is no resource.
var places = map[string]string{
	"blog": "post", "shop": "product", "webshop": "product", "marketplace": "product", "catalog": "product", "catalogue": "product",
	"inventory": "item", "warehouse": "item", "library": "book", "bookstore": "book", "bookshop": "book", "forum": "thread",
	"crm": "contact", "cms": "article", "chat": "message", "calendar": "event", "diary": "entry", "journal": "entry",
	"wiki": "page", "newsroom": "article", "budget": "expense", "gym": "workout", "helpdesk": "ticket", "clinic": "appointment",
	"restaurant": "reservation", "hotel": "booking", "zoo": "animal", "garage": "car", "school": "student", "gallery": "picture",
	"guestbook": "entry", "addressbook": "contact", "playlist": "song", "cookbook": "recipe", "dashboard": "metric", "kanban": "card",
	"scheduler": "job", "shortener": "link", "registry": "record", "archive": "document",
}

// knownFields are the attributes whose kind the name gives away.
var knownFields = map[string]string{
	"title": kindString, "name": kindString, "description": kindString, "summary": kindString, "body": kindString, "content": kindString,
	"text": kindString, "note": kindString, "author": kindString, "owner": kindString, "email": kindString, "phone": kindString,
	"address": kindString, "city": kindString, "country": kindString, "url": kindString, "link": kindString, "image": kindString,
	"status": kindString, "state": kindString, "category": kindString, "color": kindString, "colour": kindString, "currency": kindString,
	"deadline": kindString, "date": kindString, "isbn": kindString, "sku": kindString, "location": kindString, "genre": kindString,
	"language": kindString, "unit": kindString, "icon": kindString, "slug": kindString, "assignee": kindString, "publisher": kindString,
	"time": kindString, "day": kindString, "due": kindString, "start": kindString, "end": kindString, "comment": kindString,
	"price": kindNumber, "cost": kindNumber, "amount": kindNumber, "weight": kindNumber, "height": kindNumber, "width": kindNumber,
	"length": kindNumber, "latitude": kindNumber, "longitude": kindNumber, "temperature": kindNumber, "total": kindNumber, "balance": kindNumber,
	"distance": kindNumber, "salary": kindNumber, "discount": kindNumber,
	"quantity": kindInteger, "count": kindInteger, "rating": kindInteger, "priority": kindInteger, "age": kindInteger, "year": kindInteger,
	"stock": kindInteger, "score": kindInteger, "duration": kindInteger, "level": kindInteger, "points": kindInteger, "position": kindInteger,
	"servings": kindInteger, "calories": kindInteger, "size": kindInteger,
	"done": kindBoolean, "completed": kindBoolean, "complete": kindBoolean, "active": kindBoolean, "enabled": kindBoolean, "published": kindBoolean,
	"archived": kindBoolean, "paid": kindBoolean, "favorite": kindBoolean, "favourite": kindBoolean, "pinned": kindBoolean, "finished": kindBoolean,
	"tags": kindStrings, "labels": kindStrings, "keywords": kindStrings, "categories": kindStrings, "ingredients": kindStrings,
	"steps": kindStrings, "genres": kindStrings, "notes": kindString, "authors": kindStrings, "emails": kindStrings, "attendees": kindStrings,
	"participants": kindStrings, "skills": kindStrings, "links": kindStrings, "options": kindStrings, "features": kindStrings, "allergens": kindStrings,
}

// usualFields is what a thing has when the prompt says nothing of it.
var usualFields = map[string][]field{
	"todo":    {{"title", kindString}, {"done", kindBoolean}},
	"task":    {{"title", kindString}, {"done", kindBoolean}},
	"book":    {{"title", kindString}, {"author", kindString}, {"year", kindInteger}},
	"movie":   {{"title", kindString}, {"director", kindString}, {"year", kindInteger}},
	"post":    {{"title", kindString}, {"body", kindString}, {"published", kindBoolean}},
	"article": {{"title", kindString}, {"body", kindString}, {"published", kindBoolean}},
	"note":    {{"title", kindString}, {"body", kindString}},
	"comment": {{"text", kindString}, {"author", kindString}},
	"message": {{"text", kindString}, {"author", kindString}},
	"product": {{"name", kindString}, {"price", kindNumber}, {"stock", kindInteger}},
	"order":   {{"customer", kindString}, {"status", kindString}, {"total", kindNumber}},
	"user":    {{"name", kindString}, {"email", kindString}},
	"contact": {{"name", kindString}, {"email", kindString}, {"phone", kindString}},
	"event":   {{"title", kindString}, {"date", kindString}, {"location", kindString}},
	"recipe":  {{"title", kindString}, {"ingredients", kindStrings}, {"servings", kindInteger}},
	"expense": {{"description", kindString}, {"amount", kindNumber}, {"date", kindString}},
	"link":    {{"url", kindString}, {"title", kindString}},
	"ticket":  {{"title", kindString}, {"status", kindString}, {"priority", kindInteger}},
	"song":    {{"title", kindString}, {"artist", kindString}, {"duration", kindInteger}},
}

// titledThings are called by a title, everything else by a name.
var titledThings = wordsFrom(`todo task book movie film post article note event recipe ticket song album video page thread document poem course lesson story issue bug`)

// knownSections are the parts of a page, by the words that ask for them.
var knownSections = map[string]string{
	"about": "about", "features": "features", "feature": "features", "services": "services", "pricing": "pricing", "prices": "pricing",
	"price": "pricing", "gallery": "gallery", "photos": "gallery", "pictures": "gallery", "portfolio": "portfolio", "work": "portfolio", "projects": "portfolio",
	"blog": "news", "news": "news", "weather": "weather", "feedback": "feedback", "music": "music", "staff": "staff", "traffic": "traffic", "money": "money", "furniture": "furniture", "events": "events", "team": "team", "testimonials": "testimonials", "reviews": "testimonials",
	"faq": "faq", "questions": "faq", "contact": "contact", "contacts": "contact", "menu": "menu", "hours": "hours", "opening": "hours",
	"location": "location", "map": "location", "products": "products", "shop": "products", "newsletter": "newsletter", "schedule": "schedule",
	"tour": "tour-dates", "tour-dates": "tour-dates", "concerts": "tour-dates", "gigs": "tour-dates", "merch": "merch", "merchandise": "merch",
	"program": "schedule", "speakers": "speakers", "skills": "skills", "experience": "experience", "resume": "experience", "education": "education",
}

// unusableNoun names what cannot be a resource: words that file systems keep
// for themselves, and addresses that the API needs.
func unusableNoun(w string) bool { return reservedNouns[w] }

// unusableField names what the generated types already have a meaning for.
func unusableField(w string) bool { return reservedFields[strings.ReplaceAll(w, "_", "")] }

var (
	reservedNouns = wordsFrom(`con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9
lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 healthz`)
	reservedFields = wordsFrom(`id key validate withid constructor prototype proto self`)
	// fieldModifiers say which of several fields is meant: a first name, a full name.
	fieldModifiers = wordsFrom(`first full`)
	// boundWords make a number of what they stand before.
	boundWords = wordsFrom(`max min maximum minimum`)
	// plainAdjectives describe a field without naming it.
	plainAdjectives = wordsFrom(`optional required mandatory unique long short custom additional extra nullable searchable`)
	// verbalNouns are things although they end in -ing.
	verbalNouns = wordsFrom(`booking building meeting painting listing rating training ring king thing ping wing`)
	// thingsAndFields are attributes in the singular and things in the plural.
	thingsAndFields = wordsFrom(`comment note link image author owner address city country category location event`)
	// nameEnds are the words with which a sentence goes on after a name.
	nameEnds = wordsFrom(`with for that in using on and which to by where having who as from`)
)

var irregularPlurals = map[string]string{
	"person": "people", "child": "children", "man": "men", "woman": "women", "mouse": "mice", "goose": "geese", "foot": "feet",
	"tooth": "teeth", "leaf": "leaves", "knife": "knives", "life": "lives", "wolf": "wolves", "shelf": "shelves", "datum": "data",
	"medium": "media", "index": "indexes", "quiz": "quizzes", "hero": "heroes", "potato": "potatoes", "tomato": "tomatoes",
	"news": "news", "weather": "weather", "feedback": "feedback", "music": "music", "staff": "staff", "traffic": "traffic", "money": "money", "furniture": "furniture", "series": "series", "species": "species", "sheep": "sheep", "fish": "fish", "equipment": "equipment", "bus": "buses",
	"movie": "movies", "cookie": "cookies", "gas": "gases", "lens": "lenses", "status": "statuses", "campus": "campuses", "virus": "viruses", "bonus": "bonuses",
}

// plural gives the plural of an English noun, and of what already is one itself.
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
