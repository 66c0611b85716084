package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// told writes the things of a request with their fields, kinds and rules.
func told(r *request.Request) string {
	var out []string
	for _, t := range r.Things {
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, strings.TrimSpace(fmt.Sprint(f.Name, " ", f.Kind, f.Ref, " ", map[bool]string{true: "unique "}[f.Unique], f.Need, f.Min, f.Max, f.Default, strings.Join(f.Choices, "|"))))
		}
		for _, parent := range t.Parents {
			fields = append(fields, "of "+parent.Name)
		}
		out = append(out, t.Name+"("+strings.Join(fields, ", ")+")")
	}
	return strings.Join(out, " ")
}

// reads holds what is read of requests to what is wanted.
func reads(t *testing.T, requests map[string]string) {
	t.Helper()
	for prompt, want := range requests {
		r := request.Read(prompt, lexicon.All)
		if got := told(r); got != want || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: %s, not understood %q, want\n%s", prompt, got, r.Unknown, want)
		}
	}
}

// Records are read with their fields and rules, whatever the order in which things are told.
func TestRecordsAreRead(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Go API for a blog. posts with title, and comments on posts with author name and text":                             "post(title string) comment(author_name string, text string, of post)",
		"Go API for comments on posts: author, text":                                                                       "comment(author string, text string, of post) post()",
		"Go API for grades of students in courses: grade, date":                                                            "grade(grade string, date date, of student, of course) student() course()",
		"Go API for rooms in hotels: number, price":                                                                        "room(number string, price number, of hotel) hotel()",
		"Go API for complaints from tenants: tenant name, text":                                                            "complaint(tenant_name string, text string)",
		"Go API for members of the club: name, email":                                                                      "member(name string, email string)",
		"Go API for invoices for freelancers: number, amount":                                                              "invoice(number string, amount number)",
		"Go API for songs: title, grouped by album":                                                                        "song(title string, album string)",
		"Go API for customers' pets: name, species":                                                                        "customer() pet(name string, species string, of customer)",
		"Go API for customers' pets: name, customer name":                                                                  "pet(name string, customer_name string)",
		"Go API for shops. They have a name. Their products have a name and a price.":                                      "shop(name string) product(name string, price number, of shop)",
		"Go API for dogs with a name. Their owners have a phone.":                                                          "dog(name string, of owner) owner(phone string)",
		"Go API for houses with an address. Every house's rooms have a name.":                                              "house(address string) room(name string, of house)",
		"Go API for members: name. Our club's courts have a surface.":                                                      "member(name string) court(surface string)",
		"Go API for bills of lading: price, shipper":                                                                       "bill_of_lading(price number, shipper string)",
		"Create crud operations for employee with name, salary in Go":                                                      "employee(name string, salary number)",
		"Go REST services for orders: customer, total":                                                                     "order(customer string, total number)",
		"Go API with employee table: name, salary":                                                                         "employee(name string, salary number)",
		"Go API for customer details: name, email":                                                                         "customer(name string, email string)",
		"Go API for car models: make, year":                                                                                "car_model(make string, year integer)",
		"Go API for medical records: patient, diagnosis":                                                                   "medical_record(patient string, diagnosis string)",
		"Go API for dogs. Properties: name, age":                                                                           "dog(name string, age integer)",
		"Entity: Book. Fields: title. Entity: Member. Fields: name. Go API":                                                "book(title string) member(name string)",
		"Go API for vehicles such as cars and vans: plate, km":                                                             "vehicle(plate string, km number)",
		"Go API for watches\nmake\nmodel\nyear":                                                                            "watch(make string, model string, year integer)",
		"Go API for my shoes. Brand. Size. Color.":                                                                         "shoe(brand string, size string, color string)",
		"Go API for employees\nname\nbuild\nstart date\nsqlite":                                                            "employee(name string, build string, start_date date)",
		"Go API for leaderboards: name, game":                                                                              "leaderboard(name string, game string)",
		"Go API for teachers: name, subject, email":                                                                        "teacher(name string, subject string, email string)",
		"Go API for runners: bib number, team":                                                                             "runner(bib_number integer, team string)",
		"Our club has members. Each member has a phone. Go API":                                                            "member(phone string)",
		"Go API for a hotel. The hotel has rooms. Rooms: name, price":                                                      "room(name string, price number)",
		"Go API. Company has departments. company: name. department: name":                                                 "company(name string) department(name string, of company)",
		"Go API. My user has posts. Posts: title":                                                                          "user() post(title string, of user)",
		"Go API for hearing aids: brand, price":                                                                            "hearing_aid(brand string, price number)",
		"Go API for rooms in buildings: room name, floor, building name":                                                   "room(room_name string, floor integer, building_name string)",
		"Go API. Drivers have a name and drive one car. Cars have a plate.":                                                "driver(name string, of car) car(plate string)",
		"Orders: price, items. Items: name, qty. Go API":                                                                   "order(price number) item(name string, qty integer, of order)",
		"Tennis club with members and courts. Members: name. Courts: surface. Go API":                                      "member(name string) court(surface string)",
		"Go API for staff and shifts. Staff: name. Shifts: staff member, date.":                                            "staff(name string) shift(date date, of staff)",
		"Go API for books: title, author. Each author has a name.":                                                         "book(title string, of author) author(name string)",
		"Go API: crews (bow number) and results (crew, lane)":                                                              "crew(bow_number string) result(lane string, of crew)",
		"Photo studio: clients, shoots. Client: name. Shoot: client, date. Go API":                                         "client(name string) shoot(date date, of client)",
		"Mini CRM: companies, people. Company: name, city. Person: name, company. API":                                     "company(name string, city string) person(name string, of company)",
		"Go API. Order: number, items. Item: name, qty":                                                                    "order(number string) item(name string, qty integer, of order)",
		"Go API for appointment scheduling: client name, date":                                                             "appointment(client_name string, date date)",
		"Go API for measuring stations: name, river":                                                                       "measuring_station(name string, river string)",
		"Go API for climbing routes: name, grade":                                                                          "climbing_route(name string, grade string)",
		"Go API for service contracts and customers. Service contracts: price, customer. Customers: name":                  "service_contract(price number, of customer) customer(name string)",
		"Go API for resource bookings: title, date":                                                                        "resource_booking(title string, date date)",
		"Go API with the resource books: title, author":                                                                    "book(title string, author string)",
		"Go API for staff: name, phone. Each staff member has a manager.":                                                  "staff(name string, phone string, manager string)",
		"Go API for books: title, author. Authors have a name.":                                                            "book(title string, of author) author(name string)",
		"Go API. A club organizes tournaments; a tournament has a date":                                                    "club() tournament(date date, of club)",
		"Go API for custmers with name and email":                                                                          "customer(name string, email string)",
		"Go API for the pantry: product, amount":                                                                           "item(product string, amount number)",
		"Go API for files: name, read only (bool). Owners should have a name and a phone. Each file belongs to an owner.":  "file(name string, read_only boolean, of owner) owner(name string, phone string)",
		"Go API for tasks. Tasks should have a title. Users should have a name and an email.":                              "task(title string) user(name string, email string)",
		"Go API for tasks: title, due date; show overdue tasks":                                                            "task(title string, due_date date)",
		"Go API for grades: student, subject, average per student":                                                         "grade(student string, subject string)",
		"Go API for contacts, email must be unique":                                                                        "contact(email string unique)",
		"Go API for a help desk: subject, opened":                                                                          "ticket(subject string, opened string)",
		"Go API for reservations: room, guest, checkIn, checkOut":                                                          "reservation(room string, guest string, check_in date, check_out date)",
		"Go API for artists: name, email, instagram":                                                                       "artist(name string, email string, instagram string)",
		"Go API for medicines: name, strength, dosage_mg, form":                                                            "medicine(name string, strength string, dosage_mg number, form string)",
		"Go API for meters (number, address, installed, paid)":                                                             "meter(number string, address string, installed string, paid boolean)",
		"Go API for parcels: recipient, collected, collected on":                                                           "parcel(recipient string, collected boolean, collected_on date)",
		"Go API for books: title, published":                                                                               "book(title string, published string)",
		"Go API for posts: title, body, published":                                                                         "post(title string, body string, published boolean)",
		"Go API for hives: name, strength 1-10, level 1-5":                                                                 "hive(name string, strength integer 110, level integer 15)",
		"Go API: cars (plate), rentals (car, from-to, price)":                                                              "car(plate string) rental(from string, to string, price number, of car)",
		"Go API for rentals from-to with a price":                                                                          "rental(from string, to string, price number)",
		"Go API for stamps: country, mint or used, album page":                                                             "stamp(country string, mint_or_used string mint|used, album_page string)",
		"go api for tickets: title, open or closed":                                                                        "ticket(title string, open_or_closed string open|closed)",
		"Go API for applications: programme, decision (pending / accepted / rejected)":                                     "application(programme string, decision string pending|accepted|rejected)",
		"Go API for graduates: name, class of (year)":                                                                      "graduate(name string, class_of integer)",
		"Go API for plants: name, last watered, every how many days":                                                       "plant(name string, last_watered date, every_how_many_days integer)",
		"Go API for coffee tasting notes: roaster, notes":                                                                  "coffee_tasting_note(roaster string, notes string)",
		"Go API: helper (alias), slot (starts, ends, helper)":                                                              "helper(alias string) slot(starts datetime, ends datetime, of helper)",
		"Go API. An employee submits claims; a claim has an amount":                                                        "employee() claim(amount number, of employee)",
		"Go API for our fleet of drones: drone (serial, status: ready/retired), flight (drone, pilot)":                     "drone(serial string, status string ready|retired) flight(pilot string, of drone)",
		"We want to manage our bikes with a Go API: bike (frame), repair (bike, cost)":                                     "bike(frame string) repair(cost number, of bike)",
		"Go API to store tests for students: title, date":                                                                  "test(title string, date date)",
		"Go API for dogs, track name, weight":                                                                              "dog(name string, weight number)",
		"Go API with auth logs: user, action, time":                                                                        "auth_log(user string, action string, time string)",
		"Go API for parcels: size LxWxH, weight, city":                                                                     "parcel(size string, weight number, city string)",
		"Go API for lenses, need cleaning, brand":                                                                          "lens(need_cleaning boolean, brand string)",
		"Python API for storing boats. build site, launch time, max altitude":                                              "boat(build_site string, launch_time string, max_altitude number)",
		"Please store for every member: first name, last name. Go API":                                                     "member(first_name string, last_name string)",
		"API to log errors: service, message, level, at":                                                                   "error(service string, message string, level string, at string)",
		"Go API for podcasts with episodes (title, published)":                                                             "podcast() episode(title string, published boolean, of podcast)",
		"Go API for flashcards, with decks (name) and cards (front, deck)":                                                 "deck(name string) card(front string, of deck)",
		"Go API for clubs. A club has a name and a president, which is a member. Members have an email.":                   "club(name string, president stringmember) member(email string)",
		"Go API for extinguishers in a building. Each one has a location and a passed flag.":                               "extinguisher(location string, passed boolean)",
		"Go API with teams and games. game: team one, team two, date. team: name":                                          "team(name string) game(team_one stringteam, team_two stringteam, date date)",
		"Go API. Costume: size, and which production last used it. Productions have a title.":                              "costume(size string, production_last_used stringproduction) production(title string)",
		"Go API for cattle, where each animal has a breed, and several vaccinations with dose and date.":                   "animal(breed string) vaccination(dose string, date date, of animal)",
		"Go API for invoices and invoice lines. An invoice has a date. A line has a text and a price":                      "invoice(date date) line(text string, price number, of invoice)",
		"Go API for recipes: each has a title, several steps and many ingredients":                                         "recipe(title string, steps strings, ingredients strings)",
		"Go API for customers, their addresses and orders. Customer: name. Address: city. Order: total, customer":          "customer(name string) address(city string, of customer) order(total number, of customer)",
		"Go API. Members have a name. Debates have a date, a proposer and an opposer, both members.":                       "member(name string) debate(date date, proposer stringmember, opposer stringmember)",
		"Go API for persons: name, mother, father (both persons)":                                                          "person(name string, mother stringperson, father stringperson)",
		"Go API for recipes with a name, and a list of ingredients with quantity and unit":                                 "recipe(name string) ingredient(quantity integer, unit string, of recipe)",
		"Go API for hotels: name, rooms":                                                                                   "hotel(name string, rooms integer)",
		"Go API for visits: guest, table, visitors. Tables: number":                                                        "visit(guest string, visitors integer, of table) table(number string)",
		"Categories: name, parent category, fan category. Go API":                                                          "category(name string, parent_category stringcategory, fan_category string)",
		"Go API for customers: name, contact persons":                                                                      "customer(name string, contact_persons strings)",
		"Go API for machines. Machines have skills and names.":                                                             "machine(skills strings, name string)",
		"Go API for boats: name, cabins, allergies of the crew, gift ideas":                                                "boat(name string, cabins integer, allergies_of_crew strings, gift_ideas strings)",
		"Go API for clubs: name, members. A match has a date and a club":                                                   "club(name string, members strings) match(date date, of club)",
		"Go service for hotel booking with rooms, guests and reservations":                                                 "room() guest() reservation()",
		"Go API with a User model: username, email":                                                                        "user(username string, email string)",
		"Go API with a Book model (title, author) and an Author model (name)":                                              "book(title string, of author) author(name string)",
		"Go API for train models: name, price":                                                                             "train_model(name string, price number)",
		"Go API involving sensors: name, unit":                                                                             "sensor(name string, unit string)",
		"Go API built around bookings: room, date":                                                                         "booking(room string, date date)",
		"For my shop store products: name, price. Go API":                                                                  "product(name string, price number)",
		"Go API for inspections: inspector, date, ok?":                                                                     "inspection(inspector string, date date, ok boolean)",
		"Go API for trips: outbound and return flight, date":                                                               "trip(outbound_flight string, return_flight string, date date)",
		"Go API customers: name, phone, list of notes with text and date":                                                  "customer(name string, phone string) note(text string, date date, of customer)",
		"Go API for dogs, enter name, weight":                                                                              "dog(name string, weight number)",
		"Go API for lessons. Lessons have a date and the room they use. Rooms have a number.":                              "lesson(date date, of room) room(number string)",
		"Go API that lets teachers record homework given to each class: class, due on":                                     "homework(class string, due_on date)",
		"Go API for schools, the schools' classes and the classes' pupils. School: name. Class: grade. Pupil: name.":       "school(name string) class(grade string, of school) pupil(name string, of class)",
		"REST API \"crochet patterns\" in Go with fields title, pages":                                                     "crochet_pattern(title string, pages integer)",
		"Go REST endpoints /api/v1/books: title, author":                                                                   "book(title string, author string)",
		"Go API for winches: log requests, graceful shutdown: model, price":                                                "winch(model string, price number)",
		"Go API for prices with history: product, price":                                                                   "price(product string, price number)",
		"Go API for food for dogs: brand, weight kg, price":                                                                "food(brand string, weight_kg number, price number)",
		"Room service API: room, dish, ordered at":                                                                         "room_service(room string, dish string, ordered_at datetime)",
		"Customer service ticket API: subject, status":                                                                     "customer_service_ticket(subject string, status string)",
		"Go API for cities I want to visit: city, country, visited":                                                        "city(city string, country string, visited string)",
		"API for postgres servers: host, port, version, owner":                                                             "postgres_server(host string, port string, version string, owner string)",
		"Go API for messages between users. message: sender, text":                                                         "message(sender string, text string)",
		"I need an API for groups with a name and a size. Size is a maximum of 20 people. The name is a must.":             "group(name string required, size integer 20)",
		"Go API for a record collection: artist. One record has multiple genres.":                                          "record(artist string) genre() record_genre(of record, of genre)",
		"Go API. A poll has a question and several options. Each option has a text.":                                       "poll(question string) option(text string, of poll)",
		"Go API for products: name, price, options":                                                                        "product(name string, price number, options strings)",
		"Go API for guests for each wedding. A wedding has a date; a guest has a name":                                     "guest(name string, of wedding) wedding(date date)",
		"Go API\n* plant: label, last watered (date)\n* log: plant, date, substrate (bark, moss, mix)":                     "plant(label string, last_watered date) log(date date, substrate string bark|moss|mix, of plant)",
		"Go API for graves. Graves have a number, and a section letter.":                                                   "grave(number string, section_letter string)",
		"Go API for jobs. A job has a title, a salary range from and to, and a deadline.":                                  "job(title string, salary_range_from string, salary_range_to string, deadline date)",
		"Go API for wind turbines. Store model, hub height, rated power":                                                   "wind_turbine(model string, hub_height number, rated_power number)",
		"Go API for sports field reservations: team, date":                                                                 "sports_field_reservation(team string, date date)",
		"REST API for aquarium logs in Go: tank name, pH":                                                                  "aquarium_log(tank_name string, ph number)",
		"Go API for a comic book collection with volumes and issues":                                                       "volume() issue()",
		"Go API for flights: airline, gate A12":                                                                            "flight(airline string, gate string)",
		"Go API. An aquarium has many fish. Fish: name, species. Aquarium: volume":                                         "aquarium(volume number) fish(name string, species string, of aquarium)",
		"Go API for pets: name, owner; all strings":                                                                        "pet(name string, owner string)",
		"Go API for books: title, borrowed and returned dates":                                                             "book(title string, borrowed_date date, returned_date date)",
		"Go API for cars and their service history. Car: plate, model. Service: date, cost":                                "car(plate string, model string) service(date date, cost number, of car)",
		"API for library books in Python with isbn":                                                                        "library_book(isbn string)",
		"Go API for authors, shelves and books. Book: title, belongs to Author and Shelf":                                  "author() shelf() book(title string, of author, of shelf)",
		"Go API for dogs. Dogs have names and birthdays.":                                                                  "dog(name string, birthday date)",
		"API for invites: email, token, used, auth by token":                                                               "invite(email string, token string, used boolean)",
		"API for students: name, midterm test, final test":                                                                 "student(name string, midterm_test string, final_test string)",
		"API for lessons: title, teacher, homework, tests, go":                                                             "lesson(title string, teacher string, homework string)",
		"API for benches: place, donated by, in memory of":                                                                 "bench(place string, donated_by string, in_memory_of string)",
		"API for guests with the usual fields (name, email, phone)":                                                        "guest(name string, email string, phone string)",
		"backend for selling tickets: event, buyer, seat, price":                                                           "ticket(event string, buyer string, seat string, price number)",
		"Go API for tables: material, surface, price":                                                                      "table(material string, surface string, price number)",
		"Go API for rooms with a number, beds and nightly rate":                                                            "room(number string, beds integer, nightly_rate number)",
		"typescript api; model Car: plate, seats; model Driver: name, car":                                                 "car(plate string, seats integer) driver(name string, of car)",
		"api for gym memberships, name email plan start date, go":                                                          "gym_membership(name string, email string, plan string, start_date date)",
		"simple go service for storing bookmarks url title tags":                                                           "bookmark(url string, title string, tags strings)",
		"typescript api for bug reports title severity status reporter, sqlite":                                            "bug_report(title string, severity string, status string, reporter string)",
		"go api for movie watchlist title year seen rating":                                                                "movie(title string, year integer, seen boolean, rating number)",
		"go api for brew readings, temp float time timestamp batch name":                                                   "brew_reading(temp number, time datetime, batch_name string)",
		"go api for truck fleet. plate, mileage, next service date, driver.":                                               "truck(plate string, mileage number, next_service_date date, driver string)",
		"invoices api with number date amount and customer":                                                                "invoice(number string, date date, amount number, customer string)",
		"rest api for dogs with name breed age and owner":                                                                  "dog(name string, breed string, age integer, owner string)",
		"go api for rental fleet: model, plate, mileage":                                                                   "vehicle(model string, plate string, mileage number)",
		"api 4 keeping track of christmas trees we sell, height, sold y/n":                                                 "christmas_tree(height number, sold boolean)",
		"go api for pets. name species age. owners name phone email":                                                       "pet(name string, species string, age integer) owner(name string, phone string, email string)",
		"Fleet API in Python\n- vehicles: plate, mileage as integer\n- fuel_logs: litres, belongs to vehicle\n- sqlite":    "vehicle(plate string, mileage integer) fuel_log(litres number, of vehicle)",
		"Go API: members with name, loans that belong to a member with item and due_date":                                  "member(name string) loan(item string, due_date date, of member)",
		"Go API for shelves:\n- name, required\n- expires (date)\n- an api key":                                            "shelf(name string required, expires date)",
		"Go API. Films (title), screenings (film, venue, starts at), and venues (name, capacity)":                          "film(title string) screening(starts_at datetime, of film, of venue) venue(name string, capacity integer)",
		"Go API for forklifts: capacity in kg (integer), seats":                                                            "forklift(capacity integer, seats integer)",
		"Go API. A sample has a code. Each sample can have many results; a result consists of a unit and whether it's bad": "sample(code string) result(unit string, bad boolean, of sample)",
		"Go API. Client: name, email. Invoice: number, total. Clients have invoices.":                                      "client(name string, email string) invoice(number string, total number, of client)",
		"Go API for dishes with name and if it's vegan, and bookings with guest name, arrival":                             "dish(name string, vegan boolean) booking(guest_name string, arrival string)",
		"Go API: job(queue string, status pending|done = pending, open bool = true)":                                       "job(queue string, status string pendingpending|done, open boolean true)",
		"Go API for books: title (min 2), year":                                                                            "book(title string 2, year integer)",
		"A Go CLI for books with title and year, in a file":                                                                "book(title string, year integer)",
		"Go cli for notes: title, text. It is for my files":                                                                "note(title string, text string)",
		"Go API for skis (length_cm) and rentals (ski, from)":                                                              "ski(length_cm number) rental(from string, of ski)",
		"Go API for exhibits. Every exhibit needs a title and a text of at most 500 characters":                            "exhibit(title string, text string 500)",
		"Go API. Sample: code. Result: sample fk, value float, unit":                                                       "sample(code string) result(value number, unit string, of sample)",
		"Go API for tickets with barcode that must be unique, notes that are optional":                                     "ticket(barcode string unique, notes string optional)",
		"We need a Go service for the runners: bib number, first name":                                                     "runner(bib_number integer, first_name string)",
		"Go API for foster homes with capacity, has garden, needs training (boolean)":                                      "foster_home(capacity integer, has_garden boolean, needs_training boolean)",
		"Go API for hives; each hive has many inspections with date and notes":                                             "hive() inspection(date date, notes string, of hive)",
		"Go API for orders with patient reference, telescope used":                                                         "order(patient_reference string, telescope_used string)",
		"Go API. Member: name*, joined\nPayment: amount*, paid on\n* = required":                                           "member(name string required, joined string) payment(amount number required, paid_on date)",
		"Go API. Courses: style, starts (time), fee":                                                                       "course(style string, starts datetime, fee number)",
		"Go API for items: barcode: string, unique, exactly 12 characters":                                                 "item(barcode string unique 1212)",
		"Go API: Vehicle: plate. Trip: vehicle (reference to Vehicle), km":                                                 "vehicle(plate string) trip(km number, of vehicle)",
		"Go API with donors (name, kind: person | company | shop, phone)":                                                  "donor(name string, kind string person|company|shop, phone string)",
		"Go API for a taxi firm with cars and trips: a trip has a car, pickup and fare":                                    "car() trip(pickup string, fare number, of car)",
		"Go API. customers: {name, city}, meters: {serial, customer}":                                                      "customer(name string, city string) meter(serial string, of customer)",
		"Go API for permits. A permit has a zone which is A, B or C, a type that is single, double or suite, and a fee":    "permit(zone string A|B|C, type string single|double|suite, fee number)",
		"Go API for a food bank\n- Family: surname, members (int, 1..15)":                                                  "family(surname string, members integer 115)",
		"Go API for ssl certificates so we know when they expire: domain, issuer":                                          "ssl_certificate(domain string, issuer string)",
		"Go API for shipping: orders (number), crates (number, weight)":                                                    "order(number string) crate(number string, weight number)",
		"Go API for marathon runners and their split times":                                                                "marathon_runner() split_time(of marathon_runner)",
		"Go API for products and their prices":                                                                             "product(price number)",
		"Go API for dogs (breed) and their owners (phone)":                                                                 "dog(breed string, of owner) owner(phone string)",
		"Go API for reviews of restaurants: restaurant, stars":                                                             "review(restaurant string, stars integer)",
		"Go API for users with roles: name, role":                                                                          "user(name string, role string)",
		"Go API. Survey has questions, question has answers. Survey: title. Question: text. Answer: text.":                 "survey(title string) question(text string, of survey) answer(text string, of question)",
		"Go API. A quiz has a title and quiz questions. A question has a text.":                                            "quiz(title string) question(text string, of quiz)",
		"Go API for customers, their pets, and the pets' walks":                                                            "customer() pet(of customer) walk(of pet)",
		"Go API. resource car: make, year; resource blogpost: title, body":                                                 "car(make string, year integer) blogpost(title string, body string)",
		"Go API: guests with name, phone. Tables with number, seats.":                                                      "guest(name string, phone string) table(number string, seats integer)",
		"Go API for countries with cities with streets. Country: name. Street: length.":                                    "country(name string) city(of country) street(length number, of city)",
		"Go API. Endpoint group /games with title, genre":                                                                  "game(title string, genre string)",
		"Go API: members (name), books (title), loans connecting the two with a due date":                                  "member(name string) book(title string) loan(due_date date, of member, of book)",
		"Go API for hives and visits. A hive has a name and place, a visit a date and remarks.":                            "hive(name string, place string) visit(date date, remarks string)",
		"Go API: doctors (name), patients (name), visits that link both (date, reason)":                                    "doctor(name string) patient(name string) visit(date date, reason string, of doctor, of patient)",
		"Go API: horses (breed), stalls (size). One horse per stall.":                                                      "horse(breed string, of stall) stall(size string)",
		"Go API. A performance takes place on one stage and has a date. A stage has a name.":                               "performance(date date, of stage) stage(name string)",
		"Go API. A test case has a title. A test run belongs to a test case and has a date.":                               "test_case(title string) test_run(date date, of test_case)",
		"Go API. A hive has a name. An inspection records date, queen seen (bool) and belongs to a hive.":                  "hive(name string) inspection(date date, queen_seen boolean, of hive)",
		"Go API. Kids have names and birthdays.":                                                                           "kid(name string, birthday date)",
		"Go API for dogs, where a dog has name, breed and age":                                                             "dog(name string, breed string, age integer)",
		"Go API for dogs, need name, breed":                                                                                "dog(name string, breed string)",
		"Go API for kids: name, photo ok, public domain":                                                                   "kid(name string, photo_ok boolean, public_domain boolean)",
		"Go API for boats: length, skipper (person), owner (person); person: name":                                         "boat(length number, skipper stringperson, owner stringperson) person(name string)",
		"Go API for boats: name, current and previous owner; owners: name":                                                 "boat(name string, current_owner stringowner, previous_owner stringowner) owner(name string)",
		"Go API for harvests: kg fresh, kg dry, emp_nm":                                                                    "harvest(kg_fresh number, kg_dry number, emp_nm string)",
		"Go API for license keys, fields key (unique), seats (int)":                                                        "license_key(key string unique, seats integer)",
		"Go API for guests: name, no-show yes or no, rows_in, requests per minute":                                         "guest(name string, no_show boolean, rows_in integer, requests_per_minute integer)",
		"Go API for \"outages\" - fields: system: string, start: datetime, notes: text (optional)":                         "outage(system string, start datetime, notes string optional)",
		"Go API for bugs: summary, steps to reproduce":                                                                     "bug(summary string, steps_to_reproduce string)",
		"Mock backend for our frontend devs: products with sku, name. Go":                                                  "product(sku string, name string)",
		"Make a service with the following requirements:\n1. Language: Go\n2. Entities: Sensor (name, unit)":               "sensor(name string, unit string)",
		"Go API for benches: place, donated by, in memory of":                                                              "bench(place string, donated_by string, in_memory_of string)",
		"Go API for tasks: title, priority 1-3, due date, open or done":                                                    "task(title string, priority integer 13, due_date date, open_or_done string open|done)",
		"Go API for invoices: number, net ($), rent (€), hours (h)":                                                        "invoice(number string, net number, rent number, hours number)",
		"Go API for tickets: title, priority low, medium, high":                                                            "ticket(title string, priority string low|medium|high)",
		"Go API for tickets: title, priority low, medium or high, done, status (open, closed), archived":                   "ticket(title string, priority string low|medium|high, done boolean, status string open|closed, archived boolean)",
		"Go API for shops: name, location indoor/outdoor, contact type email/phone":                                        "shop(name string, location string indoor|outdoor, contact_type string email|phone)",
		"Go API for flats: living and total area, private and work email, private and due date":                            "flat(living_area number, total_area number, private_email string, work_email string, private boolean, due_date date)",
		"Go API for goods: purchase and selling price, customer and supplier name":                                         "good(purchase_price number, selling_price number, customer_name string, supplier_name string)",
		"Go API for stocks: symbol, open, high, low, close":                                                                "stock(symbol string, open number, high number, low number, close number)",
		"Go API for servers: name, monitored, owner":                                                                       "server(name string, monitored boolean, owner string)",
		"Go API for todos with title and done using sqlite":                                                                "todo(title string, done boolean)",
		"Go API for tins: label, opened on, found on, found at, works on, checked in at":                                   "tin(label string, opened_on date, found_on date, found_at string, works_on string, checked_in_at datetime)",
		"Go API for races: name, record holder, kept at, moved in on":                                                      "race(name string, record_holder string, kept_at string, moved_in_on date)",
		"Go API for tablets: med, physics, markdown":                                                                       "tablet(med string, physics string, markdown string)",
		"Go API for dogs, store name, breed":                                                                               "dog(name string, breed string)",
		"Go API for sales, store number, amount":                                                                           "sale(store_number string, amount number)",
		"Go API for a model agency: models (name, height cm), jobs (model, fee)":                                           "model(name string, height_cm number) job(fee number, of model)",
		"Go API for dentists to keep patients: name, phone":                                                                "patient(name string, phone string)",
		"Go API for the inventory of our workshop: name, quantity":                                                         "item(name string, quantity integer)",
		"Go API for hikers: trails (name, length)":                                                                         "trail(name string, length number)",
		"Go API. Each customer has pianos, and a piano has a brand":                                                        "customer() piano(brand string, of customer)",
		"Go API for readings, with systolic, diastolic, pulse (all whole numbers) and taken_at":                            "reading(systolic integer, diastolic integer, pulse integer, taken_at datetime)",
		"Go API\n* record: runner (name, bib_number integer unique)\n* record: race (runner, distance)":                    "runner(name string, bib_number integer unique) race(distance number, of runner)",
		"Go API. Teams have a name and an age class (U12, U14, U16, adults)":                                               "team(name string, age_class string U12|U14|U16|adults)",
		"Go API. cultures have a strain, a medium and an inoculation date":                                                 "culture(strain string, medium string, inoculation_date date)",
		"Go API: owners, their animals. Owner has name and phone, animal has name":                                         "owner(name string, phone string) animal(name string, of owner)",
		"Go API for results: time in seconds (float), built year, status open, paid or closed":                             "result(time number, built_year integer, status string open|paid|closed)",
		"Go API for contracts. Contract number is a required unique string":                                                "contract(contract_number string unique required)",
		"Go API that keeps building permits: file number":                                                                  "building_permit(file_number string)",
		"Go API where landlords can save apartments: address, city":                                                        "apartment(address string, city string)",
		"Go API for products and reviews: products have name, price; reviews have stars, text and product":                 "product(name string, price number) review(stars integer, text string, of product)",
		"Go API for rooms: name, seats":                                                                                    "room(name string, seats integer)",
		"Go API for songs with title and bpm; bpm between 40 and 240":                                                      "song(title string, bpm number 40240)",
		"Go API for members: name, email. Emails are required.":                                                            "member(name string, email string required)",
		"Go API; authors: name; books: title, author":                                                                      "author(name string) book(title string, of author)",
		"I keep bees. Python API for hives: name, how many frames, whether it is sold":                                     "hive(name string, frames integer, sold boolean)",
		"Go API for loans with borrower, a loan date and a return date (optional)":                                         "loan(borrower string, loan_date date, return_date date optional)",
		"Go API. A hive has a name. An inspection belongs to a hive and has a date":                                        "hive(name string) inspection(date date, of hive)",
		"Go API for users: role (one of: admin, editor, viewer), name":                                                     "user(role string admin|editor|viewer, name string)",
		"API in Go: Owners (name) have dogs (name, breed)":                                                                 "owner(name string) dog(name string, breed string, of owner)",
		"Go API to store plants. first and last name, all required":                                                        "plant(first_name string required, last_name string required)",
		"Go API\n\nbatch\n  bean   text   required\n  grams  int\n  roasted_on  date":                                      "batch(bean string required, grams integer, roasted_on date)",
	})
}

