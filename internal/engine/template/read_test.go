package template

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
)

// What is said of a field's values is what they are held to, and else told as left out.
func TestRulesOfFieldsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"go api for members: name, email and phone required, birthday":                                                                                 "name:string!required,email:string!required,phone:string!required,birthday:date",
		"go api for members with name required, email and phone optional":                                                                              "name:string!required,email:string!optional,phone:string!optional",
		"go api for cars: plate and vin unique, colour":                                                                                                "plate:string!unique,vin:string!unique,colour:string",
		"API for books with required title and author and optional isbn and pages":                                                                     "title:string!required,author:string!required,isbn:string!optional,pages:integer!optional",
		"POST/GET/PUT/DELETE endpoints for `job`: lang, words int; Go":                                                                                 "lang:string,words:integer",
		"Go API for puns, just text, author and a rating":                                                                                              "text:string,author:string,rating:number",
		"Go API for drums: kind, owner and who has it at the moment":                                                                                   "kind:string,owner:string,who_has_it:string",
		"Go API. Tenant{name,moveInDate}":                                                                                                              "name:string,move_in_date:date",
		"REST API \"crochet patterns\" in Python with fields title, pages, is_free":                                                                    "title:string,pages:integer,is_free:boolean",
		"an API for reviews with stars (1 to 5)":                                                                                                       "stars:integer!min=1!max=5",
		"an API for tags with name (string, max 20)":                                                                                                   "name:string!max=20",
		"go api for messages: body (at most 500 characters), sent at":                                                                                  "body:string!max=500,sent_at:datetime",
		"python api for tickets, status open/closed, title":                                                                                            "status:string!one of=open|closed,title:string",
		"job applications api in go (company, stage: applied | offer | rejected)":                                                                      "company:string,stage:string!one of=applied|offer|rejected",
		"python api: products with name, quantity >= 0, price can't be negative":                                                                       "name:string,quantity:integer!min=0,price:number!min=0",
		"api for coupons (go): code unique, active bool default true, uses must be above 0":                                                            "code:string!unique,active:boolean!default=true,uses:integer!min=1",
		"go api for users with name (required) and email (required, unique), phone optional":                                                           "name:string!required,email:string!required!unique,phone:string!optional",
		"go api for walls with a height and a status which can be open, closed or lost":                                                                "height:number,status:string!one of=open|closed|lost",
		"go api for tasks with title, status: open, closed":                                                                                            "title:string,status:string!one of=open|closed",
		"Go API for donors:\n- name: string, unique\n- blood type: one of A+, A-, B+, O-\n- age":                                                       "name:string!unique,blood_type:string!one of=A+|A-|B+|O-,age:integer",
		"Go API for crew: name, rank (captain, first officer, purser), mood from 1 to 10":                                                              "name:string,rank:string!one of=captain|first officer|purser,mood:integer!min=1!max=10",
		"ts api for items: sku (string, unique), fragile: bool = false, qty default 5, note?, x":                                                       "sku:string!unique,fragile:boolean!default=false,qty:integer!default=5,note:string!optional,x:string",
		"TypeScript REST API for gym members: name is required, email must be unique, age at least 16":                                                 "name:string!required,email:string!unique,age:integer!min=16",
		"Go service for invoices:\n- number (string)\n- amount (decimal)\n- due (date, optional)":                                                      "number:string,amount:number,due:date!optional",
		"golang api for members of a gym: name, plan one of basic/plus/premium":                                                                        "name:string,plan:string!one of=basic|plus|premium",
		"python api for coupons. code must be unique, discount percent integer, salary numeric, stars as whole number between 1 and 5":                 "code:string!unique,discount_percent:integer,salary:number,stars:integer!min=1!max=5",
		"ts api for appointments (client, phone), with an sms reminder the day before":                                                                 "client:string,phone:string",
		"Python API for employees. Email must be unique, full name required, department is one of sales, engineering, hr; hired on is a required date": "email:string!unique,full_name:string!required,department:string!one of=sales|engineering|hr,hired_on:date!required",
		"Go API for cars: plate, status: free | rented | lost, default free, seats":                                                                    "plate:string,status:string!default=free!one of=free|rented|lost,seats:integer",
		"Go API for matches: date, home team, licence plate, next service date":                                                                        "date:date,home_team:string,licence_plate:string,next_service_date:date",
		"Go API for loans with borrower, a loan date and a return date (optional)":                                                                     "borrower:string,loan_date:date,return_date:date!optional",
		"golang api for feature flags: key (unique), enabled bool":                                                                                     "key:string!unique,enabled:boolean",
		"go api for staff: name, department (sales, it, hr), email required and unique":                                                                "name:string,department:string!one of=sales|it|hr,email:string!required!unique",
		"Go API for rooms: code (unique, 6 digits), smoking no by default, whether snacks are included":                                                "code:string!unique!min=6!max=6,smoking:boolean!default=false,snacks_included:boolean",
		"Go API for coupons: code, uses must be above 0":                                                                                               "code:string,uses:integer!min=1",
		"API in Go for guests: name, age if known, seats (1 or 2), score out of 100, vegan y/n":                                                        "name:string,age:integer!optional,seats:integer!min=1!max=2,score:number!min=0!max=100,vegan:boolean",

		// What is required in life, what is between 0 and 1, when something ended, and what one language is.
		"Go API for medicines: name, best before date, prescription required, temperature controlled":                "name:string,best_before_date:date,prescription_required:boolean,temperature_controlled:boolean",
		"Go API for runs: label, confidence between 0 and 1, time finished, amount won, score one, fixed in version": "label:string,confidence:number!min=0!max=1,time_finished:string,amount_won:number,score_one:number,fixed_in_version:string",
		"Go API for products with fields: sku (string, required), qty (integer)":                                     "sku:string!required,qty:integer",
		"Go API for matches: rival, kick off, percent off, sign off":                                                 "rival:string,kick_off:datetime,percent_off:number,sign_off:string",
		"Go API for bills: payee, how it was paid, type being city, mountain or electric, paid off, fees":            "payee:string,how_paid:string,type:string!one of=city|mountain|electric,paid_off:boolean,fees:number",
		"Go API for pains: name and place required, triggers, did it help, entry as long text, died":                 "name:string!required,place:string!required,triggers:strings,help:boolean,entry:string,died:date",
		"API for inspections: date, a result of pass or fail, and remarks, language python":                          "date:date,result:string!one of=pass|fail,remarks:string",

		// Values that stand behind from, of, or the name; clauses for names; dashes around a list; what a project does is no field.
		"Go API for bugs: title, severity from low, medium, high and reporter":                                                                        "title:string,severity:string!one of=low|medium|high,reporter:string",
		"Go API for tickets: title, priority of low, normal, high, assignee":                                                                          "title:string,priority:string!one of=low|normal|high,assignee:string",
		"Go API for toys: name, age from, condition new, used, damaged, status (open, under review, paid)":                                            "name:string,age_from:integer,condition:string!one of=new|used|damaged,status:string!one of=open|under review|paid",
		"Go API for parcels: weight is a decimal, unique barcode, sorted listing and paging please":                                                   "weight:number,barcode:string!unique",
		"Go API for repairs with device, what's wrong, what I paid for it, how it went and how many I saw":                                            "device:string,whats_wrong:string,price_paid:number,how_went:string,how_many_saw:integer",
		"Go API for jobs: title, frames of brood, lyrics draft, size in bytes, salary wish, required skills":                                          "title:string,frames_of_brood:string,lyrics_draft:string,size:integer,salary_wish:number,required_skills:strings",
		"Go API for seeds: days to harvest, kilometres so far, rhesus positive or negative, in which year, ram in GB, how urgent it is":               "days_to_harvest:integer,kilometres:number,rhesus:string!one of=positive|negative,year:integer,ram:number,how_urgent:string",
		"Go API for pets with owner name and phone, fees owed, member since, would visit again, rent cold, lift":                                      "owner_name:string,owner_phone:string,fees_owed:number,member_since:date,would_visit_again:boolean,rent_cold:number,lift:boolean",
		"Go API for reviews. There should be a name, an email and a rating from one to five.":                                                         "name:string,email:string,rating:number!min=1!max=5",
		"Go API for interviews: player 1, player 2, price for pupils, decision hire/no hire/maybe, how strong it is from 1 to 5, what the problem is": "player_1:string,player_2:string,price_for_pupils:number,decision:string!one of=hire|no hire|maybe,how_strong:integer!min=1!max=5,problem:string",
		"Go API for shows: host, weekday one of mon, tue, sun, starts at, still open, rented out":                                                     "host:string,weekday:string!one of=mon|tue|sun,starts_at:datetime,still_open:boolean,rented_out:boolean",
		"Go API for dogs. For every dog we want to save the name, the breed and when it was born.":                                                    "name:string,breed:string,when_born:datetime",
		"Go API for dogs. I need the name, the breed and the microchip of each dog.":                                                                  "name:string,breed:string,microchip:string",
		"API for dogs. Name, breed and age are enough. Go":                                                                                            "name:string,breed:string,age:integer",
		"Go API for rentals with a from and a to date, best 5k time, pool length 25 or 50, needs projector":                                           "from_date:date,to_date:date,best_5k_time:string,pool_length:number,needs_projector:boolean",
		"Go API for permits — plate, source text, holder — with sqlite":                                                                               "plate:string,source_text:string,holder:string",
		"Go API for bottles with maker:string, opened:bool and drink_before:date, listening on port 9090":                                             "maker:string,opened:boolean,drink_before:date",
		"Go API for finds (label, found at, found date, valued at, tested at)":                                                                        "label:string,found_at:string,found_date:date,valued_at:number,tested_at:datetime",
		"Go API for birds (species, place, seen at)":                                                                                                  "species:string,place:string,seen_at:datetime",
		"Go API for patterns: name, meters of yarn needed":                                                                                            "name:string,meters_of_yarn_needed:number",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		if got := p.Decided("resources").Text(); !strings.HasSuffix(got, "("+want+")") {
			t.Errorf("%q was read as\n%s, want\n%s", prompt, got, want)
		}
	}
}

