package definition

import (
	"strings"
	"testing"
)

func TestDefinitionsBecomeLists(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		`CREATE TABLE IF NOT EXISTS sensors (id serial primary key, serial_no text unique not null, pct int check (pct between 0 and 100), "room_id" int not null references rooms(id) on delete cascade, note varchar(80) null);
-> REST API`: "\n\nsensors:\n- serial_no: string, unique, required\n- pct: integer, min 0, max 100\n- room: belongs to room, required\n- note: string, at most 80 characters, optional\n\n-> REST API",
		"for this: create table invoices (number TEXT PRIMARY KEY, amount NUMERIC(10, 2) NOT NULL DEFAULT 0, status text check (status in ('draft', 'on hold')), paid boolean default false, at timestamp with time zone, tags text[])": "for this:\n\ninvoices:\n- number: string, required, unique\n- amount: number, required, default 0\n- status: string, one of draft/on hold\n- paid: boolean, default false\n- at: datetime\n- tags: list of strings\n\n",
		"type Antenna struct {\n  ID int\n  Callsign string\n  FrequencyMHz float64 `json:\"frequency\"`\n  Installed *time.Time\n  Tags []string\n}\nin Go":                                                                            "\n\nantenna:\n- callsign: string\n- frequency: number\n- installed: datetime, optional\n- tags: list of strings\n\nin Go",
		`export interface ShopItem { id: string; readonly name: string; note?: string; size: 'small' | 'large'; soldAt: Date | null, tags: string[] }`:                                                                                  "\n\nshop item:\n- name: string\n- note: string, optional\n- size: one of small/large\n- sold_at: datetime, optional\n- tags: list of strings\n\n",
		"type Barrel struct {\n  Code string // unique, required\n  FilledOn date\n}":                                                                                                                                                   "\n\nbarrel:\n- code: string, unique, required\n- filled_on: date\n\n",
		"interface Order {\n  orderNumber: string; // unique\n  items: string[];\n}":                                                                                                                                                    "\n\norder:\n- order_number: string, unique\n- items: list of strings\n\n",
		"class Cat(BaseModel):\n    chip: str  # unique\n    toys: list[str]\n":                                                                                                                                                         "\n\ncat:\n- chip: string, unique\n- toys: list of strings\n\n",
		"model Book { id Int @id @default(autoincrement()), isbn String @unique, pages Int?, sold Boolean @default(false) } in Go":                                                                                                      "\n\nbook:\n- isbn: string, unique\n- pages: integer, optional\n- sold: boolean, default false\n\nin Go",
		"Boat\n  name  text, unique\n  crew\tint\n  dock -> Dock\nGo":                                                                                                                                                                   "Boat:\n- name: text, unique\n- crew: int\n- dock: belongs to Dock\nGo",
		"fields for the \"key_loan\":\n  key: string\n  due: date":                                                                                                                                                                      "Key_loan:\n- key: string\n- due: date",
		"The fields of a pipe: note":                                              "pipe: note",
		"POST/GET/PUT/DELETE for /lakes":                                          "endpoints for lakes",
		"Resource: dry hole\nFields: depth":                                       "dry hole: depth",
		"Resource: wells\nFields: name\nResource: dry holes\nFields: depth":       "wells: name\ndry holes: depth",
		"a:string! b:enum(0,A) c:int; d:text":                                     "a:string!, b:enum(0,A), c:int; d:text",
		"boat:ref Boat, dock_id fk Dock, trip: references (Trip)":                 "boat:belongs to Boat, dock_id: belongs to Dock, trip: belongs to Trip",
		"Name: glacier-api\nDB: sqlite\nAuth: token":                              "project name: \"glacier-api\"\nDB: sqlite\nAuth: token",
		"cabin_id (ref Cabin), batch ref LotBatch, tags[], lat/lon":               "cabin_id (belongs to Cabin), batch: belongs to LotBatch, tags (list of strings), lat, lon",
		"artwork: reference to Artwork\nvessel {a: ref vessel}, note: ref number": "artwork: belongs to Artwork\nvessel {a: belongs to vessel}, note: ref number",
		"type Spot struct { ID int; Lat, Lon float64 }":                           "\n\nspot:\n- lat: number\n- lon: number\n\n",
		"No auth. :7070":                                       "No auth. port 7070",
		"listen on :8080, at 10:3000":                          "listen on port 8080, at 10:3000",
		"`POST/GET/PUT/DELETE /lakes` and `/rivers`.":          "endpoints for lakes and rivers.",
		"  /pumps: {code: string}\n  /checks: {pump: ->pumps}": "  pumps: {code: string}\n  checks: {pump: belongs to pumps}",
		"lang=go storage=file port=8088":                       "lang=go, storage=file, port=8088",
		"valve\n  id\n  zone varchar(40)\n  pump_id fk":        "Valve:\n- id\n- zone: string max 40 characters\n- pump_id: fk",
		"region str. lake: a str.\nmain str. 12":               "region string. lake: a string.\nmain str. 12",
		"(serial no., hydration %, size)":                      "(serial no, hydration in percent, size)",
		"beers: ibu, malt %":                                   "beers: ibu, malt in percent",
		"name+city+phone":                                      "name and city and phone",
		"Trap { code: string }":                                "\n\ntrap:\n- code: string\n\n",
		"books with title and tags: string[]":                  "books with title and tags: list of strings",
		"an API for type Plant = { height: number }":           "an API for\n\nplant:\n- height: number\n\n",
		"@dataclass\nclass Trip(BaseModel):\n    to: str\n    km: float = 0.5\n    day: Optional[date] = None\n    by: Literal['car', 'train']\n\nas an API":                                    "\n\ntrip:\n- to: string\n- km: number, default 0.5\n- day: date, optional\n- by: one of car/train\n\nas an API",
		`an api for this aircraft record: {"tail_number": "N172SP", "hours": 4312.5, "seats": 4, "airworthy": true, "bought": "2020-01-31", "seen": "2020-01-31T10:00:00Z", "tags": ["a"]}. Go`: "an api for this aircraft record:\n- tail_number: string\n- hours: number\n- seats: integer\n- airworthy: boolean\n- bought: date\n- seen: datetime\n- tags: list of strings\n\n. Go",
		`songs [{"id": 1, "title": "A"}, {"id": 2, "title": "B"}]`: "songs\n- title: string\n\n",
	} {
		if got := Expand(request); got != want {
			t.Errorf("%q became\n%q, want\n%q", request, got, want)
		}
	}
}