// Specifications as they are written: headings over rules, choices and records, several records in a sentence, notations.
func TestSpecificationsAreRead(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"vouchers api: code, valid days, used or not":                                                                          "voucher(code string, valid_days integer, used boolean)",
		"customer complaints - REST api - python - fields: received_on, channel":                                               "customer_complaint(received_on date, channel string)",
		"hearing aid repairs: api with serial number, client, cost":                                                            "hearing_aid_repair(serial_number string, client string, cost number)",
		"Insurance broker: API for policies and claims. A policy has a number. A claim belongs to a policy and has an amount.": "policy(number string) claim(amount number, of policy)",
		"vendor scorecard api, vendor name, delivery score, price score":                                                       "vendor_scorecard(vendor_name string, delivery_score number, price_score number)",
		"Go API for guests with a name, a table; I want to be able to filter by table":                                         "guest(name string, table string)",
		"Go API for bikes called bike-tracker":                                                                                 "bike()",
		"NDA tracking: counterparty, signed on. TypeScript REST API, module name nda-tracker":                                  "nda(counterparty string, signed_on date)",
		"Customers (name) have invoices (number), invoices have line items (description, qty). Python API":                     "customer(name string) invoice(number string, of customer) line_item(description string, qty integer, of invoice)",
		"Go API for authors (name). Authors have books (title, year) and talks (date).":                                        "author(name string) book(title string, year integer, of author) talk(date date, of author)",
		"Dance school: students, classes, enrolments. An enrolment has a student, a class and a date. Python API":              "student() class() enrolment(date date, of student, of class)",
		"deployments tracker api\nservice: string\nenv: enum(dev, prod)\nat: timestamp\npython pls":                            "deployment(service string, env string dev|prod, at datetime)",
		"Go API\nBook:\ntitle: string\nyear: int\nAuthor:\nname: string":                                                       "book(title string, year integer) author(name string)",
		"A lost property service for the swimming pool: item, found on":                                                        "lost_item(item string, found_on date)",
		"a booking API for the boat: guest, date":                                                                              "booking(guest string, date date)",
		"site (code, city), visit (site, day). Go, sqlite, token":                                                              "site(code string, city string) visit(day date, of site)",
		"locker api for our gym. number, floor, code":                                                                          "locker(number string, floor integer, code string)",
		"Go API for our gym: full name, email":                                                                                 "member(full_name string, email string)",
		"client list api: name, phone":                                                                                         "client(name string, phone string)",
		"homework tracker api: subject, due date":                                                                              "assignment(subject string, due_date date)",
		"sim card mgmt API: iccid, carrier":                                                                                    "sim_card(iccid string, carrier string)",
		"web api for a personal library: title, author":                                                                        "book(title string, author string)",
		"Go API for clips with title and length. Has email notifications.":                                                     "clip(title string, length number)",
		"Go API for classes: title, days (mon, tue, wed)":                                                                      "class(title string, days strings)",
		"ticket system api: tickets w/ subject, body; comments on tickets w/ author and text. golang":                          "ticket(subject string, body string) comment(author string, text string, of ticket)",
		"Go API for the rental of dresses. Dress: name. Rental: customer name. A rental belongs to one dress.":                 "dress(name string) rental(customer_name string, of dress)",
		"A backend where choir members and their voice parts are stored. Python":                                               "choir_member() voice_part(of choir_member)",
		"The service shall provide create, read, update and delete operations for the resource \"Elevator\" with attributes address and load_kg. Implementation language: Go.":                                                               "elevator(address string, load_kg number)",
		"REST API in Python for a car rental. Cars, customers, rentals. Car: licence plate, model. Rental: car, customer, until.":                                                                                                            "rental(until string, of car, of customer) car(licence_plate string, model string) customer()",
		"Simple API: events; fields: name, venue, starts_at, ends_at, capacity; rules: name required, capacity between 1 and 5000, venue max 80 chars":                                                                                       "event(name string required, venue string 80, starts_at datetime, ends_at datetime, capacity integer 15000)",
		"REST API for recipes. Fields: title (required), servings (1-20), prep time (minutes), vegan (yes/no), instructions (long text), difficulty (easy, medium, hard). Constraints: title unique, servings default 4.":                    "recipe(title string unique required, servings integer 1204, prep_time number, vegan boolean, instructions string, difficulty string easy|medium|hard)",
		"REST API for tickets: subject, body, priority, status. Statuses: open, pending, closed. Priorities: low, normal, high. Subject max 120.":                                                                                            "ticket(subject string 120, body string, priority string low|normal|high, status string open|pending|closed)",
		"Python API for movies: title, year, genre, rating. Genres: action, drama, comedy. Rating 0 to 10. Title required and unique. ":                                                                                                      "movie(title string unique required, year integer, genre string action|drama|comedy, rating number 010)",
		"Go API for jobs: title, company, type. Allowed types: full-time, part-time, freelance.":                                                                                                                                             "job(title string, company string, type string full-time|part-time|freelance)",
		"Python API for meals: name, kcal, meal type. Enums: meal type = breakfast | lunch | dinner.":                                                                                                                                        "meal(name string, kcal number, meal_type string breakfast|lunch|dinner)",
		"REST API for vehicles: plate, type, seats. Vehicle types: car, van, truck. Unique plate. Seats 1 to 9.":                                                                                                                             "vehicle(plate string unique, type string car|van|truck, seats integer 19)",
		"API for books with fields title (string), year (int) and rules: title required; year between 1450 and 2100":                                                                                                                         "book(title string required, year integer 14502100)",
		"Go API for rooms: name, seats, beamer (bool). Business rules: seats >= 1; name unique. Non-functional: port 8088, sqlite.":                                                                                                          "room(name string unique, seats integer 1, beamer boolean)",
		"API for hotels with rooms: room number, floor, type (single, double, suite), price per night in EUR, smoking allowed (bool). Rate limit 100 requests per minute.":                                                                   "room(room_number string, floor integer, type string single|double|suite, price_per_night number, smoking_allowed boolean)",
		"API for rooms: number, type (single, double, triple), view (sea, garden, street)":                                                                                                                                                   "room(number string, type string single|double|triple, view string sea|garden|street)",
		"Go API for a tennis club. Court: number, surface clay/grass/hard, indoor bool. Member: name, ranking int optional. Booking: court, member, day, hour 7-22, guest name optional.":                                                    "court(number string, surface string clay|grass|hard, indoor boolean) member(name string, ranking integer optional) booking(day date, hour integer 722, guest_name string optional, of court, of member)",
		"REST API for events: date, hour (0-23), minute (0-59), label, all day (bool)":                                                                                                                                                       "event(date date, hour integer 023, minute integer 059, label string, all_day boolean)",
		"API for trains: line, delay 0-180, platform, and tickets (price, class 1-2, train)":                                                                                                                                                 "train(line string, delay integer 0180, platform string) ticket(price number, class integer 12, of train)",
		"API: customers (name, email), tickets (opened at, closed at optional, customer)":                                                                                                                                                    "customer(name string, email string) ticket(opened_at datetime, closed_at datetime optional, of customer)",
		"Go API: users (handle), posts (likes int, user), photos (url, post)":                                                                                                                                                                "user(handle string) post(likes integer, of user) photo(url string, of post)",
		"REST API: employees (email), tasks (due date, done, employee)":                                                                                                                                                                      "employee(email string) task(due_date date, done boolean, of employee)",
		"API for beehives: hive number (unique), location, queen marked (bool), queen year, honey yield kg, last inspection; inspections: date, varroa count, notes; an inspection belongs to a hive":                                        "beehive(hive_number string unique, location string, queen_marked boolean, queen_year integer, honey_yield_kg number, last_inspection date) inspection(date date, varroa_count integer, notes string, of beehive)",
		"API for students: name, class, grade average; grades: subject, mark (1-6), date; a grade belongs to a student":                                                                                                                      "student(name string, class string, grade_average number) grade(subject string, mark integer 16, date date, of student)",
		"REST API: vineyard blocks: block name, grape variety, area (ha), planted year; harvests: date, kg, sugar (°Brix 0-35), block":                                                                                                       "vineyard_block(block_name string, grape_variety string, area number, planted_year integer) harvest(date date, kg number, sugar number, of vineyard_block)",
		"REST API for podcasts: show (title, host, language, explicit), episode (title, number, duration sec, audio url, published at, show). Episode number >= 1. Show title unique.":                                                       "show(title string unique, host string, language string, explicit boolean) episode(title string, number integer 1, duration_sec number, audio_url string, published_at datetime, of show)",
		"API for a car wash: wash programs (name, price, duration minutes), customers (name, plate, stamps 0-10 default 0), washes (customer, program, at). sqlite, port 8085, no auth":                                                      "wash_program(name string, price number, duration_minutes integer) customer(name string, plate string, stamps integer 0100) wash(at string, of customer, of wash_program)",
		"API in Go. A warehouse has a code and an address. A shelf has a number, a max weight in kg and belongs to a warehouse. Codes are unique. Max weight must be at least 10.":                                                           "warehouse(code string unique, address string) shelf(number string, max_weight number 10, of warehouse)",
		"Go API: hotels (name, stars, city), rooms (number, price, beds). Stars from 1 to 5. Prices are positive. Numbers are unique. Rooms belong to hotels.":                                                                               "hotel(name string, stars integer 15, city string) room(number string unique, price number, beds integer, of hotel)",
		"REST API for podcasts (title, hosts, feed url) with episodes (title, number, audio url, length in min, published)":                                                                                                                  "podcast(title string, hosts strings, feed_url string) episode(title string, number string, audio_url string, length integer, published boolean, of podcast)",
		"Go API for projects (name, budget) with milestones (title, due, reached) and risks (text, probability 0-100, impact low/mid/high)":                                                                                                  "project(name string, budget number) milestone(title string, due date, reached boolean, of project) risk(text string, probability number 0100, impact string low|mid|high, of project)",
		"API for cats: name:string:required, age:int:min=0:max=30, color:string, vaccinated:bool:default=false":                                                                                                                              "cat(name string required, age integer 030, color string, vaccinated boolean false)",
		"REST API: Person(name: str, born: date | None, height_cm: int = 170, email: str (unique), kids: list[str])":                                                                                                                         "person(name string, born date optional, height_cm integer 170, email string unique, kids strings)",
		"Go API for `OrderItem` with `unitPrice` (decimal), `qty` (int, min 1), `productName` (string), `addedAt` (datetime)":                                                                                                                "order_item(unit_price number, qty integer 1, product_name string, added_at datetime)",
		"REST API: tickets with title (max 120), description, severity 1-5, reporter email, assignee (optional), status open/in progress/closed (default open), created and updated timestamps":                                              "ticket(title string 120, description string, severity integer 15, reporter_email string, assignee string optional, status string openopen|in progress|closed, created_timestamp datetime, updated_timestamp datetime)",
		"Go API with bands (name, genre) and fans (name, email, favourite band). Favourite band is required. Email is unique. Sqlite.":                                                                                                       "band(name string, genre string) fan(name string, email string unique, favourite_band stringband required)",
		"API for fencing: fencers (name, club, weapon: foil, epee, sabre, hand: left/right default right, born on) and bouts (red fencer, green fencer, date, red score 0-15, green score 0-15). Go, sqlite.":                                "fencer(name string, club string, weapon string foil|epee|sabre, hand string rightleft|right, born_on date) bout(red_fencer stringfencer, green_fencer stringfencer, date date, red_score number 015, green_score number 015)",
		"API for a bus tour operator in Go: tours (title, departs on, returns on, price, seats default 48), pickups (tour, town, time), passengers (tour, pickup, name, phone, single room default no). Price min 1. Name required. sqlite.": "tour(title string, departs_on date, returns_on date, price number 1, seats integer 48) pickup(town string, time string, of tour) passenger(name string required, phone string, single_room boolean false, of tour, of pickup)",
		"Python API: members (name, newsletter default true, board member default false), cars (member, plate, trailer hitch default false). sqlite":                                                                                         "member(name string, newsletter boolean true, board_member boolean false) car(plate string, trailer_hitch boolean false, of member)",
		"My company makes furniture. I need an API for orders. An order has an order number, the customer, the piece ordered, the wood used, the delivery date and the total. The total must not be negative.":                               "order(order_number string, customer string, piece_ordered string, wood_used string, delivery_date date, total number 0)",
		"I need an API for my fishing catches. A catch has a fish species, a weight in grams, a length in cm, the bait used, the water temperature and the place caught. The species is required and the weight optional.":                   "catch(fish_species string required, weight number optional, length number, bait_used string, water_temperature number, place_caught string)",
		"I need an API for customers, which have a name and an email, and orders, which have a date, a total and a customer. The total is at least 0.":                                                                                       "customer(name string, email string) order(date date, total number 0, of customer)",
		"I would like an API with doctors, who have a name and a specialty, and appointments, which have a date and a doctor.":                                                                                                               "doctor(name string, specialty string) appointment(date date, of doctor)",
		"I need an API for my sons' football cards. A card has a player, a club, a season, a condition and a value in euros. Value is optional; condition is mint, good or poor.":                                                            "card(player string, club string, season string, condition string mint|good|poor, value number optional)",
	})
}