// What a request was understood to ask for, in the notation of the state.
func TestRequestsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Go API called github.com/ada/lockers with lockers (number int)":                                                                                         "api go lockers/locker(number:integer) github.com/ada/lockers",
		"Tool which takes a text file, removes duplicate lines, sorts the rest and writes it to another file. Go.":                                               "command go lines",
		"Go API for our fire station to log callouts with date and address":                                                                                      "api go callouts/callout(date:date,address:string)",
		"Go API for tasks with title, should run on 9090, lets me page through them":                                                                             "api go tasks/task(title:string) 9090",
		"The simplest possible Go API for tasks (title), every call protected by a token":                                                                        "api go tasks/task(title:string) token",
		"Go API where helpers and shifts are stored, and each shift has a date and one helper assigned to it":                                                    "api go helpers/helper(name:string);shifts/shift(date:date,helper_id:ref.helper)",
		"Go API to store the serial numbers and purchase dates of all our printers":                                                                              "api go printers/printer(serial_number:string,purchase_date:date)",
		"Go API with items (name) and claims with phone and claim date belonging to an item":                                                                     "api go items/item(name:string);claims/claim(phone:string,claim_date:date,item_id:ref.item)",
		"Go API for sensors with a label and a timestamp of that reading":                                                                                        "api go sensors/sensor(label:string,timestamp_of_reading:datetime)",
		"Go API for horses: name, for sale, price, for lease":                                                                                                    "api go horses/horse(name:string,for_sale:boolean,price:number,for_lease:boolean)",
		"Go API for books (title) and authors (name); a book can have several authors":                                                                           "api go books/book(title:string);authors/author(name:string);book_authors/book_author(book_id:ref.book,author_id:ref.author)",
		"Go API to manage shows, actors and seats":                                                                                                               "api go shows/show(name:string);actors/actor(name:string);seats/seat(name:string)",
		"Go API that stores, shows and edits notes: text":                                                                                                        "api go notes/note(text:string)",
		"Go API for bug reports, each bug has a title":                                                                                                           "api go bug_reports/bug_report(title:string)",
		"Go API. A lease is between a tenant and us for a flat, with rent":                                                                                       "api go leases/lease(rent:number,tenant_id:ref.tenant,flat_id:ref.flat);tenants/tenant(name:string);flats/flat(name:string)",
		"Go API for gardening: plants, beds, a plant grows in a bed. plant: name. bed: size":                                                                     "api go plants/plant(name:string,bed_id:ref.bed);beds/bed(size:string)",
		"Go API for dogs: track name, breed":                                                                                                                     "api go dogs/dog(name:string,breed:string)",
		"Go API, entities: podcast, episode; an episode belongs to a podcast and has a title":                                                                    "api go podcasts/podcast(name:string);episodes/episode(title:string,podcast_id:ref.podcast)",
		"Go API for members boats and outings. a member has a name. a boat has seats. an outing has a date":                                                      "api go members/member(name:string);boats/boat(seats:integer);outings/outing(date:date)",
		"Go API for ski rental. Customers rent skis, skis have a length, and a rental has a date":                                                                "api go skis/ski(length:number);rentals/rental(date:date,customer_id:ref.customer,ski_id:ref.ski);customers/customer(name:string,email:string)",
		"Go API where parents borrow toys for two weeks. Toys: name. Loans: toy, parent, due date":                                                               "api go toys/toy(name:string);loans/loan(parent:string,due_date:date,toy_id:ref.toy)",
		"Go API. Drivers offer rides (date) and colleagues make reservations on a ride":                                                                          "api go drivers/driver(name:string);rides/ride(date:date,driver_id:ref.driver);colleagues/colleague(name:string);reservations/reservation(name:string,colleague_id:ref.colleague,ride_id:ref.ride)",
		"Go API: drivers offer rides. Ride: driver name, date":                                                                                                   "api go rides/ride(driver_name:string,date:date)",
		"Museum needs a Go API for its artefacts: title":                                                                                                         "api go artefacts/artefact(title:string)",
		"Go API for batches (year) and a cellar each batch is stored in":                                                                                         "api go batches/batch(year:integer,cellar_id:ref.cellar);cellars/cellar(name:string)",
		"Go API for claims: amount; each claim belongs to an employee (name, email)":                                                                             "api go claims/claim(amount:number,employee_id:ref.employee);employees/employee(name:string,email:string)",
		"Go API with volunteers, shifts, and signups linking the two, nothing complicated":                                                                       "api go volunteers/volunteer(name:string);shifts/shift(name:string);signups/signup(volunteer_id:ref.volunteer,shift_id:ref.shift)",
		"A repair history of machines: date, cost. Go API":                                                                                                       "api go repair_entries/repair_entry(date:date,cost:number)",
		"Vaccination records for cats: cat name, date. Go API":                                                                                                   "api go vaccination_records/vaccination_record(cat_name:string,date:date)",
		"Fuel log for our vans; each entry has litres and price. Go API":                                                                                         "api go fuel_entries/fuel_entry(litres:number,price:number)",
		"Go API for pallets with fields: sku, qty":                                                                                                               "api go pallets/pallet(sku:string,qty:integer)",
		`Go service "Warehouse Pallets" with fields: sku, qty`:                                                                                                   "api go warehouse_pallets/warehouse_pallet(sku:string,qty:integer)",
		"Go API for organs and the stops that belong to each organ":                                                                                              "api go organs/organ(name:string);stops/stop(name:string,organ_id:ref.organ)",
		"Go API where jobs are kept with ward, priority and date":                                                                                                "api go jobs/job(ward:string,priority:string,date:date)",
		"Go API for rooms. Each one has a floor and a price":                                                                                                     "api go rooms/room(floor:integer,price:number)",
		"API. Offers have an origin and a price. It should be implemented in Go":                                                                                 "api go offers/offer(origin:string,price:number)",
		"Go API: units with number and title, each unit has several exercises with a question and an answer":                                                     "api go units/unit(number:string,title:string);exercises/exercise(question:string,answer:string,unit_id:ref.unit)",
		"Go API for guests, who have a phone, and rooms, which have a price":                                                                                     "api go guests/guest(phone:string);rooms/room(price:number)",
		"Go API for flashcards in decks. A deck has a name. A flashcard has a front":                                                                             "api go flashcards/flashcard(front:string,deck_id:ref.deck);decks/deck(name:string)",
		"Go API for coffee roasting: batches with bean, roasted on":                                                                                              "api go batches/batch(bean:string,roasted_on:date)",
		"Go API for spots (number). Cars are parked on a spot and have a plate":                                                                                  "api go spots/spot(number:string);cars/car(plate:string,spot_id:ref.spot)",
		"Go API for a room booking, room, guest, date":                                                                                                           "api go room_bookings/room_booking(room:string,guest:string,date:date)",
		"Question bank as Go API. question: text, topic":                                                                                                         "api go questions/question(text:string,topic:string)",
		"Go API where members can book courts. members: name. courts: number. bookings: member, court, date":                                                     "api go courts/court(number:string);members/member(name:string);bookings/booking(date:date,member_id:ref.member,court_id:ref.court)",
		"Go API for polls: question; options belong to a poll and have a text":                                                                                   "api go polls/poll(question:string);options/option(text:string,poll_id:ref.poll)",
		"Go API: orders (date), order lines (order, quantity)":                                                                                                   "api go orders/order(date:date);order_lines/order_line(quantity:integer,order_id:ref.order)",
		"Go API. Orders have a total; order lines have a dish and a quantity":                                                                                    "api go orders/order(total:number);order_lines/order_line(dish:string,quantity:integer,order_id:ref.order)",
		"Go API for an online course: modules and lessons. Lessons belong to modules":                                                                            "api go modules/module(name:string);lessons/lesson(title:string,module_id:ref.module)",
		"Go API for beehives. hive: name, place, queen year. inspection: hive, date, brood frames, notes":                                                        "api go beehives/beehive(name:string,place:string,queen_year:integer);inspections/inspection(date:date,brood_frames:strings,notes:string,beehive_id:ref.beehive)",
		"Go API for a few bikes: brand":                                                                                                                          "api go bikes/bike(brand:string)",
		"Go API for orders: code, date, items: qty, price":                                                                                                       "api go orders/order(code:string,date:date);items/item(qty:integer,price:number,order_id:ref.order)",
		"Go API for batches with name, style, and tasting notes with a comment and a date":                                                                       "api go batches/batch(name:string,style:string);tasting_notes/tasting_note(comment:string,date:date,batch_id:ref.batch)",
		"Go API for boards with name, lists with title, cards with text":                                                                                         "api go boards/board(name:string);lists/list(title:string);cards/card(text:string)",
		"server keeping logs: message, source. Go":                                                                                                               "api go logs/log(message:string,source:string)",
		"Family recipe API in Go: recipes have a title; ingredients belong to a recipe with name and unit":                                                       "api go recipes/recipe(title:string);ingredients/ingredient(name:string,unit:string,recipe_id:ref.recipe)",
		"My church needs a way to keep track of hall rentals - renter, phone. A Go API please":                                                                   "api go hall_rentals/hall_rental(renter:string,phone:string)",
		"Go API about a railway: stations, trains and stops (a stop links a train to a station with arrival and departure time)":                                 "api go stations/station(name:string);trains/train(name:string);stops/stop(arrival_time:string,departure_time:string,train_id:ref.train,station_id:ref.station)",
		"go rest api secrets rotation tracker. name, team, last_rotated. no db just a file":                                                                      "api go secrets_rotations/secrets_rotation(name:string,team:string,last_rotated:date) file",
		"Go API for my family: name, birthday":                                                                                                                   "api go members/member(name:string,birthday:date)",
		"Go API for boats with owners. Boats: name, length. Owners: name":                                                                                        "api go boats/boat(name:string,length:number);owners/owner(name:string);boat_owners/boat_owner(boat_id:ref.boat,owner_id:ref.owner)",
		"Go API for passes: valid from, valid to, start date, end":                                                                                               "api go passes/pass(valid_from:date,valid_to:date,start_date:date,end:date)",
		"Go API for elevators: floor count, out of service, when, what happened, next review. Port 8082":                                                         "api go elevators/elevator(floor_count:integer,out_of_service:boolean,when:datetime,what_happened:string,next_review:date)",
		"Go API for wells: lat, long, attendees, debit, prescription only, price":                                                                                "api go wells/well(lat:number,long:number,attendees:strings,debit:number,prescription_only:boolean,price:number)",
		"Make a storage service for settings: key, value. Go":                                                                                                    "api go settings/setting(key:string,value:string)",
		"Go API: order{customer string; qty int; placed time}":                                                                                                   "api go orders/order(customer:string,qty:integer,placed:string)",
		"Go API for medals: medal (gold/silver or empty), mark (WR/OR or nothing), level (A1-C2), valid till":                                                    "api go medals/medal(medal:string!optional!one of=gold|silver,mark:string!optional!one of=WR|OR,level:string,valid_till:date)",
		"Go API for dishes: price, contains nuts, options list, closed all day, total donations, half day":                                                       "api go dishes/dish(price:number,contains_nuts:boolean,options_list:strings,closed_all_day:boolean,total_donations:number,half_day:boolean)",
		"Go API for people: name, nickname?, phone?":                                                                                                             "api go people/person(name:string,nickname:string!optional,phone:string!optional)",
		"Go API for horses: name. My horses have a breed and optionally a colour.":                                                                               "api go horses/horse(name:string,breed:string,colour:string!optional)",
		"I teach an intro backend course and want a small Python REST service my students can read. Entity: Comet, with fields name, discovered (date)":          "api python comets/comet(name:string,discovered:date)",
		"I freelance as a translator and want to log my jobs: client, deadline, paid. Go API please.":                                                            "api go jobs/job(client:string,deadline:date,paid:boolean)",
		"I want to practise writing API tests, so give me a CRUD API about planets with name and moons. Go.":                                                     "api go planets/planet(name:string,moons:strings)",
		"REST API for books (title, year), go or python idc":                                                                                                     "api go books/book(title:string,year:integer)",
		"An API for books (title, year). Please use FastAPI or just python.":                                                                                     "api python books/book(title:string,year:integer)",
		"A service for our club where members can register boats. Name, length. Go":                                                                              "api go boats/boat(name:string,length:number)",
		"Go REST API for my walks: distance, if I saw the queen or not":                                                                                          "api go walks/walk(distance:number,saw_queen:boolean)",
		"TypeScript REST API for horses: height. module name \"paddock\"":                                                                                        "api typescript horses/horse(height:number)",
		"I keep notes on wells: name, depth. An API I can call from a script would do. Python.":                                                                  "api python wells/well(name:string,depth:number)",
		"Go API for reviews of restaurants: restaurant, stars, text":                                                                                             "api go reviews/review(restaurant:string,stars:integer,text:string)",
		"Go API for users with roles: name, email, role":                                                                                                         "api go users/user(name:string,email:string,role:string)",
		"Go API for dogs: good with kids, operating days, written in year, size in bytes":                                                                        "api go dogs/dog(good_with_kids:boolean,operating_days:string,written_in_year:integer,size:integer)",
		"Typescript. CRUD. Resource \"playlist\": name, song count":                                                                                              "api typescript playlists/playlist(name:string,song_count:integer)",
		"Go API for courts: name, surface, value":                                                                                                                "api go courts/court(name:string,surface:string,value:string)",
		"Python API for recipes and ingredients, a recipe has many ingredients":                                                                                  "api python recipes/recipe(title:string,servings:integer);ingredients/ingredient(name:string,recipe_id:ref.recipe)",
		"Go API. every seed packet has a variety, the year it was harvested and how many are left.":                                                              "api go seed_packets/seed_packet(variety:string,year_harvested:integer,number_left:integer)",
		"Go API for quotes: quote, author":                                                                                                                       "api go quotes/quote(quote:string,author:string)",
		"Go API for drivers: name, licence, api key, in memory of, storage, plate":                                                                               "api go drivers/driver(name:string,licence:string,api_key:string,in_memory_of:string,storage:string,plate:string)",
		"Go API for books, storage, title":                                                                                                                       "api go books/book(title:string) postgres",
		"Go API for shares: buying and selling price, front and rear tyre size, day and night temperature":                                                       "api go shares/share(buying_price:number,selling_price:number,front_tyre_size:string,rear_tyre_size:string,day_temperature:number,night_temperature:number)",
		"Go API for posts: title (max 100), body (min 10), tags (max 5), code (max 8), days (mon, tue, wed), speed m/min, what was tested":                       "api go posts/post(title:string!max=100,body:string!min=10,tags:strings,code:string!max=8,days:strings,speed:number,what_tested:string)",
		"Go API for leases: from (date), to, order date, delivery":                                                                                               "api go leases/lease(from:date,to:date,order_date:date,delivery:string)",
		"Go API for spools: weight left (g), seats left, level (%), humidity in %, capacity (l), age (months)":                                                   "api go spools/spool(weight_left:number,seats_left:integer,level:number,humidity:number,capacity:number,age:integer)",
		"Go API: Berth (code string unique, length_m float), Booking (berth -> Berth, arrives date, departs date)":                                               "api go berths/berth(code:string!unique,length_m:number);bookings/booking(arrives:date,departs:date,berth_id:ref.berth)",
		"Go API. A piano has a make; a visit belongs to a piano and has a date, pitch before, pitch after":                                                       "api go pianos/piano(make:string);visits/visit(date:date,pitch_before:string,pitch_after:string,piano_id:ref.piano)",
		"Go API: shops (name), machines that belong to a shop (number, kind washer or dryer, price per run), runs (machine, minutes)":                            "api go shops/shop(name:string);machines/machine(number:string,kind:string!one of=washer|dryer,price_per_run:number,shop_id:ref.shop);runs/run(minutes:integer,machine_id:ref.machine)",
		"service in Go that records maintenance windows. A maintenance window has a title":                                                                       "api go maintenance_windows/maintenance_window(title:string)",
		"Go API: Invoice (number string, total float, note), Payment (invoice -> Invoice, code, due date, amount float)":                                         "api go invoices/invoice(number:string,total:number,note:string);payments/payment(code:string,due_date:date,amount:number,invoice_id:ref.invoice)",
		"I would like to keep my QSO log behind a little web API. Fields: callsign, band":                                                                        "api go qsos/qso(callsign:string,band:string)",
		"Go API: books (title, pages), loans (book, start date, end date)":                                                                                       "api go books/book(title:string,pages:integer);loans/loan(start_date:date,end_date:date,book_id:ref.book)",
		"ts api:\nsatellites: norad_id int unique, name, launched date\npasses: satellite_id -> satellites, los datetime, aos datetime":                          "api typescript satellites/satellite(norad_id:integer!unique,name:string,launched:date);passes/pass(los:datetime,aos:datetime,satellite_id:ref.satellite)",
		"Go API for storing chess results. players with name, rating; games with white player, result and round":                                                 "api go players/player(name:string,rating:number);games/game(white_player_id:ref.player,result:string,round:integer)",
		"Go API for cups (name), SQLite. Pagination with limit/offset, default 50.":                                                                              "api go cups/cup(name:string) sqlite",
		"Python API.\nartwork\n- title: string\n\nLoan\n- artwork: reference to Artwork\n- borrower: string":                                                     "api python artworks/artwork(title:string);loans/loan(borrower:string,artwork_id:ref.artwork)",
		"Go service\n- resource: vessel { imo: string, name: string }\n- resource: portCall { vesselId: ref vessel, etd: datetime? }":                            "api go vessels/vessel(imo:string,name:string);port_calls/port_call(etd:datetime!optional,vessel_id:ref.vessel)",
		"`POST/GET/PUT/DELETE /lakes` and `/surveys`. lake: name str!, region str. survey: lake_id fk, year int. Go":                                             "api go lakes/lake(name:string!required,region:string);surveys/survey(year:integer,lake_id:ref.lake)",
		"/pumps: {code: string, working: boolean}\n/checks: {pump: ->pumps, result: string}\nlang=python storage=file port=8088 REST API":                        "api python pumps/pump(code:string,working:boolean);checks/check(result:string,pump_id:ref.pump) file",
		"crud api go, entity \"Kiln-dried lot\": species, thickness_mm":                                                                                          "api go kiln_dried_lots/kiln_dried_lot(species:string,thickness_mm:number)",
		"REST API\n\nirrigation_valve\n  id\n  zone varchar(40)\n\nschedule\n  valve_id fk\n  start_time time\n  weekdays text\n\nlanguage go":                   "api go irrigation_valves/irrigation_valve(zone:string!max=40);schedules/schedule(start_time:string,weekdays:string,irrigation_valve_id:ref.irrigation_valve)",
		"python api for aquarium water tests, ph, nitrate, date":                                                                                                 "api python aquarium_water_tests/aquarium_water_test(ph:number,nitrate:number,date:date)",
		"in-memory go api to mock a pharmacy stock: drug name, qty, price":                                                                                       "api go items/item(drug_name:string,qty:integer,price:number)",
		"API: ski rental. items (size), rentals (item, out date, back date). Go":                                                                                 "api go items/item(size:string);rentals/rental(out_date:date,back_date:date,item_id:ref.item)",
		"Go API for radio contacts. Fields would be callsign, RST sent, RST received":                                                                            "api go radio_contacts/radio_contact(callsign:string,rst_sent:string,rst_received:string)",
		"Go api to store tasting notes, with login token":                                                                                                        "api go tasting_notes/tasting_note(title:string,body:string) token",
		"Go API for readings: value, measured at. One user only, me.":                                                                                            "api go readings/reading(value:number,measured_at:datetime)",
		"Go API for windows: title, affected system (string), starts_at and ends_at (timestamps)":                                                                "api go windows/window(title:string,affected_system:string,starts_at:datetime,ends_at:datetime)",
		"Backend in Go for harvest records. Plot, grape variety, kg picked, sugar level.":                                                                        "api go harvest_records/harvest_record(plot:string,grape_variety:string,kg_picked:number,sugar_level:string)",
		"Go API for trucks (unit number, in service yes/no), obviously":                                                                                          "api go trucks/truck(unit_number:string,in_service:boolean)",
		"Go API for employees and departments. Every employee works in a department.":                                                                            "api go employees/employee(name:string,department_id:ref.department);departments/department(name:string)",
		"Appointments link patients to doctors, an API in Go":                                                                                                    "api go appointments/appointment(name:string,patient_id:ref.patient,doctor_id:ref.doctor);patients/patient(name:string);doctors/doctor(name:string)",
		"API in Go for players and teams, a player plays for a team":                                                                                             "api go players/player(name:string,team_id:ref.team);teams/team(name:string)",
		"Go API for rooms and guests. Reservations link a guest to a room":                                                                                       "api go rooms/room(name:string);guests/guest(name:string);reservations/reservation(name:string,guest_id:ref.guest,room_id:ref.room)",
		"Go API for matches: home team, away team, score":                                                                                                        "api go matches/match(home_team:string,away_team:string,score:number)",
		"i need a simple go rest api for a todo list, todos have a title, a done flag and a due date please":                                                     "api go todos/todo(title:string,done:boolean,due_date:date)",
		"Write me a Go HTTP API for books with title:string, author:string and year:int":                                                                         "api go books/book(title:string,author:string,year:integer)",
		"API to register volunteers and shifts, volunteers have phone and t-shirt size":                                                                          "api go volunteers/volunteer(phone:string,t_shirt_size:string);shifts/shift(name:string)",
		"API for uploads with filename, file size and mime type in Python":                                                                                       "api python uploads/upload(filename:string,file_size:integer,mime_type:string)",
		"CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT); make a Go API for this":                                                                        "api go books/book(title:string)",
		"create table users (id int primary key, name text); create table posts (author_id int references users(id), slug text unique not null);\nGo API please": "api go users/user(name:string);posts/post(author_id:ref.user,slug:string!required!unique)",
		"type Car struct {\n  Make string\n  Year int\n}\nREST service in Go please, memory only":                                                                "api go cars/car(make:string,year:integer)",
		"interface Task { title: string; tags: string[]; size: 's' | 'm' }\nGive me a TypeScript server with CRUD for it":                                        "api typescript tasks/task(title:string,tags:strings,size:string!one of=s|m)",
		"python api, entity:\nclass Member(BaseModel):\n    name: str\n    email: str | None = None":                                                             "api python members/member(name:string,email:string!optional)",
		"make an api for this aircraft record, go + sqlite:\n{\"tail_number\": \"N172SP\", \"hours\": 4312.5}":                                                   "api go aircraft_records/aircraft_record(tail_number:string,hours:number) sqlite",
		"golang backend, pets (name, species, birth date), require a token":                                                                                      "api go pets/pet(name:string,species:string,birth_date:date) token",
		"Go service for invoices:\n- number\n- amount (decimal)\n- paid (bool)\n- issued on (date)\nlisten on port 9090":                                         "api go invoices/invoice(number:string,amount:number,paid:boolean,issued_on:date) 9090",
		"go api, module github.com/acme/stock, items with sku string, quantity integer. MIT license":                                                             "api go items/item(sku:string,quantity:integer) mit github.com/acme/stock",
		"A Go API for blog posts and comments. Posts have a title, comments have a text. comments belong to posts. Use SQLite":                                   "api go posts/post(title:string);comments/comment(text:string,post_id:ref.post) sqlite",
		"need a backend for my shop in golang: products with name and price, orders with total":                                                                  "api go products/product(name:string,price:number);orders/order(total:number)",
		"a REST API for a library with books, members and loans in Go":                                                                                           "api go books/book(title:string,author:string,year:integer);members/member(name:string);loans/loan(name:string)",
		"Go API for enrollments, students and courses. An enrollment belongs to a student and to a course":                                                       "api go enrollments/enrollment(name:string,student_id:ref.student,course_id:ref.course);students/student(name:string);courses/course(title:string)",
		"a TypeScript API for a hotel with rooms (number, price per night) and bookings (guest name, check-in date)":                                             "api typescript rooms/room(number:string,price_per_night:number);bookings/booking(guest_name:string,check_in_date:date)",
		"go api:\n* resource: albums\n* fields: artist, year\n* auth: token\n* db: sqlite":                                                                       "api go albums/album(artist:string,year:integer) sqlite token",
		"an API to manage a fleet of vehicles, each with plate and seats (int), no auth, SQLite":                                                                 "api go vehicles/vehicle(plate:string,seats:integer) sqlite",
		"landing page for my mobile app FitBuddy with features and a price list":                                                                                 "site static FitBuddy|mobile app||features,price-list",
		"Go CLI for notes with add, list and delete":                                                                                                             "command go notes/note(title:string,body:string)",
		"a small pyhton api for notes":                                                                                                                           "api python notes/note(title:string,body:string)",
		"Create a Node.js HTTP API for tickets { subject: string, open: boolean, nr: int }":                                                                      "api typescript tickets/ticket(subject:string,open:boolean,nr:integer)",
		"Can I get a CRUD API for vehicles? Fields: plate, brand, model, mileage. Language: Go. Database: SQLite.":                                               "api go vehicles/vehicle(plate:string,brand:string,model:string,mileage:number) sqlite",
		"contacts api python postgres":                                                                                                                           "api python contacts/contact(name:string,email:string,phone:string) postgres", "python api for notes with a database": "api python notes/note(title:string,body:string) sqlite",
		"python api for pets with name, age, stored in PostgreSQL, require a token": "api python pets/pet(name:string,age:integer) postgres token",
		"an api for tasks in typescript, in memory, no auth, MIT licence":           "api typescript tasks/task(title:string,done:boolean) mit",
		"an API for books, no need for a database, without Django and without JWT":  "api go books/book(title:string,author:string,year:integer)",
		"a cli todo app in python":                                                           "command python todos/todo(title:string,done:boolean)",
		"command line tool in Go that counts words and lines in files":                       "command go count",
		"like wc but in go: count lines and words of the files given as args":                "command go count",
		"python cli to convert csv to json":                                                  "command python csv2json",
		"a website for my bakery called Crumb & Co in Bristol with opening hours and a menu": "site static Crumb & Co|bakery|Bristol|opening-hours,menu",
		"simple portfolio page for John Doe, web developer from Lisbon":                      "site static John Doe|web developer|Lisbon|portfolio,about,services,contact",
		"Landing page for a coffee shop \"Black Kettle\", sections: about, menu":             "site static Black Kettle|coffee shop||about,menu",
		"a website for dr. Jane Smith, dentist in Leeds, with opening hours":                 "site static Dr Jane Smith|dentist|Leeds|opening-hours",
		// What is not wanted never becomes what is made.
		"Go API for cups (name). Should survive a restart but I dont want a database server.": "api go cups/cup(name:string) file",
		"Go API for cups (name) instead of in a text file":                                    "api go cups/cup(name:string)",
		"Go API for cups (name). Must survive restarts, no postgres please.":                  "api go cups/cup(name:string) file",
		"Go API for cups (name). It should be persistent, no database please":                 "api go cups/cup(name:string) file",
		"Go API for cups (name). No sqlite, no postgres, persistent storage":                  "api go cups/cup(name:string) file",
		"Go API for cups (name). Memory is fine as storage, no database":                      "api go cups/cup(name:string)",
		"Python API for cups (name). Not sqlite, it must be persistent":                       "api python cups/cup(name:string) postgres",
		"Go API for cups (name). keep data in a single file":                                  "api go cups/cup(name:string) file",
		"Go API for cups (name), data in sqlite":                                              "api go cups/cup(name:string) sqlite",
		// Notations of records and fields.
		"ts API for a museum.\n\nCase\n  case_no  text, unique\n  hall     text\n  opened   date\n  light    percent\n\nExhibit\n  case -> Case\n  weight   int": "api typescript cases/case(case_no:string!unique,hall:string,opened:date,light:number);exhibits/exhibit(weight:integer,case_id:ref.case)",
		"Go API. Trap: code text, line_no text, bait text, checked date":                                                                                         "api go traps/trap(code:string,line_no:string,bait:string,checked:date)",
		"ts API. Trap { code: string; massGrams: number; isLive: boolean }":                                                                                      "api typescript traps/trap(code:string,mass_grams:number,is_live:boolean)",
		"ts API\nTank(name:string)\nReading(tank:ref Tank, year:int)":                                                                                            "api typescript tanks/tank(name:string);readings/reading(year:integer,tank_id:ref.tank)",
		"Python API. bins: label:string! grade:enum(0,A,B) sealed:bool; lids: label:string size:int. db=postgres auth=token":                                     "api python bins/bin(label:string!required,grade:string!one of=0|A|B,sealed:boolean);lids/lid(label:string,size:integer) postgres token",
		"Python API\nResource: wells\nFields: name (text), drilled (date)\nResource: probes\nFields: well (reference), lab (text)":                               "api python wells/well(name:string,drilled:date);probes/probe(lab:string,well_id:ref.well)",
		"ts API, sqlite\nfields for \"violin_loan\":\n  violin: string\n  due: date (optional)":                                                                  "api typescript violin_loans/violin_loan(violin:string,due:date!optional) sqlite",
		"Go API for pipes. Fields of a pipe: note, length in mm, restored boolean":                                                                               "api go pipes/pipe(note:string,length:number,restored:boolean)",
		"Python API for visits: place, status = planned | no_show | done":                                                                                        "api python visits/visit(place:string,status:string!one of=planned|no_show|done)",
		"Go 1.22 API for lifts: model, is it working y/n, is it anxious, date/time, seen (date+time), name+city":                                                 "api go lifts/lift(model:string,working:boolean,anxious:boolean,date_and_time:datetime,seen:datetime,name:string,city:string)",
		"Go API for lambs: weight at birth, height above sea level, quantity in stock, volume m3, range in nautical miles, year built":                           "api go lambs/lamb(weight_at_birth:number,height_above_sea_level:number,quantity_in_stock:integer,volume_m3:number,range:number,year_built:integer)",
		"Go API for boats (class like 1x 2x 4+, level A1\u2013C2, free-text notes). page size 50 default":                                                        "api go boats/boat(class:string,level:string,notes:string)",
		"Go API for gin tastings: gin, tonic, express (yes/no), next check due, last check, found date, holding number, estimate low":                            "api go gin_tastings/gin_tasting(gin:string,tonic:string,express:boolean,next_check_due:date,last_check:date,found_date:date,holding_number:string,estimate_low:number)",
		// Names of several words.
		"Go API for piano tuning appointments":                                                                                             "api go piano_tuning_appointments/piano_tuning_appointment(name:string)",
		"Go API for EV charging sessions (car, kwh, cost, started, ended)":                                                                 "api go ev_charging_sessions/ev_charging_session(car:string,kwh:number,cost:number,started:datetime,ended:datetime)",
		"Go API for repair jobs of church organs":                                                                                          "api go repair_jobs/repair_job(title:string)",
		"Python CRUD API for vaccine fridge temperature logs":                                                                              "api python vaccine_fridge_temperature_logs/vaccine_fridge_temperature_log(name:string)",
		"Go API for 3D printer spools: brand":                                                                                              "api go printer_spools/printer_spool(brand:string)",
		"rest api with rooms, bookings and game masters":                                                                                   "api go rooms/room(name:string);bookings/booking(name:string);game_masters/game_master(name:string)",
		"Go API for crane visits. each visit: site, inspector, left_at, who did it, when it was found":                                     "api go visits/visit(site:string,inspector:string,left_at:datetime,done_by:string,when_found:datetime)",
		"Go API for gifts (date) and storage units (shelf code, gift)":                                                                     "api go gifts/gift(date:date);storage_units/storage_unit(shelf_code:string,gift_id:ref.gift)",
		"Go API\n- machines with location and model\n- slots in a machine: position, price":                                                "api go machines/machine(location:string,model:string);slots/slot(position:string,price:number,machine_id:ref.machine)",
		"Go API with two entities, Tank and Probe (one tank has many probes). Probe: year int, depth decimal":                              "api go tanks/tank(name:string);probes/probe(year:integer,depth:number,tank_id:ref.tank)",
		"Go service, entity RailWagon with number, type, and Defect with wagon, code":                                                      "api go rail_wagons/rail_wagon(number:string,type:string);defects/defect(code:string,rail_wagon_id:ref.rail_wagon)",
		"Go API. Clients (name). Cases: belong to a client, have a landlord name, opened, closed (may be empty)":                           "api go clients/client(name:string);cases/case(landlord_name:string,opened:datetime,closed:datetime!optional,client_id:ref.client)",
		"Go API for vinyl test pressings: label, catalogue nr, how many made":                                                              "api go vinyl_test_pressings/vinyl_test_pressing(label:string,catalogue_nr:string,number_made:integer)",
		"Go API for glaze recipes and test tiles. a test tile belongs to a recipe and has a clay body":                                     "api go recipes/recipe(title:string,ingredients:strings,servings:integer);test_tiles/test_tile(clay_body:string,recipe_id:ref.recipe)",
		"Python API for kilns. A firing has a kiln, a date and a max draft":                                                                "api python kilns/kiln(name:string);firings/firing(date:date,max_draft:number,kiln_id:ref.kiln)",
		"API: scooter repair shop. repair orders {id, customer, model, estimate: float}. Go":                                               "api go repair_orders/repair_order(customer:string,model:string,estimate:number)",
		"API server for film negatives archive. Rolls have film stock, camera, and date developed":                                         "api go rolls/roll(film_stock:string,camera:string,date_developed:date)",
		"Go service `github.com/acme/moor` for berths (code) and vessels (name). A stay links a berth and a vessel with from and to dates": "api go berths/berth(code:string);vessels/vessel(name:string);stays/stay(from_date:date,to_date:date,berth_id:ref.berth,vessel_id:ref.vessel) github.com/acme/moor",
		"Go API for visits (date, reason, follow up needed yes/no)":                                                                        "api go visits/visit(date:date,reason:string,follow_up_needed:boolean)",
		"Go API. ships: name:string flag:string; ports: code:string country:string":                                                        "api go ships/ship(name:string,flag:string);ports/port(code:string,country:string)",
		"Go api\n\nStamp\n  country  text\n  album    -> Album\n\nAlbum\n  title  text, required\n  pages  int":                            "api go stamps/stamp(country:string,album_id:ref.album);albums/album(title:string!required,pages:integer)",
		"Go API, sqlite. Entities:\n - Loom: name, width_cm int, shafts int\n - Cloth: loom, yarn text, started date, notes text":          "api go looms/loom(name:string,width_cm:integer,shafts:integer);cloths/cloth(yarn:string,started:date,notes:string,loom_id:ref.loom) sqlite",
		"Go API for cards: name on card, condition on return, made on, first use, best before, co ppm, size in units":                      "api go cards/card(name_on_card:string,condition_on_return:string,made_on:date,first_use:date,best_before:date,co_ppm:number,size:integer)",
		"API for bell ringing practice sessions in go: date, tower, method":                                                                "api go bell_ringing_practice_sessions/bell_ringing_practice_session(date:date,tower:string,method:string)",
		"a backend \"kennel-log\"... actually rather for horses. Horse: name, breed. Python":                                               "api python horses/horse(name:string,breed:string)",
		"ts API for radio shows; fields: title*, tags[], lat/lon, free (bool), qty in stock, handed over by":                               "api typescript radio_shows/radio_show(title:string!required,tags:strings,lat:number,lon:number,free:boolean,qty_in_stock:integer,handed_over_by:string)",
		"Go API. Cabins: number (int, unique). Trips: cabin_id (ref Cabin), passengers int, wind float":                                    "api go cabins/cabin(number:integer!unique);trips/trip(passengers:integer,wind:number,cabin_id:ref.cabin)",
		"make a small API (go): loans of tools - borrower, price, due date":                                                                "api go loans/loan(borrower:string,price:number,due_date:date)",
		// What strangers wrote.
		"I run a small coffee roastery and I need a simple backend (Go is fine) where I can store my beans (origin, roast level, price per kg, stock in kg). Should be protected by a token.": "api go beans/bean(origin:string,roast_level:string,price_per_kg:number,stock:number) token",
		"REST API\n- language: Python\n- resources: books, authors\n- books: title, isbn\n- authors: name, nationality\n- storage: sqlite\n- auth: none":                                      "api python books/book(title:string,isbn:string);authors/author(name:string,nationality:string) sqlite",
		"need crud for employees. python. sqlite. fields = id, name, email, hire_date, salary":                                                                                                "api python employees/employee(name:string,email:string,hire_date:date,salary:number) sqlite",
		"TypeScript API for leads (name, company, score) with CORS enabled, API key auth, SQLite and port 9090":                                                                               "api typescript leads/lead(name:string,company:string,score:number) sqlite token 9090",
		"Write a Python HTTP API for managing a wine cellar. Each wine has a name, vintage and purchase price.":                                                                               "api python wines/wine(name:string,vintage:integer,purchase_price:number)",
		"API for a dentist's office in TypeScript to manage patients and appointments":                                                                                                        "api typescript patients/patient(name:string);appointments/appointment(name:string)",
		"Go API. Cars: make, daily rate, available. Customers: name. Rentals: car, customer, start date, total.":                                                                              "api go cars/car(make:string,daily_rate:number,available:boolean);customers/customer(name:string);rentals/rental(start_date:date,total:number,car_id:ref.car,customer_id:ref.customer)",
		"go api for tv shows with seasons and episodes. A season belongs to a show, an episode belongs to a season.":                                                                          "api go shows/show(name:string);seasons/season(name:string,show_id:ref.show);episodes/episode(name:string,season_id:ref.season)",
		"go api, devices: name, mac address, online (boolean, default false), whether it is insured":                                                                                          "api go devices/device(name:string,mac_address:string,online:boolean!default=false,insured:boolean)",
		"go api for movies, title and year only, store in memory, listening on 9090":                                                                                                          "api go movies/movie(title:string,year:integer) 9090",
		"rest api todo go sqlite docker":                                                                                            "api go todos/todo(title:string,done:boolean) sqlite",
		"Make a go API with endpoints GET /books, POST /books, DELETE /books/:id":                                                   "api go books/book(title:string,author:string,year:integer)",
		"A python script that takes a csv file and outputs json":                                                                    "command python csv2json",
		"I have a bakery in Leeds and need a website":                                                                               "site static Bakery|bakery|Leeds|about,menu,opening-hours,location,contact",
		"A website for my consulting company Northwind Advisory (London) with about, case studies and contact":                      "site static Northwind Advisory|consulting company|London|about,case-studies,contact",
		"We are a small bike rental shop called Pedal Power located in Utrecht. We'd like a website that shows our bikes and rates": "site static Pedal Power|bike rental shop|Utrecht|bikes,rates",
		"landing page for my SaaS startup \"Invoicely\" - hero, features, pricing, FAQ":                                             "site static Invoicely|SaaS startup||features,pricing,faq",
		"personal site for me, I'm Priya Nair, an engineer in Toronto. I want about, projects and a resume.":                        "site static Priya Nair|engineer|Toronto|about,projects,resume",
		// Every word of a name is kept.
		"Python service: shipments -> tracking code, weight kg, shipped on":                                                                  "api python shipments/shipment(tracking_code:string,weight_kg:number,shipped_on:date)",
		"Go API for articles with headline, section, is admin. Use a json file as storage":                                                   "api go articles/article(headline:string,section:string,is_admin:boolean) file",
		"python cli to manage a wine cellar: name, vintage, bottles left":                                                                    "command python wines/wine(name:string,vintage:integer,bottles_left:integer)",
		"Python backend for surveys; a survey has a title; questions belong to surveys and have a text":                                      "api python surveys/survey(title:string);questions/question(text:string,survey_id:ref.survey)",
		"api for a museum in python: artworks (title, on display), matches with player one, player two":                                      "api python artworks/artwork(title:string,on_display:boolean);matches/match(player_one:string,player_two:string)",
		"API for pets with name and favourite toy in Go":                                                                                     "api go pets/pet(name:string,favourite_toy:string)",
		"API for parking spots in Go with sqlite":                                                                                            "api go parking_spots/parking_spot(name:string) sqlite",
		"Go API: Employee { firstName: string, lastName: string, hourlyRate: float, isActive: bool }":                                        "api go employees/employee(first_name:string,last_name:string,hourly_rate:number,is_active:boolean)",
		"Go API for beehives: location, queen age, honey yield (kg)":                                                                         "api go beehives/beehive(location:string,queen_age:integer,honey_yield:number)",
		"REST API in Go for managing medical records with patient name, blood type":                                                          "api go medical_records/medical_record(patient_name:string,blood_type:string)",
		"API in Go for on-call shifts with engineer and organizer":                                                                           "api go on_call_shifts/on_call_shift(engineer:string,organizer:string)",
		"simple api for my board game collection: title, min players, owned (bool). python + sqlite":                                         "api python board_games/board_game(title:string,min_players:integer,owned:boolean) sqlite",
		"golang api to log my coffee brews - bean, water temp, rating":                                                                       "api go coffee_brews/coffee_brew(bean:string,water_temp:number,rating:number)",
		"Simple CRUD in Go for a school library system: Book(title, isbn), Member(name, email)":                                              "api go books/book(title:string,isbn:string);members/member(name:string,email:string)",
		"TypeScript backend for our meeting room booking: rooms (name, capacity, floor) and reservations (organizer, start time)":            "api typescript rooms/room(name:string,capacity:integer,floor:integer);reservations/reservation(organizer:string,start_time:string)",
		"make for me one API in Go language for the management of the clients and the invoices of the clients":                               "api go clients/client(name:string);invoices/invoice(number:string,amount:number,paid:boolean,client_id:ref.client)",
		"Go API for model trains (scale, catalogue number, price paid) and customers with home address and test score":                       "api go model_trains/model_train(scale:string,catalogue_number:string,price_paid:number);customers/customer(home_address:string,test_score:number)",
		"Go API for points of interest with cost of the trip":                                                                                "api go points_of_interest/point_of_interest(cost_of_trip:number)",
		"build me an API that stores contact form submissions in Go":                                                                         "api go contact_form_submissions/contact_form_submission(name:string)",
		"TypeScript API for customer support tickets: subject, body":                                                                         "api typescript customer_support_tickets/customer_support_ticket(subject:string,body:string)",
		"cli in python for a reading list with title, pages and finished":                                                                    "command python books/book(title:string,pages:integer,finished:boolean)",
		"python cli password generator with a length option":                                                                                 "command python password",
		"one-page website for our wedding: Anna & Tom, Lake Como. Schedule, accommodation, RSVP":                                             "site static Anna & Tom|wedding|Lake Como|schedule,accommodation,rsvp",
		"Site for a tax advisor in Hamburg, Petra Vogel: services, fees, contact":                                                            "site static Petra Vogel|tax advisor|Hamburg|services,fees,contact",
		"Website for a vegan restaurant, \"Green Fork\", Portland, Oregon. Menu, reservations, location.":                                    "site static Green Fork|vegan restaurant|Portland, Oregon|menu,reservations,location",
		"portfolio site for a designer named Lena Fischer with projects, about and contact":                                                  "site static Lena Fischer|designer||projects,about,contact",
		"A website about climate change":                                                                                                     "site static Climate Change|climate change||about,contact",
		"A landing page for an eco-friendly cleaning company called GreenSweep, Denver, with services and company history, people and a FAQ": "site static GreenSweep|eco friendly cleaning company|Denver|services,company-history,people,faq",
		// What is said of a thing later, or in a list, is said of that thing.
		"rest api in go for beehives. each hive has a name and number of frames (int)":                                                                   "api go beehives/beehive(name:string,number_of_frames:integer)",
		"TypeScript API.\n\nResources:\n- Vessel: name (string, required), flag (string)\n- Inspection: vessel (belongs to Vessel), inspected_on (date)": "api typescript vessels/vessel(name:string!required,flag:string);inspections/inspection(inspected_on:date,vessel_id:ref.vessel)",
		"JSON API in Go with landlords and properties, where a property belongs to a landlord. Landlords have email. Properties have address and rent":   "api go landlords/landlord(email:string);properties/property(address:string,rent:number,landlord_id:ref.landlord)",
		"node api, customers and invoices, one customer has many invoices. customer: company. invoice: amount":                                           "api typescript customers/customer(company:string);invoices/invoice(amount:number,customer_id:ref.customer)",
		"Project name: larder. Language: Python. Kind: REST API. Resource: jar — contents (string), shelf (integer)":                                     "api python jars/jar(contents:string,shelf:integer)",
		"API for small dogs in Go with name and fully grown (bool)":                                                                                      "api go small_dogs/small_dog(name:string,fully_grown:boolean)",
		"website for my knitting hobby with patterns and join us":                                                                                        "site static Knitting Hobby|knitting hobby||patterns,join-us",
		"webpage for my mum's pottery classes, she's called Ines Carvalho, in Porto. about page + timetable page":                                        "site static Ines Carvalho|pottery classes|Porto|about,timetable",
		// In a list of fields any word is the name of one.
		"Go API for bookings (customer, from, to)":                                                                                           "api go bookings/booking(customer:string,from:string,to:string)",
		"api for phone calls in ts: who, when, duration, notes":                                                                              "api typescript phone_calls/phone_call(who:string,when:datetime,duration:number,notes:string)",
		"Go API for lab results: value, reference range, parts cost, taken at":                                                               "api go lab_results/lab_result(value:number,reference_range:string,parts_cost:number,taken_at:datetime)",
		"Go API for meetings with title, duration min, all-day, last seen, neutered, refundable, qty, plus one":                              "api go meetings/meeting(title:string,duration_min:number,all_day:boolean,last_seen:date,neutered:boolean,refundable:boolean,qty:integer,plus_one:string)",
		"Go API for cars with plate which is a string, seats must be an integer, sold is a boolean":                                          "api go cars/car(plate:string,seats:integer,sold:boolean)",
		"go service to keep records of meter readings: meter id, kwh, read on":                                                               "api go meter_readings/meter_reading(meter_id:string,kwh:number,read_on:date)",
		"create an api in python to store jokes with setup, punchline and likes":                                                             "api python jokes/joke(setup:string,punchline:string,likes:integer)",
		"go api with resources companies (name, industry, website) and contacts (name, email, phone, company)":                               "api go companies/company(name:string,industry:string,website:string);contacts/contact(name:string,email:string,phone:string,company_id:ref.company)",
		"API for library books in Python with isbn, copies available":                                                                        "api python library_books/library_book(isbn:string,copies_available:integer)",
		"Python backend to store votes for the class president: candidate, cast at":                                                          "api python votes/vote(candidate:string,cast_at:datetime)",
		"python api for my aquarium: fish (species, count), water tests (ph, tested at)":                                                     "api python fish/fish(species:string,count:integer);water_tests/water_test(ph:number,tested_at:datetime)",
		"go api for a quiz: questions (text, points), players (name, vip)":                                                                   "api go questions/question(text:string,points:integer);players/player(name:string,vip:boolean)",
		"Web page: \"Harbor View Apartments\", Seattle. amenities, location, apply":                                                          "site static Harbor View Apartments||Seattle|amenities,location,apply",
		"I want a backend in Python for a library: authors and books. authors have a name, books have a title. A book belongs to an author.": "api python authors/author(name:string);books/book(title:string,author_id:ref.author)",
		"JSON API for trains in Go. number, origin, departure, delay minutes":                                                                "api go trains/train(number:string,origin:string,departure:string,delay_minutes:integer)",
		"API in Go for orders; an order has many items; an item has a product name":                                                          "api go orders/order(customer:string,status:string,total:number);items/item(product_name:string,order_id:ref.order)",
		"TS api for invoices with line items":                                                                                                "api typescript invoices/invoice(number:string,amount:number,paid:boolean);line_items/line_item(name:string,invoice_id:ref.invoice)",
		"a Go API for a clinic: Doctor (name, title), Visit (doctor, starts at, reason)":                                                     "api go doctors/doctor(name:string,title:string);visits/visit(starts_at:datetime,reason:string,doctor_id:ref.doctor)",
		"go api that keeps track of the plants in my greenhouse. name, species, last watered":                                                "api go plants/plant(name:string,species:string,last_watered:date)",
		"I teach guitar and want an API in Python to keep track of my pupils. Every pupil has a name and a lesson price":                     "api python pupils/pupil(name:string,lesson_price:number)",
		"REST API for an escape room business in Go. Rooms: name, theme. Bookings: room, date.":                                              "api go rooms/room(name:string,theme:string);bookings/booking(date:date,room_id:ref.room)",
		"we're a small choir (Harmony Voices, Leeds) and would love a website with concerts":                                                 "site static Harmony Voices|choir|Leeds|concerts",
		"Portfolio for Maria Lopez - illustrator. Sections: work, about":                                                                     "site static Maria Lopez|illustrator||work,about",
		"Site for a lawyer. Name: Sarah Klein. City: Boston. Sections: about, fees":                                                          "site static Sarah Klein|lawyer|Boston|about,fees",
		"a website for a museum of toys with exhibitions and directions":                                                                     "site static Museum Of Toys|museum of toys||exhibitions,directions",
		// What was refused once, and is read as a stranger would.
		"python api to save the temperatures of my fridge: value, unit":                           "api python temperatures/temperature(value:number,unit:string)",
		"Python API for lost and found items":                                                     "api python lost_and_found_items/lost_and_found_item(name:string)",
		"python api for invoices: number, lines (product, quantity, price), total":                "api python invoices/invoice(number:string,total:number);lines/line(product:string,quantity:integer,price:number,invoice_id:ref.invoice)",
		"Spec:\n- language: TypeScript\n- storage: SQLite\n- entity: vehicle\n  - plate (string)": "api typescript vehicles/vehicle(plate:string) sqlite",
		"Go API for task management with users, projects and tasks. Tasks have a title":           "api go tasks/task(title:string);users/user(name:string,email:string);projects/project(name:string)",
		"go api for expenses, category one of food, rent, fun":                                    "api go expenses/expense(category:string!one of=food|rent|fun)",
		// Lists that nothing introduces, relations in brackets, and what is only told of somebody.
		"endpoints to create, read, update and delete customers (name, email) and their orders (date, total). Python":                                                          "api python customers/customer(name:string,email:string);orders/order(date:date,total:number,customer_id:ref.customer)",
		"interface Task { id: number; title: string; dueDate?: Date } build a node api, in memory":                                                                             "api typescript tasks/task(title:string,due_date:date!optional)",
		"POST /orders {customer, total, paid}, GET /orders, DELETE /orders/:id in Go with sqlite":                                                                              "api go orders/order(customer:string,total:number,paid:boolean) sqlite",
		"REST API\nLanguage: Go\nEntity: Ticket\nFields:\n  title: string (required)\n  priority: low | normal | high\n  note?\nStorage: sqlite":                               "api go tickets/ticket(title:string!required,priority:string!one of=low|normal|high,note:string!optional) sqlite",
		"I run a small kennel. Owners (name, phone) have dogs (name, breed). I'd like a python api with sqlite for that.":                                                      "api python owners/owner(name:string,phone:string);dogs/dog(name:string,breed:string,owner_id:ref.owner) sqlite",
		"Backend to store the meter readings of our apartments: apartment, read on. Go":                                                                                        "api go meter_readings/meter_reading(apartment:string,read_on:date)",
		"Python API for payments: member name, paid on. A file is enough for the data, but it should need a token.":                                                            "api python payments/payment(member_name:string,paid_on:date) file token",
		"For our factory floor: Go, Postgres. Machines have a serial number (unique) and a date. Entries belong to a machine: minutes. Token auth.":                            "api go machines/machine(serial_number:string!unique,date:date);entries/entry(minutes:integer,machine_id:ref.machine) postgres token",
		"small backend in python for a shopping list, product, quantity, bought":                                                                                               "api python items/item(product:string,quantity:integer,bought:boolean)",
		"We need a Go API to record the daily takings of our shop: date, cash (number), note":                                                                                  "api go daily_takings/daily_taking(date:date,cash:number,note:string)",
		"Support ticket api in python; subject, body, email":                                                                                                                   "api python support_tickets/support_ticket(subject:string,body:string,email:string)",
		"Go api w/ customers and orders; orders belong to customers. customer name + email, order total, placed_at":                                                            "api go customers/customer(name:string,email:string);orders/order(total:number,placed_at:datetime,customer_id:ref.customer)",
		"Python api: projects and tasks. every task belongs to a project. project has name and deadline, task has title and done":                                              "api python projects/project(name:string,deadline:date);tasks/task(title:string,done:boolean,project_id:ref.project)",
		"school api in go: teachers (name, email), classes (title, room) that belong to a teacher, and pupils (name, birthday) that belong to a class":                         "api go teachers/teacher(name:string,email:string);classes/class(title:string,room:string,teacher_id:ref.teacher);pupils/pupil(name:string,birthday:date,class_id:ref.class)",
		"TypeScript API. Entities: Author {name: string, born: date}, Book {title: string, author: Author}":                                                                    "api typescript authors/author(name:string,born:date);books/book(title:string,author_id:ref.author)",
		"API: astronauts and missions in Go. astronaut: name. mission: title, commander (an astronaut)":                                                                        "api go astronauts/astronaut(name:string);missions/mission(title:string,commander_id:ref.astronaut)",
		"golang api: warehouses and pallets. A pallet belongs to a warehouse. warehouse: code, city. pallet: barcode":                                                          "api go warehouses/warehouse(code:string,city:string);pallets/pallet(barcode:string,warehouse_id:ref.warehouse)",
		"Go API for a lost property office with items: description, found_on, date and time":                                                                                   "api go items/item(description:string,found_on:date,date_and_time:datetime)",
		"I run a gym and because my boss keeps losing the paper sheets I need an API in Go for routes: colour, name. No login, it's on a closed network. I'll change it later": "api go routes/route(colour:string,name:string)",
		"a cli in python where i can add, list and delete expenses (date, amount, category)":                                                                                   "command python expenses/expense(date:date,amount:number,category:string)",
		"grep-like tool in go that searches for a text in all files of a directory and prints the line numbers":                                                                "command go search",
		"i need a simple page for our annual jazz festival in Ghent, line-up, tickets, getting there":                                                                          "site static Jazz Festival|jazz festival|Ghent|line-up,tickets,getting-there",
		"personal website for a phd student in marine biology. bio, research, publications":                                                                                    "site static Phd Student In Marine Biology|phd student in marine biology||bio,research,publications",
		"site for our village fete on 12 July 2026 at Harlow Green, sections: programme, stalls":                                                                               "site static Village Fete|village fete|Harlow Green|programme,stalls",
		"website for a bike ride in Oxford. route, how to take part, next meeting, dogs for adoption":                                                                          "site static Bike Ride|bike ride|Oxford|route,how-to-take-part,next-meeting,dogs-for-adoption",
		"website for my yoga studio \"Still Water\" in Porto, with section for classes, prices and teachers":                                                                   "site static Still Water|yoga studio|Porto|classes,prices,teachers",
		"page for Jane Miller, computer science student at TU Munich, sections: projects, contact":                                                                             "site static Jane Miller|computer science student|TU Munich|projects,contact",
		"site for the clock museum in our town, with programme, admission and history of the museum":                                                                           "site static Clock Museum|clock museum||programme,admission,history-of-the-museum",
		"I run a small campsite by a lake in Sweden and want a website: pitches, prices per night":                                                                             "site static Campsite By A Lake|campsite by a lake|Sweden|pitches,prices-per-night",
		"page for our fair: Little Harting Summer Fair, Saturday 18 July, village green. programme, food & drink, volunteers wanted":                                           "site static Little Harting Summer Fair|fair|Village Green|programme,food-and-drink,volunteers-wanted",
		"tattoo parlour site, sections artists, booking by phone 0151 555 0188":                                                                                                "site static Tattoo Parlour|tattoo parlour||artists",
		"go command line tool to keep track of the books i lent to friends: friend, book, lent on. add list remove":                                                            "command go books/book(friend:string,book:string,lent_on:date)",
		"generate random passwords, python, cli, length selectable, with or without symbols":                                                                                   "command python password",
		"search for a word in all files of a folder, python cli, ignore upper/lower case":                                                                                      "command python search",
		"python tool that finds duplicate files, i have about 40k holiday pictures and half of them are there twice":                                                           "command python duplicates",
		"count the words and lines of text files, python, command line - for the chapters of my novel":                                                                         "command python count",
		"small python program for the command line that makes checksums of all files in a folder, md5 or sha256":                                                               "command python checksum",
		"python cli that renames all files in a folder to lowercase and replaces spaces with underscores":                                                                      "command python rename",
		"write a go program that batch renames my holiday photos with a prefix and a running number":                                                                           "command go rename",
		"I'm running out of disk space. I need a tool in python that tells me which directories are the biggest":                                                               "command python sizes",
		"write a command line tool that lists the 20 biggest files on my disk":                                                                                                 "command go sizes",
		"what is eating my disk space? python script please":                                                                                                                   "command python sizes",
		"Go CLI called \"Renamer\" that renames files. It should support --prefix and --suffix":                                                                                "command go rename",
		"python cli to search files for a text and replace it":                                                                                                                 "command python replace",
		"go cli that replaces all occurrences of a string in a directory recursively, ignoring binary files":                                                                   "command go replace",
		"go cli: rename files and replace text in them":                                                                                                                        "command go rename,replace",
		"a python tool to rename files by replacing a word with another":                                                                                                       "command python rename",
		"a command line tool in python which sorts a text file and removes the duplicate lines":                                                                                "command python lines",
		"python tool to find duplicate files and duplicate lines":                                                                                                              "command python duplicates,lines",
		"dedupe lines, go, command line, keep the original order":                                                                                                              "command go lines",
		"go cli to count words and sort lines":                                                                                                                                 "command go count,lines",
		"python script to print 10 random uuids":                                                                                                                               "command python uuid",
		"give me a tool that prints a uuid version 4":                                                                                                                          "command go uuid",
		"Go API for devices with id (uuid) and name":                                                                                                                           "api go devices/device(name:string)",
		"go cli like the tree command with a max depth":                                                                                                                        "command go tree",
		"write a tool that shows all files and folders as a tree, including hidden files, python":                                                                              "command python tree",
		"go api for trees with species and height":                                                                                                                             "api go trees/tree(species:string,height:number)",
		"python cli to track trees i planted: species, date":                                                                                                                   "command python trees/tree(species:string,date:date)",
		"go cli that counts lines in a directory tree":                                                                                                                         "command go count",
		"a go cli that searches for \"ERROR\" in log files":                                                                                                                    "command go search",
		"a go command to count words in files":                                                                                                                                 "command go count",
		"where did all my disk space go? make a go cli":                                                                                                                        "command go sizes",
		"a go tool called wordy that counts words":                                                                                                                             "command go count",
		"a cli in go to find duplicate files and the largest files":                                                                                                            "command go duplicates,sizes",
		"Go API for folders with name and size":                                                                                                                                "api go folders/folder(name:string,size:string)",
		"make a site for my plumbing business \"Kowalski & Sons\", we do boilers, bathrooms and emergency repairs":                                                             "site static Kowalski & Sons|plumbing business||about,contact",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		s := p.spec
		parts := []string{s.Kind, s.Language}
		if s.Kind == project.Site {
			parts = append(parts, strings.Join([]string{s.Title, s.Subject, s.Place, strings.Join(s.Sections, ",")}, "|"))
		}
		parts = append(parts, s.Decided("resources").Text(), strings.Join(s.Operations, ","))
		for _, value := range []string{s.Database, s.Auth, s.License, s.Module} {
			if value != "none" {
				parts = append(parts, value)
			}
		}
		if s.Port == 9090 {
			parts = append(parts, "9090")
		}
		if got := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " "); got != want {
			t.Errorf("%q was read as\n%s, want\n%s", prompt, got, want)
		}
		if _, err := project.Read(stateOf(s)); err != nil {
			t.Errorf("%q: the state cannot be read back: %v", prompt, err)
		}
	}
}