// What is not understood to its last word is not read in part.
func TestWhatIsNotUnderstoodStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		"create table a (x geometry)", "create table a (x int generated always as (y * 2))", "create table a (x int, constraint c unique (x, y))", "create table a (x text default now())",
		"create table a (x text check (x in ('a', b)))", "create table a (x int check (x > 5))", "create table a (x int[])", "create table a (x text", "create table a (x int check (x <= 5 and x <= 3))",
		"type A struct {\n  B map[string]int\n}", "type A struct {\n  sync.Mutex\n}", "type A struct {}",
		"interface A { b: C }", "interface A { b(): string }", "interface A { b: 'x' | number }", "interface A { size: 'a/b' | 'c' }",
		"interface A {\n  b: string // only for admins\n}", "model A {\n  b B @relation(fields: [c])\n}", "model A { at DateTime @default(now()) }", "type A struct {\n  B, C string // unique\n}",
		"class A:\n    def f(self): pass", "class A:\n    x: dict", "class A:\n    x: list = field(default_factory=list)", "class A:",
		`{"a": {"b": 1}}`, `{"a": null}`, `{"a": [1]}`, `[{"a": 1}, {"b": 1}]`, `[{"a": 1}, {"a": "x"}]`, `{"a": 1`, `["a", "b"]`, `{"a" 1}`, `{"a": 'b'}`,
		"in Go { title: string }", "Fields:\n  name: string\n  age: int", "Notes\n  a line  here\n  another  line", "Boat\n  name  text\n  and so on", "fields of each record: name",
		"Resource: wells\nFields: name", "DB: sqlite\nAuth: token\nFields:\n- name: glacier", "Name: text\nDB: sqlite\nAuth: token", "Name: glacier-api\nAuth: token", "write to jo+list@example.com", "C++",
		"books (title, author)", "a Go API for books", "", "GET/POST /lakes", "is it sold? no. a:b", "10 % of books", "{", "({[", "it's {\"",
	} {
		if got := Expand(request); got != request {
			t.Errorf("%q became %q", request, got)
		}
	}
}

// A definition behind one that is not understood is read.
func TestEveryDefinitionIsTried(t *testing.T) {
	t.Parallel()
	got := Expand("create table a (x geometry); create table b (x int); create table c (y text);")
	if want := "create table a (x geometry);\n\nb:\n- x: integer\n\n\n\nc:\n- y: string\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("create table a (x int, y text check (y in ('a', 'b')))")
	f.Add("type A struct {\n  B string `json:\"c\"`\n}")
	f.Add("interface A { b?: 'x' | 'y' }")
	f.Add(`[{"a": "b", "c": 1.5}]`)
	f.Add("class A:\n    x: str = 'y'\n")
	f.Fuzz(func(t *testing.T, request string) {
		if got := Expand(request); strings.Count(got, "\n- ") > strings.Count(request, "\n- ")+len(request)/3 {
			t.Errorf("%q became %q", request, got)
		}
	})
}