// What becomes of requests without a token tells whether one is asked for.
func TestATokenIsAskedForOrNot(t *testing.T) {
	t.Parallel()
	for prompt, auth := range map[string]string{
		"Go API for pipes (name), 401 without token": "token", "Go API for notes: text. No access without a token.": "token", "Go API for notes: text. Every call without an API token must return 401.": "token",
		"Go API for notes: text. Refuse requests without a bearer token": "token", "Go API for notes without auth for all requests": "none", "Go API for notes: text, no token": "none",
		"Go API for notes: text, go module name example.com/notes": "",
	} {
		if r := request.Read(prompt, lexicon.All); r.Auth != auth || len(r.Things) != 1 || len(r.Unknown) > 0 {
			t.Errorf("%q: auth %q, %s, not understood %q", prompt, r.Auth, told(r), r.Unknown)
		}
	}
}

// Where words can be read in two ways, or part of a list would get lost, nothing is made.
func TestWhatIsNotCertainIsRefused(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"API for orders: customer (name, email), items (product, quantity)",
		"API for teams: coach (person), players (list of people)",
		"API for orders: customer (customer), items (list of products)",
		"CRUD API for rack inventory: datacenters -> racks -> servers. servers have hostname",
		"interface Team { name: string; players: Person[] } interface Person { name: string } go rest api",
		"API for the sailing club: boats with sail number, class. and list of club officers with role and email",
		"API for books with a title on a date",
		"API for books and readers. A checkout connects one reader and one book for a time.",
		"Go API for reviews of films: title, stars",
		"Go API for matches between teams: date, score",
		"Go API for documents uploaded by users: title, url",
		"Go API for shops and customers. Their orders have a date.",
		"Go API for books (title). A reader's loans have a date.",
		"Go API for a booking system",
		"leaderboard API in Go: player, points",
		"Go API for fish caught: species, weight",
		"Go API to log the weight of my dogs. Dogs: name. Weighings: dog, weight, date",
		"Go API to record the hours of employees. Employees: name. Entries: employee, hours, date",
		"CRUD screens for orders: customer, total. Go API",
		"basic operations for books: title, author. Go API",
		"Go API with vineyard table: area, grape",
		"Go API for a landlord. Properties: address, rent. Landlords: name, email.",
		"rental API in Go. Properties: address, rent. Tenants: name, property",
		"Go API for dogs, fields: name/age/breed",
		"custom fields API in Go. Each custom field has a name and a type",
		"Go API for cattle incl. calves: tag, weight",
		"Go API for events: title, contact info such as email and phone",
		"Go API for games (board and video). title, players",
		"Go API for teachers: pupil name, subject, mark",
		"Go API for a farmer: cow name, ear tag, milk per day",
		"Go API for coaches: player, position, goals",
		"Go API for bird watchers: species, place, count",
		"Our club has members and a hall. Members: name. Go API",
		"Trips: places, photos. Place: name. Photo: place, url. Go API",
		"Go API for cattle: tag. Each animal has a weight.",
		"Go API for adopting dogs: name, breed",
		"Go API for cleaning rooms: room, date",
		"Go API for server monitoring: host, status",
		"Go API for bill of lading documents: number, shipper",
		"Go API for rooms in buildings: room number, floor; building name, address",
		"Quiz: questions, answers. Question: text. Answer: text, question. Go API",
		"ERP light: articles, warehouses, stock levels (article, warehouse, quantity). Article: name. Warehouse: city. Go API",
		"Go API for calculating BMI: weight, height",
		"Go API for shortening links: url, code",
		"Go API for spam detection: text, sender",
		"Go API for weather forecasting: city, temperature",
		"Go API for rating movies: movie, stars",
		"Go API for products: name, price. Prices have a currency.",
		"Go API for members: name, email. Names have a limit of 50 characters.",
		"Go API for members: name, level gold, silver, bronze, joined",
		"Go API for rooms: number, status free, occupied, cleaning",
		"Go API for coffees: name, roast light, medium",
		"Go API for parcels: code, dimensions length/width/height",
		"Go API for patients: name, blood pressure systolic/diastolic",
		"Go API for contacts: name, phone home/work/mobile",
		"Go API for seats: position row/column, price",
		"Go API for composers: name, date of birth and death",
		"Go API for hens: name, eggs per day and week",
		"Go API for bikes: model, tyre pressure front and rear",
		"Go API for albums: title, minutes (total)",
		"Go API for products: name, sizes (S, M, L)",
		"Go API for books. A book has a title and is either available or on loan.",
		"Go API for workouts: rating 1-10, minutes, solo or group",
		"Go API for notes with title and text, cached, logged, monitored",
		"Go API for parcels: code, weight, and mark as delivered",
		"Go API for photos: name, taken by, edited with lightroom",
		"Ticket system API in Go",
		"Go API for books. authors, tags, chapters (title, pages)",
		"Go API for books (title). Also photos and members.",
		"Go API for posts (title). Tags on posts.",
		"Go API for boat repairs. Customers: name, phone. Boats: name, customer.",
		"Go API for invoices. Customers: name. Projects: customer, title.",
		"Go API for todos, with tags. every task has a priority",
		"Go API for tug of war teams",
		"Go API for pets (name). Token auth for writing.",
		"an inventory api for our gym: name, count",
		"wine cellar api for our restaurant: producer, vintage",
		"weekend planner api: activity, place",
		"digital archive api: title, file name",
		"Student radio backend. Shows: title, host. Tracks played: show, artist, played at.",
		"api for a reading list: books with author, members, and votes from members for books",
		"Write a small URL bookmark service with tags",
		"checklist api, item name, required quantity, present quantity",
		"Stock control for a paint shop: product code, litres. API in Go",
		"Go API for machines. Machines have readings and names.",
		"Go API for gardens; each garden has an owner and beds; each bed has plants. Plant: name. Bed: number. Garden: name",
		"Go API for clubs, each with a name and members, each with an email",
		"Go API for rooms; a room has a name, a theme and puzzles, a puzzle has a title and a solution",
		"Go API for hotels with rooms",
		"Go API. A coach trains athletes. An athlete has an age.",
		"Go API for contacts: name, email or phone, city",
		"Go API for sales: total, cart",
		"Go API for servers: hostname, ip, backup",
		"Go API for servers: hostname, os, ram",
		"Go API for customers, visits at home with notes",
		"Go API: customers, orders from customers with total",
		"Go API for leases start-end with rent, customers",
		"Go API for tournaments with players and matches. A match has a date and a result.",
		"Go API to save the castles, the bookings and who booked. Castle = name. Booking = castle, from date",
		"Go API for recipes with a name, a list of ingredients with quantity, and cooking time",
		"Go API for recipes. A recipe has a name, ingredients with amount and unit, and a cooking time",
		"Go API for houses: address, rooms with name and area, price",
		"Go API for customers with multiple addresses",
		"Go API for orders: number, order rows, customer",
		"Go API for debates with a proposer and an opposer, both required, and a date",
		"Go API for customers, their addresses and orders. Customer: name. Address: city. Order: total",
		"Go API for an allotment: plots, tenants and the waiting list. Plots have a number, tenants have a name.",
		"Go API: clients, jobs. A job has a deadline, and it's given to a translator by a client.",
		"Go API for a swap: users offer cuttings, cutting has a plant name. other user can make a request with message.",
		"Go API: a gallery shows paintings by artists. Artist: name. Painting: title, artist. Gallery: name",
		"Go API for friendships between users. user: name. friendship: since",
		"Go API: owners -> pets -> visits. Owner has name. Pet has name. Visit has reason.",
		"Go API for persons with name, mother, father (both persons), and marriages with date, place",
		"Go API for a babysitting co-op, families and sits, each sit costs points",
		"Go API for daily weight, calories and steps",
		"Go API for a shop: sizes (small, medium), items (size, name)",
		"Go API with users that have a name, and each keeps a list of shots? shot = dose, seconds",
		"Go API for vaccination records of cattle, where each animal has an ear tag and breed",
		"Go API for hotels with rooms (number, price) and guests (name, email)",
		"Go API for a recipe collection with ingredients and steps",
		"Go API for chess clubs with members and matches. A match has a result and a date",
		"Go API for comic books. series + issues. issue: number, cover_date, pages",
		"Go API for photo albums with folders",
		"Go API for surfboards: brand, dings, price",
		"Go API for books with authors",
		"Go API for hotels, each hotel has many rooms with a number and a price and a manager",
		"I need an API for my fishing trips. A catch has a fish species and a weight in grams",
		"CRUD API for legal case files. A case has a number and a client; documents belong to a case and have a title",
		"Go API for amateurs to log contacts: callsign, mode. Must be able to update and delete entries too",
		"crud for tools, go language, name + who borrowed it",
		"Go API: vineyards -> parcels -> harvests. Vineyard has name and region; parcel has an area; harvest has a year",
		"Go API for songs. Artists, genres, writers. Artist: name.",
		"Go API for books with title and author, has a dashboard",
		"a REST backend for a hackerspace's 3D printer queue with jobs: filename, material, status",
		"write a program in python that converts markdown to html from the terminal",
		"Go API for tickets with subject and body. Tickets have comments.",
		"API to manage solar panel installations with customers, sites and inverters. A customer has many sites, a site has many inverters. Go",
		"an api for my record collection, artist album year label and condition, in python",
		"Go API for containers. A container has a size. Containers are assigned to a vessel with name and IMO number.",
		"cli in Go. Input: a CSV. Output: a chart in the terminal.",
		"Go API for machines, slots and refils. Machine: location. Slot: machine, price. Refill: slot, qty",
		"Go API for members to book boats: member, boat, date",
		"Go API to manage seed swaps, with members, packets and swaps.",
		"an api to track elevator maintenance visits per building, go, no auth",
		"crud api typescript for wine cellar, bottles have name vintage:int country grape rating:float",
		"Book: title, co-authors. Author: name. Go API",
		"Go API for dogs: name, age. Only per owner.",
		"Go API to book meeting rooms: room, person, date",
		"Go API that stores user preferences: user id, theme. One per user.",
		"Go API with a single route group /users with name, email",
		"Create/list/delete readings: sensor, value. Go API",
		"We log measurements. House, room, lab. REST API, Python, public domain.",
		"Go API for wallpapers (title, category e.g. nature or abstract)",
		"Go API for sensors: name, room A102, min -20",
		"Go API for tickets: one way/return, price",
		"Go API for releases: version, released on, mandatory",
		"Go API for dogs: name, required, age, optional",
		"Go API for events: title, when (start, end), price",
		"Each row: date, km, minutes. API for runs.",
		"Go API for invoices; fields no (auto), client, date",
		"Go API for products: name, price in EUR and USD",
		"Go API for pets and owners (one owner, many pets)",
		"Go API for files: name, size in KB, size in kilobytes",
		"Go API for drills: name, fraction 1/4 or 1/2",
		"Go API for books:\n- fast\n- search\n- title",
		"API for library: members borrow books. Book: title",
		"Go API for exchange rates: base, quote, rate. unique(base, quote)",
		"Go API for flash cards: question, answer; quiz mode",
		"Go API for tickets. email status change date",
		"Go API for readings, sensor name string value float unit string",
		"Go API for movies title year and actors name birthdate country",
		"REST API for rentals: item, renter, days (1-14), fee. Roles: admin, clerk. Only admins can delete.",
		"Go API for invoices including tax data: number, date, total",
		"Go API for products: name, price in EUR and USD, stock",
		"Go API for photos: width x height, file, taken on",
		"Go API with books, where the title is required and the author optional",
		"Go API for dogs, list name, breed",
		"Go API for boats: name, length, owner (name, phone)",
		"Go API for dogs: name and phone of owner, breed",
		"Go API for two kinds of users. customers (name, email) and drivers (name, plate)",
		"Go API for files: name, folder, storage",
		"Go API for jokes, python, public domain; text, year",
		"python api for boats, landing page, price",
		"Go API for boat repairs. customers (name, phone), boats (name, length)",
		"Go API for patients so we can track visits: date, doctor, notes",
		"Go API for bikes, since it rains: brand, size",
		"Go API for letters to santa: name, wish",
		"Go API with users (name), posts (title), tags (name), likes linking both",
		"API for the postgres course attendees: name, company",
		"Go API for owners and for each owner the pets: owner name, phone; pet name, breed",
		"Go service for booking flights: passenger, flight no, seat, date",
		"Go API for pots with created and updated times: name, litres",
		"Go API for our wine club: which wine, who brought it, score, date",
		"Go API for exams: subject, max points, min points to pass, number of questions",
		"Go API for tokens in our laundromat: token number, machine, used at",
		"Go API to water plants: name, room, last watered",
		"Go service for lending laptops: laptop, pupil, lent on",
		"Go API for students and their names, scores and ages",
		"Go API for swimmers, their lap times and their coaches",
		"Go API for plants: each watering has a date and an amount",
		"python api for pedals, fields name maker type voltage price, and pagination",
		"API for appointments: client, starts, length. Possible lengths: 30, 60, 90 minutes. Clients: name, phone.",
		"REST API for users: name, email, age; validations: email format, age 18+; uniqueness: email",
		"REST API: Survey(title) -> Question(text, type: open/choice, required) -> Answer(text, respondent)",
		"Go API | Book | title:string, year:int, isbn:string:unique | Author | name:string",
		"REST API: Shop has many Products (name, price) and Employees (name, role). Shop has name and city.",
		"API for matches: home, away, home goals, away goals. Home and away are required. Goals default to 0.",
		"Go API: Team has Players (name, number), Coach (name, since); Team: name, city",
		"TypeScript API for trips, stops and expenses. Trips: title, start date, end date. Stops: city, nights, trip. Expenses: amount, currency (default EUR), what for, trip. Amount is required and must not be negative. The nights are at least 1.",
		"API for customers and orders. Customers have a name, a billing address and a shipping address. Orders have a number, a date, a customer, and the same addresses. Go.",
		"API for members and payments. Member: name, email, joined on. Payment: member, amount, paid on, method: cash, card, transfer (default card). The email is unique, and so is the name. Python, sqlite.",
		"API for cars and owners. Owner: name, licence since. Car: plate, colour, doors, owner, insured until. Doors is 3 or 5. Colour is optional. Plate is unique. TypeScript.",
		"API for shelves and books. Shelf: code, floor. Book: title, shelf, pages. All fields except pages are required. Go, sqlite.",
		"API in Go\nprojects: name, client, budget\ntasks: title, hours, project\n- hours between 0 and 100\n- budget optional\n- title required",
		"API in Python, sqlite\nclients: name, email\njobs: title, client, hours, rate\n\n* email unique\n* hours min 0\n* rate default 50",
		"I need an API for cakes. A cake has a name, a price and ingredients such as flour, eggs and sugar. The price is required.",
		"I need an API for invoices. An invoice has a number, a date and positions, each with a text, a quantity and a price.",
		"Python API. I want to log my homebrew beers. brews with name, style",
		"Go API for holidays: name, from date, approved yes or no, and managers and staff should have different views",
		"Go API: teams (name), players (name, position: keeper, forward, team)",
		"Go API: animals (tag), treatments (animal, date), fields (name, crop, size)",
		"Go API for skis, boots. Ski length, boot size, daily rate",
		"Go API: job(payload json, queue string)",
		"Go API for dance classes, listing style, level and teacher",
		"Go API. Fabrics have a name and a price per metre. Orders have a customer and a fabric; the price must be positive",
		"Go API for polls: a poll has a question, and options with text and number of votes.",
		"Go API for eggs. Each day I write the date, the number of eggs, the hen and the price.",
		"I need an API for shops and products. Shops have a name and a city. Products have a name and a price. The name is required.",
	} {
		if r := request.Read(prompt, lexicon.All); len(r.Unknown)+len(r.Hearts) == 0 {
			t.Errorf("%q: %s, left %v", prompt, told(r), r.Left)
		}
	}
}