func stateOf(s spec) map[string]string {
	state := map[string]string{}
	for _, d := range s.Decisions() {
		state[d.Key] = d.Text()
	}
	return state
}

func TestDetailsAreLeftOutByName(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"python cli: count words and lines in a text file, with a --json flag":                       {"--json"},
		"Go API for horses: name, breed, so guests can't delete anything.":                           {"so guests can't delete anything (more than keeping records)"},
		"Go API for horses: name. The data must be backed up.":                                       {"backed up (import and export)"},
		"Go API for entries (title), judges need a token to write, SQLite":                           {"judges need a token to write (a token is asked for by every request)"},
		"file renamer in go with --undo":                                                             {"--undo"},
		"a go program that lists the 20 biggest files, my server disk is always full":                {"my server disk is always full"},
		"REST API in Go for quotes with text, plus an endpoint that returns a random quote":          {"endpoint that returns a random quote"},
		"Go API for items with name and stock. Also an endpoint that lists items with low stock":     {"endpoint that lists items with low stock"},
		"Go API for votes. My friends use it so they can vote twice":                                 {"my friends use it so they can vote twice (more than keeping records)"},
		"Go API for bookings: room, from, to, double bookings are rejected":                          {"double bookings are rejected (rules between records)"},
		"Go API for members: name. Only people with a token may change anything.":                    {"only people with a token may change anything (a token is asked for by every request)"},
		"Go API for members: name. API key for writing.":                                             {"api key for writing (a token is asked for by every request)"},
		"Go API for members: name, a valid email":                                                    {"valid of email"},
		"Go API for observations: object_name, magnitude (decimal, mostly below 6)":                  {"mostly below 6 of magnitude"},
		"Go API: players (name). Please also add a standings endpoint":                               {"please also add a standings endpoint"},
		"Go API for pupils: name, average, tests":                                                    {"tests (taken for a part of the project, and for no field)"},
		"python cli to add todos with a title and tick them off":                                     {"tick them off (no field is named for it)"},
		"Go API for labels and songs. Songs: title, year":                                            {"fields of labels (none were told: they get the usual ones)"},
		"A dental clinic needs an API for patients (name, phone)":                                    {"a dental clinic (background)"},
		"Go API for our frontend team. users (name), so testers can't break it":                      {"our frontend team", "so testers can't break it"},
		"Go API for sizes: label, fraction (1/4, 1/2)":                                               {"1/4 1/2 of fraction"},
		"Go API for chips: number (15 digits)":                                                       {"15 digits of number"},
		"Go API for cars: plate, start date, end date. The end date has to be after the start date.": {"the end date has to be after the start date (rules between records)"},
		"Go API for cups (name), pagination: default 25, max 200":                                    {"max 200 (rules between records)"},
		"Go API for cups (name), pagination (default 20, max 100)":                                   {"max 100 (rules between records)"},
		"Go API for shifts. Shift:\n- start_time: time\n- note":                                      {"time of start time (kept as text)"},
		"Go API for storing blog posts. comments with author, post, text":                            {"post of comments (one of the blog posts)"},
		"Go API for books, default page size 20, maximum page size 100.":                             {"maximum page size 100"},
		"Go API for notes, encrypted at rest":                                                        {"encrypted at rest"},
		"a multiplayer API for scores":                                                               {"multiplayer"},
		"go api for runs: distance, pace computed":                                                   {"pace computed"},
		"go api for books with title, filter by author and sort by title":                            {"filter", "sort"},
		"a website for my flower shop Petal Row with a contact form and an online shop":              {"contact form", "online shop"},
		"Go API for todos. Deploy it to AWS.":                                                        {"aws"},
		"an API for users with email and password":                                                   {"password of users"},
		"an API for doors with a name and a constructor":                                             {"constructor of doors"},
		"an API for cats, dogs, birds, cows, pigs, goats, hens, ducks and owls":                      {"/owls"},
		"landing page with dark theme for a bakery":                                                  {"dark theme"},
		"website for the Oakwood Tennis Club with court booking":                                     {"court booking"},
		"website for a hotel with rooms, gallery and contact pages":                                  {"separate pages"},
		"go api for books with title, filter by author, 100 per page":                                {"filter by author"},
		"golang api for expenses, amount must be positive, note":                                     {"above 0 of amount"},
		"go api for plants with petals, vintage and level":                                           {"petals (none was told: list of texts)", "vintage and level (none was told: whole number)"},
		"go api for events: title, date in the future":                                               {"in the future of date"},
		"python api for shifts: start, end after start":                                              {"after start of end"},
		"python script that counts the lines of all .py files":                                       {".py files"},
		"write a command line program in go that prints the md5 checksums of files":                  {"md5 checksums (with --md5)"},
		"cli in python to record expenses with amount and date and show a monthly total":             {"monthly total"},
		"go cli that generates passwords and saves them in a database":                               {"database"}, "page for a conference in Vienna, speakers, agenda, register now": {"register now"},
		"go tool to rename files to lowercase, spaces become dashes, with undo":                       {"to lowercase (with --lower)", "spaces become dashes (with --spaces -)", "undo (options of a tool)"},
		"python tool that renames files and folders: holiday_001.jpg":                                 {"renames files and folders (options of a tool)", "holiday_001.jpg (with --number, --prefix and --digits N)"},
		"Go CLI: rename files, add a prefix \"holiday_\" to every file name":                          {"to every file name (with --prefix)", "what stands in quotes"},
		"python cli that replaces text in files using regular expressions and makes a backup":         {"using regular expressions (options of a tool)", "makes a backup (options of a tool)"},
		"python script to replace \"foo\" with \"bar\" in all .txt files":                             {"what stands in quotes", ".txt files"},
		"python script: remove duplicates from a text file and save the result to a new file":         {"with --unique", "save the result to a new file (it goes to the standard output, which a shell can send to a file)"},
		"remove empty lines and duplicate lines from a file with a python script":                     {"remove empty lines (with --no-blank)", "duplicate lines (with --unique)"},
		"make a cli that outputs 5 guids, uppercase":                                                  {"outputs 5 guids (with --count N)", "uppercase (options of a tool)"},
		"print folder structure in python, 3 levels deep, ignore node_modules":                        {"3 levels deep (with --depth N)", "ignore node_modules (options of a tool)"},
		"python tool to rename the files in my downloads folder to lowercase":                         {"to lowercase (with --lower)"},
		"a tool to rename files named IMG_1.jpg":                                                      {"files named img_1.jpg (what the tool is told where it is called)"},
		"go program that finds files larger than 100 MB, top 10":                                      {"with --files", "100 mb", "top 10 (with --top N)"},
		"go cli that generates random passwords of length 16":                                         {"length 16"},
		"sha256 checksums as a go cli. I need it to verify my backups":                                {"verify my backups"},
		"website for my yoga studio with prices, and customers should be able to book and pay online": {"book and pay online"},
		"website for a garage. He drives old cars. services, contact":                                 {"He drives old cars"},
		"site for our cottage near St Ives, sleeps 4, dogs welcome. prices, directions":               {"sleeps 4", "dogs welcome"},
		"website for a translator, Ann Nowak (German, Polish). rates, contact":                        {"German", "Polish"},
		"website for our club, 120 members, founded 1987":                                             {"120 members", "founded 1987"},
		"website for an animal shelter called Paws with a donate button":                              {"donate button"},
		"python api for notes without tests":                                                          {"no tests"},
		"website for Kim's Nail Salon: services & prices, book an appointment":                        {"book an appointment"},
	} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(stateOf(p.spec)["left_out"], part) {
				t.Errorf("%q: %q is not told: %q", prompt, part, p.spec.Left)
			}
		}
	}
}

func TestChangesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // empty: refused
		"add a price to books": "added the field price to books", "add a publisher field to books": "added the field publisher to books",
		"add reviews with text and stars": "added the resource reviews", "add an endpoint for reviews": "added the resource reviews",
		"add comments to books": "added the resource comments", "please also store the publisher and the year": "added the field publisher to books; added the field year to books",
		"add users with name, books belong to users": "added the field user_id to books", "switch to sqlite": "database from none to sqlite", "add authentication": "auth from none to token",
		"use port 9000 and add the MIT license": "port from 8080 to 9000; license from none to mit", "rename books to novels": "renamed the resource books to novels",
		"rename it to Book Shelf": "name from book-api to book-shelf", "remove the author": "removed the field author of book",
		"add a notes resource": "added the resource notes", "use sqlite instead of memory and add a token": "database from none to sqlite; auth from none to token", "change title to name": "",
		"add users and let them review books": "", "please add validation for isbn": "", "add categories with name, and give books a category": "added the field category_id to books",
		"add a publisher and number of pages": "added the field publisher to books; added the field number_of_pages to books", "add user management": "", "use a json file as storage": "database from none to file",
		"add status (open/closed) to books": "added the field status to books", "add parking spots with number and level": "added the resource parking_spots",
		"please secure the api with a token and change the port to 5001": "port from 8080 to 5001; auth from none to token", "add a genre field and a rating from 1 to 10": "added the field rating to books",
		"remove author from the books": "removed the field author of book", "change author to a list of authors": "",
		"make it dark": "", "write more tests": "", "make it faster": "", "add a graphql endpoint": "", "remove the title and the author": "", "add stars to moons": "", "": "", "use python": "",
	} {
		base, err := planOf(nil, "A Go API for books with title and author", constraints{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(&base.spec, prompt, constraints{})
		if (want == "") != (err != nil) || !strings.Contains(p.said, want) {
			t.Errorf("%q: %q, %v; want %q", prompt, p.said, err, want)
		}
	}
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	for _, raw := range []map[string]string{
		{"theme": "dark"},
		{"language": "cobol"},
		{"port": "80"},
		{"resources": "1x"},
		{"database": "oracle"},
		{"name": "!!"},
		{"framework": "gin"},
		{"language": "static", "resources": "books"},
		{"auth": "none", "AUTH": "token"},
		{"sections": "<b>"},
	} {
		if _, err := readConstraints(raw); err == nil {
			t.Errorf("%v was accepted", raw)
		}
	}
	if p, err := planOf(nil, "a website for a bakery", constraints{"language": project.Go}); err == nil {
		t.Errorf("a site in Go: %+v", p.spec)
	}
	c, err := readConstraints(map[string]string{"Language": "ts", "database": "PostgreSQL", "auth": "bearer", "name": "Fleet Desk", "port": "9000", "resources": "cars, drivers"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := planOf(nil, "an API", c)
	if s := p.spec; err != nil || s.Language != project.TypeScript || s.Database != project.Postgres || s.Auth != "token" || s.Name != "fleet-desk" || s.Port != 9000 || len(s.Resources) != 2 {
		t.Errorf("%+v, %v", p.spec, err)
	}
}