// What things are called is told where it is not plain: a list of them is.
func TestOtherNamesAreTold(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"a todo list API in Go":                   "[]",
		"Go API for a chemical inventory: name":   "[{chemical inventory records are called chemicals}]",
		"Go API for a fuel log: date, price paid": "[{fuel log records are called fuel entries}]",
		"Go API for truck fleet. plate, driver":   "[{truck fleet records are called trucks}]",
		"Go API for boat crew: name, phone":       "[{boat crew records are called crew members}]",
	} {
		if r := request.Read(prompt, lexicon.All); fmt.Sprint(r.Left) != want {
			t.Errorf("%q: %v, want %s", prompt, r.Left, want)
		}
	}
}

// A request for two projects, or for what no tool does with files, has a heart that cannot be had.
func TestHeartsThatCannotBeHadAreNamed(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"a REST API and a website for my books":                "rest api and website",
		"Go web service for books and a command line tool":     "web service and command line tool",
		"Go command line tool for notes from text files":       "notes",
		"Python tool to list the comments in a file":           "comments",
		"go api for dogs, name breed age owner phone":          "name breed age owner phone",
		"go api for books with title author price total pages": "title author price total pages",
		"go api for books title author name year":              "books title author name year",
		"go api for rentals title price paid":                  "rentals title price paid",
	} {
		r := request.Read(prompt, lexicon.All)
		if !slices.ContainsFunc(r.Hearts, func(h request.Omission) bool { return h.What == want }) {
			t.Errorf("%q: %v, want %q", prompt, r.Hearts, want)
		}
	}
}

// What only tells of somebody is named as such; what a project would have to do never is.
func TestStoriesAreNoWishes(t *testing.T) {
	t.Parallel()
	for prompt, story := range map[string]bool{
		"I'm a nurse and keep losing my notes. Go API for notes": true,
		"Go API for songs our choir knows: title":                true, "Go API for books, because my boss lost them": true,
		"Go API for books that blorbify": false, "Go API for songs, users can like songs": false, "Go API for books, make it sparkle": false,
		"Go API for vans: I give it addresses and it works out the shortest round": false, "Go API for songs because people must be able to rate them": false,
	} {
		r := request.Read(prompt, lexicon.All)
		named := slices.ContainsFunc(r.Left, func(o request.Omission) bool { return o.Why == "background" })
		if story && (!named || len(r.Unknown) > 0) || !story && len(r.Unknown) == 0 {
			t.Errorf("%q: left %v, not understood %q", prompt, r.Left, r.Unknown)
		}
	}
}

// A word that nobody knows is told somewhere, or refused.
func TestNoWordIsDropped(t *testing.T) {
	t.Parallel()
	frames := []string{"Go API for books%s", "Go API for books: title%s, author", "a Go API%s for books with title", "Go API for books. %s", "Python API for books (title, %s, year)", "Go API for books with title and %s"}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`(bl|zw|kr|fn)[aou]{1,2}(rb|xt|mp)[aeio]?`).Draw(t, "word")
		prompt := fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "frame"), " "+word)
		r := request.Read(prompt, lexicon.All)
		all := fmt.Sprint(r.Unknown, r.Hearts, r.Left, told(r), r.Title, r.Subject)
		if !strings.Contains(all, word) {
			t.Fatalf("%q: %q is told nowhere: %s", prompt, word, all)
		}
	})
}

// Whatever stands beside whatever, a request is read or refused.
func TestEveryRequestIsReadOrRefused(t *testing.T) {
	t.Parallel()
	parts := []string{
		"Go API for", "a REST API to store", "error logs from our apps", "books", "owners, their animals", "with a name and", "(name, price, size (S, M))", "go to the parents", "emails should", "Python", "in", "each",
		"has many", "belongs to", "status open, paid or closed", ": string, required", "they deliver", "where we can keep", "if it's vegan", "= EUR", "* = required", "\n- ", "title, year:int", "who has", "the", "and",
		"401 without a token", "website for", "Dr. Lee & Sons", "tool that counts", "the last", "20 per page", "(", ")", "\"x\"", "one of a, b and c", "all", "both", "logs", "options", "from date", "Store model",
		"two", "of each", "it was found", "who", "they are stored in", "can be in many", "from one", "to another", "survive a restart", "Python or", "I want to stop", "nobody knows", "we have", "for every", "to replace", "which",
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.SampledFrom(parts), 1, 9).Draw(t, "parts")
		request.Read(strings.Join(all, rapid.SampledFrom([]string{" ", ". ", ", ", "; "}).Draw(t, "between")), lexicon.All)
	})
}

// What stands in quotes on a page is its name, or a part of it among others.
func TestPagesTakeNamesInQuotes(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		`page for a band named "Red Fox" with tour and "Our Story"`: "Red Fox: tour our-story",
		`"Sunny" website for a bakery in York with a "Menu"`:        "Sunny: menu",
	} {
		r := request.Read(prompt, lexicon.All)
		if got := r.Title + ": " + strings.Join(r.Sections, " "); got != want {
			t.Errorf("%s: %q, want %q", prompt, got, want)
		}
	}
}
