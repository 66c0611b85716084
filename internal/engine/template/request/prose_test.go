package request_test

import (
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// What sentences tell of records is theirs.
func TestSentencesAreRead(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Go API to keep track of our batches (code, style) and the tanks they are in (number, capacity).":                                                         "batch(code string, style string, of tank) tank(number string, capacity integer)",
		"a shared grocery list backend in Go. lists have a name, items have name, amount":                                                                         "list(name string) item(name string, amount number)",
		"Go API for cars: plate, make. plus salespeople and sales.":                                                                                               "car(plate string, make string) salesperson() sale()",
		"Go API for tickets (subject, body). Comments on tickets.":                                                                                                "ticket(subject string, body string) comment(of ticket)",
		"Backend in Go for tracking 3D printer filament: spool{brand, colour}, print_job{spool, name}":                                                            "spool(brand string, colour string) print_job(name string, of spool)",
		"Go API. sitter: name, age. family: surname, address. bookings between the two with date and hours.":                                                      "sitter(name string, age integer) family(surname string, address string) booking(date date, hours number, of sitter, of family)",
		"We want to manage our fleet of drones with a Go api: drone (serial, model), flight (drone, pilot)":                                                       "drone(serial string, model string) flight(pilot string, of drone)",
		"Could you make a Go API for the equipment? Things like asset tag, type, park name.":                                                                      "equipment(asset_tag string, type string, park_name string)",
		"Clinical trial site register: site(code, city), participant(site, screening_no). Python; PostgreSQL; token authentication":                               "site(code string, city string) participant(screening_no string, of site)",
		"Go API to manage podcasts: shows have title, host; episodes have show, title.":                                                                           "show(title string, host string) episode(title string, of show)",
		"Go API for gym memberships. Members: name. Plans: title. A subscription connects member and plan with a start date.":                                     "member(name string) plan(title string) subscription(start_date date, of member, of plan)",
		"Go API. API needed: \"elevator maintenance\". elevators {building, floors:int}. jobs {elevator, date}.":                                                  "elevator(building string, floors integer) job(date date, of elevator)",
		"Go API for museums. Artists: name. Paintings: artist, title.":                                                                                            "artist(name string) painting(title string, of artist)",
		"Go API for the village fair: stall (number, size), vendor (name, phone)":                                                                                 "stall(number string, size string) vendor(name string, phone string)",
		"Go API for a clinic: owners, pets (species, belongs to owner), visits (pet, reason)":                                                                     "owner() pet(species string, of owner) visit(reason string, of pet)",
		"Go API for artifacts with a title, a period, and belonging to a collection (name, curator)":                                                              "artifact(title string, period string, of collection) collection(name string, curator string)",
		"Go API for episodes: title, duration. Belongs to a show (name, host).":                                                                                   "episode(title string, duration number, of show) show(name string, host string)",
		"Go API for shifts. volunteers (name), shifts (date), signups (volunteer, shift, confirmed)":                                                              "shift(date date) volunteer(name string) signup(confirmed boolean, of volunteer, of shift)",
		"a todo list API in Go but with projects, every task is in a project and has a title":                                                                     "task(title string, of project) project()",
		"a todo list API in Go. Tasks have a title and a due date.":                                                                                               "task(title string, due_date date)",
		"Go API for a blood bank. Donors have a name. Donations belong to a donor and record volume in ml and date.":                                              "donor(name string) donation(volume number, date date, of donor)",
		"Go API for firefighters: volunteers with a name; callouts with address, and which volunteer led it":                                                      "volunteer(name string) callout(address string, of volunteer)",
		"student project: Go API for boats (name)":                                                                                                                "boat(name string)",
		"Go API for a translation memory. Segments have a source and a target.":                                                                                   "segment(source string, target string)",
		"Go API for tools, borrowers, loans. Loans should reference both a tool and a borrower and have a due date.":                                              "tool() borrower() loan(due_date date, of tool, of borrower)",
		"Go API for books and loans. A book has a title. A loan must belong to a book and must have a due date.":                                                  "book(title string) loan(due_date date, of book)",
		"Go API for stamps. stamps have country, mint (bool), and offers point to a stamp and have a price and contact email":                                     "stamp(country string, mint boolean) offer(price number, contact_email string, of stamp)",
		"Go API for my hotel: room, guest, arrival date":                                                                                                          "booking(room string, guest string, arrival_date date)",
		"Go API for sailings (port, time) and bookings for those sailings (passenger name)":                                                                       "sailing(port string, time string) booking(passenger_name string, of sailing)",
		"Go API for events and tickets for events. Event: title, date. Ticket: price":                                                                             "event(title string, date date) ticket(price number, of event)",
		"A Python backend for storing balloon launches? launch site, launch time, burst yes/no":                                                                   "balloon_launch(launch_site string, launch_time string, burst boolean)",
		"Go API. Lifts have a code. Every lift has many repairs, with date and result (pass or fail).":                                                            "lift(code string) repair(date date, result string pass|fail, of lift)",
		"Go API for drivers. Drivers have a name. Each driver has many vehicles, each with plate and seats.":                                                      "driver(name string) vehicle(plate string, seats integer, of driver)",
		"Go API. A recipe has a name. A recipe has many steps: text and duration.":                                                                                "recipe(name string) step(text string, duration number, of recipe)",
		"Go API. A club has a city. A club has many members. With name and email.":                                                                                "club(city string) member(name string, email string, of club)",
		"Go API. A pallet has a code, and sits in a warehouse.":                                                                                                   "pallet(code string, of warehouse) warehouse()",
		"Go API for pallets with a code, and each pallet sits in one warehouse.":                                                                                  "pallet(code string, of warehouse) warehouse()",
		"Go API for sessions. A session has a date. Patients should be their own records with name and phone.":                                                    "session(date date) patient(name string, phone string)",
		"For my databases class I have to hand in a backend with at least two related tables. I picked a zoo: animals (name), visits (animal, date)":              "animal(name string) visit(date date, of animal)",
		"Go API for items. Items have a category, where it was found, when it was found and whether it has been claimed.":                                         "item(category string, where_found string, when_found datetime, claimed boolean)",
		"Go API for packets (variety, how many packets left, who donated it, is it organic, who it was lent to)":                                                  "packet(variety string, packets_left integer, donated_by string, organic boolean, lent_to string)",
		"Go API for wheels. Each wheel has a code, the day it was made and the shelf it's on.":                                                                    "wheel(code string, day_made date, shelf string)",
		"Go API. Shelves (code). Boxes: label, the shelf it stands on, the date they were packed.":                                                                "shelf(code string) box(label string, date_packed date, of shelf)",
		"Go API for keys. Each key has a door and who holds it at the moment.":                                                                                    "key(door string, who_holds string)",
		"Go API for scores: title, and which shelf it is on.":                                                                                                     "score(title string, shelf string)",
		"Python API for orders: customer name, what cake, pickup date":                                                                                            "order(customer_name string, cake string, pickup_date date)",
		"Go API for lessons: minutes, what we practised":                                                                                                          "lesson(minutes integer, what_practised string)",
		"Go API for items: station where it is kept, found where, name of person who collected it":                                                                "item(station string, found_where string, name_of_person string)",
		"Go API for deliveries (day, contains frozen goods yes/no)":                                                                                               "delivery(day date, contains_frozen_goods boolean)",
		"Go API. Observers (email) send in sightings (count).":                                                                                                    "observer(email string) sighting(count integer, of observer)",
		"Go API. Typewriter: brand, model. Part: price, fits which typewriter.":                                                                                   "typewriter(brand string, model string) part(price number, of typewriter)",
		"Simple Go API\n- machines with location and model\n- slots in a machine: position, capacity":                                                             "machine(location string, model string) slot(position string, capacity integer, of machine)",
		"Go API. Dish: name, price. Allergen: code. A dish can have many allergens and an allergen can be in many dishes.":                                        "dish(name string, price number) allergen(code string) dish_allergen(of dish, of allergen)",
		"Go API for students (name), courses (title) and enrolments (student, course). A student can have many courses and a course can have many students.":      "student(name string) course(title string) enrolment(of student, of course)",
		"Go API. Orders have a number. Parts have a sku. An order uses many parts.":                                                                               "order(number string) part(sku string) order_part(of order, of part)",
		"Go API. Fencers have a name. A bout has two fencers, the score of each side and the date.":                                                               "fencer(name string) bout(first_fencer stringfencer, second_fencer stringfencer, first_score number, second_score number, date date)",
		"Go API with members and swaps. A swap is from one member to another member with a packet and a date.":                                                    "member() swap(from_member stringmember, to_member stringmember, packet string, date date)",
		"Go API for trips. A trip is from one city to another and has a price.":                                                                                   "trip(from_city string, to_city string, price number)",
		"Go API. Locomotives: road number, price. Wagons: type, maker. Trains: name, has one locomotive and several wagons.":                                      "locomotive(road_number string, price number) wagon(type string, maker string, of train) train(name string, of locomotive)",
		"API where I store hives (name, site) and for every hive its inspections (date, notes)":                                                                   "hive(name string, site string) inspection(date date, notes string, of hive)",
		"Go API to record farms: the farm (name, address) and visits to it (date, reason).":                                                                       "farm(name string, address string) visit(date date, reason string, of farm)",
		"Go API where I can store equipment (serial number, type) and the vehicles they are stored in (call sign, year)":                                          "equipment(serial_number string, type string, of vehicle) vehicle(call_sign string, year integer)",
		"Go API where we store packets (variety, species) and also the members who borrow them. Each loan should point to a packet and a member and have a date.": "packet(variety string, species string) member() loan(date date, of packet, of member)",
		"Go API. Each key has a number and a door. A holder has a name. One holder can have several keys.":                                                        "key(number string, door string, of holder) holder(name string)",
		"Go API that stores routes with grade, setter. Setters are people with a name, and each route has one setter.":                                            "route(grade string, of setter) setter(name string)",
		"Go API with two entities, Glacier and Measurement (one glacier has many measurements). Measurement: year int, method string":                             "glacier() measurement(year integer, method string, of glacier)",
		"Go API for piano tuning appointments with date and price":                                                                                                "piano_tuning_appointment(date date, price number)",
		"Go API to keep track of the kilns. A firing has a kiln, a date and a fee.":                                                                               "kiln() firing(date date, fee number, of kiln)",
		"Go API for recipes. A recipe has a name. Test tiles belong to a recipe and have a photo url.":                                                            "recipe(name string) test_tile(photo_url string, of recipe)",
		"API: scooter repair shop. orders (number, model), parts (sku, price)":                                                                                    "order(number string, model string) part(sku string, price number)",
		"Go API for workshops, organs and pipes. An organ belongs to a church (just text), a pipe belongs to an organ and has a material. Workshops have a city.": "workshop(city string) organ(church string) pipe(material string, of organ)",
		"Go API to keep track of crane inspections. each inspection: site, inspector, passed, remarks.":                                                           "inspection(site string, inspector string, passed boolean, remarks string)",
		"REST service for our radio group. Log contacts with callsign and mode.":                                                                                  "contact(callsign string, mode string)",
		"Go API for menus (date, school, price). The schools themselves have a name and an address.":                                                              "menu(date date, price number, of school) school(name string, address string)",
		"Go API, entity Wagon with number and owner, and Defect with wagon, code and severity":                                                                    "wagon(number string, owner string) defect(code string, severity string, of wagon)",
		"Go API. Each key has a door and who holds it at the moment. A holder has a name.":                                                                        "key(door string, of holder) holder(name string)",
		"keep track of our scores: title, composer. Something I can query over HTTP.":                                                                             "score(title string, composer string)",
		"Go API for test pressings: label, catalogue nr, how many made":                                                                                           "test_pressing(label string, catalogue_nr string, number_made integer)",
		"API where volunteers can register cats (name, age) and the foster homes they live in (name, phone)":                                                      "cat(name string, age integer, of foster_home) foster_home(name string, phone string)",
		"Go API for games. Each game has a title, how long it takes, which shelf it is on and is it complete.":                                                    "game(title string, duration number, shelf string, complete boolean)",
		"Go API: repairs (bike, what is broken, when it was brought in, the phone number of the owner)":                                                           "repair(bike string, what_broken string, when_brought_in datetime, phone_number_of_owner string)",
		"Python API for stamps. Stamps have a year, the album it is in and who I got it from.":                                                                    "stamp(year integer, album string, got_from string)",
		"Go API: cars (plate), members (name) and trips. A trip has a car, a member and a date.":                                                                  "car(plate string) member(name string) trip(date date, of car, of member)",
		"API that stores concerts and the musicians who play in them. A concert has a date. A musician has a name. A musician can play in many concerts.":         "concert(date date) musician(name string) concert_musician(of concert, of musician)",
		"API to keep an overview of the tools and who has borrowed them. Tools: name, place. Loans: tool, borrower, returned on.":                                 "tool(name string, place string) loan(borrower string, returned_on date, of tool)",
		"Go API. Teams have a city. A match has a home team, an away team and the goals of each.":                                                                 "team(city string) match(home_team stringteam, away_team stringteam, home_goals integer, away_goals integer)",
		"API to log which machine was cleaned by whom. Machines have a number. A cleaning has a machine, a person and a date.":                                    "machine(number string) cleaning(person string, date date, of machine)",
		"Go API: depots (code, city), trips (number, from depot, to depot, date)":                                                                                 "depot(code string, city string) trip(number string, from_depot stringdepot, to_depot stringdepot, date date)",
		"API for a swimming club, we have swimmers, coaches and times. Swimmers have a name and a coach. A time has a swimmer and a date.":                        "swimmer(name string, of coach) coach() time(date date, of swimmer)",
		"Go API. Members have a name. A debate has a topic and two members as speakers.":                                                                          "member(name string) debate(topic string, first_speaker stringmember, second_speaker stringmember)",
		"Go API for plants: name, when it was last watered, how often it needs water, price I paid, where I bought it":                                            "plant(name string, last_watered datetime, how_often string, price_paid number, where_bought string)",
		"Go API. An apartment has an address and at most one tenant. A tenant has a name and the date they moved in.":                                             "apartment(address string, of tenant) tenant(name string, date_moved_in date)",
		"My boss asked me to make an API for our meeting rooms until Friday. Rooms: name, has projector.":                                                         "room(name string, has_projector boolean)",
		"I'm a beginner and this is for a tutorial I'm writing: a Go API with one resource, quotes, that have a text":                                             "quote(text string)",
		"We want a REST service to replace the paper form for damage reports. A report has a driver and a date.":                                                  "report(driver string, date date)",
		"I want to write down which books I lent to whom. book: title, author. loan: book, person, lent on. api in Go":                                            "book(title string, author string) loan(person string, lent_on date, of book)",
		"Go API for keys: label, which door it opens":                                                                                                             "key(label string, door string)",
		"Go API. Dishes (name). Orders (number). An order contains many dishes.":                                                                                  "dish(name string) order(number string) dish_order(of dish, of order)",
		"Go API. Scores have a title. Singers borrow scores, so a loan with singer name, score and date back.":                                                    "score(title string) loan(singer_name string, date_back date, of score)",
		"API for a library. Members borrow packets. Packets have a variety. Loans have a packet, a member and a date. Members have a name.":                       "packet(variety string) loan(date date, of packet, of member) member(name string)",
		"Our dog grooming salon (3 employees) would like a little server that remembers each dog (name, breed) and every visit (dog, date)":                       "dog(name string, breed string) visit(date date, of dog)",
		"make me an api for my moms bakery orders. customer name, phone":                                                                                          "bakery_order(customer_name string, phone string)",
		"I want to track my pupils and there lessons. Go API. pupil: name, email. lesson: which pupil, date, minutes.":                                            "pupil(name string, email string) lesson(date date, minutes integer, of pupil)",
		"Go API. A tool has a name. A member has a name. A reservation is made by one member for one tool and has a start date.":                                  "tool(name string) member(name string) reservation(start_date date, of member, of tool)",
		"Go API for tenants, flats and leases. A lease is between a tenant and a flat and has a start date.":                                                      "tenant() flat() lease(start_date date, of tenant, of flat)",
		"Go API with couriers (name) and deliveries (price). every delivery is done by one courier.":                                                              "courier(name string) delivery(price number, of courier)",
		"Go API for machines (name) and batches (kg). Each batch runs on one machine.":                                                                            "machine(name string) batch(kg number, of machine)",
		"Go API. A shift has a date. A volunteer has a name. A signup links a volunteer to a shift.":                                                              "shift(date date) volunteer(name string) signup(of volunteer, of shift)",
		"Go API. laundromats (name), machines that belong to a laundromat (number, kind washer or dryer, price per run) and runs of a machine with minutes.":      "laundromat(name string) machine(number string, kind string washer|dryer, price_per_run number, of laundromat) run(minutes integer, of machine)",
		"Go API for props. Rooms contain props, props have faults; a fault has a description.":                                                                    "prop(of room) room() fault(description string, of prop)",
		"Go API where the clinics are stored (name, city) and each work order belongs to a clinic and has a shade.":                                               "clinic(name string, city string) work_order(shade string, of clinic)",
		"Go API. Observers (email) send in sightings (observer, count).":                                                                                          "observer(email string) sighting(count integer, of observer)",
		"Go API. Observers (email). Sightings (observer, count). Sightings can be verified by us, so there needs to be a verified flag that is false by default.": "observer(email string) sighting(count integer, verified boolean false, of observer)",
		"Go API for meteorites. Every meteorite has a name and if it was seen falling or not.":                                                                    "meteorite(name string, seen_falling boolean)",
		"API in Go that remembers which fabrics I have in my sewing room? colour, price per metre.":                                                               "fabric(colour string, price_per_metre number)",
		"It should be in Go, have departures with destination and platform. API.":                                                                                 "departure(destination string, platform string)",
		"API where piano tuners can log their visits. A piano has a make; a visit belongs to a piano and has a date, weight before and weight after.":             "visit(date date, weight_before number, weight_after number, of piano) piano(make string)",
		"Go API for dishes. Dishes have a name and a flag if it's vegetarian.":                                                                                    "dish(name string, vegetarian boolean)",
		"Go API for jobs. Jobs have a file name and years in business.":                                                                                           "job(file_name string, years_in_business integer)",
		"Go API for pets: name, which food it should get":                                                                                                         "pet(name string, food string)",
		"Go API for batches: started, finished, signal sent, signal received":                                                                                     "batch(started datetime, finished datetime, signal_sent string, signal_received string)",
		"We need somewhere to register histology slides. A slide has a stain. Just create, read, update, delete over HTTP with JSON. Go API.":                     "slide(stain string)",
	})
}

// What is said of the project in sentences is what settings say else.
func TestCircumstancesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Go API for pets (name). Paging required.":                                             "go  ",
		"Go API for pets (name). Everything behind a token.":                                   "go  token",
		"Go API for pets (name). Clients authenticate with a bearer token.":                    "go  token",
		"Go API for pets (name). Endpoints to add, list, edit, delete.":                        "go  ",
		"API for pets (name). Any language you think is best.":                                 "  ",
		"API for pets (name). I know a bit of Python.":                                         "python  ",
		"API for pets (name), he likes Python":                                                 "python  ",
		"API for pets (name). I have Python installed.":                                        "python  ",
		"Go API for pets (name). PostgreSQL is already running here.":                          "go postgres ",
		"Go API for pets (name). gin or stdlib doesn't matter.":                                "go  ",
		"API for pets (name). FastAPI or whatever in Python":                                   "python  ",
		"Go API for pets (name). Data lives in a json file.":                                   "go file ",
		"Go API for pets. You can choose the fields.":                                          "go  ",
		"Go API for pets (name). It should have tests with good coverage.":                     "go  ",
		"Go API for pets (name). Default page size should be 20 and max 100.":                  "go  ",
		"Go API for pets (name). All rights reserved.":                                         "go  ",
		"whats the easiest way to get a Go api for my pets?":                                   "go  ",
		"Go API for pets (name). Need API key/token.":                                          "go  token",
		"Go API for pets (name). Should survive a restart but I dont want a database server.":  "go sqlite ",
		"Python API for pets (name). The data must still be there after a reboot.":             "python file ",
		"Go API for pets (name). It doesn't have to survive a restart.":                        "go  ",
		"Go API for pets (name). SQLite so that nothing is lost when the computer restarts":    "go sqlite ",
		"API for pets (name). It will run on a raspberry pi in the shed so sqlite would do":    " sqlite ",
		"API for pets (name). Python or Go, I don't mind which.":                               "go  ",
		"API for pets (name). Python or whatever you like.":                                    "python  ",
		"API for pets (name). The language does not matter to me.":                             "  ",
		"API for pets (name). Not sure which language is best, you choose.":                    "  ",
		"Go API for pets (name). JWT or whatever token you have.":                              "go  token",
		"Go API for pets (name). Whoever changes something should need a token.":               "go  token",
		"Go API for pets (name). Nobody should need a token.":                                  "go  none",
		"Go API for pets (name). Pets should be deletable only with a token.":                  "go  token",
		"Go API for pets (name), in memory for now, I will switch to Postgres later.":          "go none ",
		"Go API for pets (name). Nobody else should be able to use it without a token.":        "go  token",
		"Go API for pets (name). It should remember everything after a power cut.":             "go file ",
		"Go API for pets (name). The treasurer is the only one who uses it so a token will do": "go  token",
		"Go API for pets (name), the teacher wants SQLite.":                                    "go sqlite ",
		"Go API for pets (name). It must be possible to create, read, change and delete.":      "go  ",
		"Go API for pets (name). Only our clerks may use it, they will have a token.":          "go  token",
		"Go API for pets (name). No login necessary, data can just stay in memory.":            "go none ",
	} {
		r := request.Read(prompt, lexicon.All)
		if got := r.Language + " " + r.Database + " " + r.Auth; got != want || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: %q, want %q, not understood %q %v", prompt, got, want, r.Unknown, r.Hearts)
		}
	}
}

// What somebody did so far, or is rid of, is named as background.
func TestBackgroundIsNamed(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Go API for pets (name). I will build the frontend myself.":                                                                            "i will build the frontend myself",
		"Go API to manage podcasts: shows have title, host; episodes have show, title.":                                                        "podcasts",
		"We run a dairy and want to stop using the whiteboard. Go API for pets (name)":                                                         "want to stop using the whiteboard",
		"We had it in Excel until now and it got messy. Go API for pets (name)":                                                                "we had it in excel until now and it got messy",
		"We have 14 vans and nobody knows when which was washed. Go API for pets (name)":                                                       "nobody knows when which was washed",
		"I'm learning Go and wanted to see how a real API looks. Go API for pets (name)":                                                       "wanted to see how a real api looks",
		"The route setters keep losing their spreadsheet. Go API for pets (name)":                                                              "the route setters keep losing their spreadsheet",
		"I have a spreadsheet open right now with all of them, so: a Go API for pets (name)":                                                   "i have a spreadsheet open right now with all of them",
		"Go API for prototyping a garage front end. Pets (name)":                                                                               "for prototyping a garage front end",
		"Our kennel gets dogs from about thirty farms every week. Go API for pets (name)":                                                      "our kennel gets dogs from about thirty farms every week",
		"I teach and I want to save what every child is practising. Go API for pets (name)":                                                    "i want to save what every child is practising",
		"Go API for pets (name), I just want to play with it from curl":                                                                        "i just want to play with it from curl",
		"Go API for pets (name). SQLite would suit our volunteer":                                                                              "would suit our volunteer",
		"Python API for pets (name). my nephew knows python":                                                                                   "my nephew knows python",
		"Go API for pets (name), memory is enough for the demo tomorrow":                                                                       "for the demo tomorrow",
		"As the operations team we need a Go API for pets (name)":                                                                              "as the operations team",
		"As part of our lab's move away from paper we want a Go API for pets (name)":                                                           "as part of our lab move away from paper",
		"I teach geography and would like my pupils to practise sending HTTP requests. Go API for pets (name)":                                 "would like my pupils to practise sending http requests",
		"Go API for pets (name). Students will enter data from their phones via a form I already have, so I only need the API behind it.":      "students will enter data from their phones via a form i already have",
		"Go API for pets (name), it will be put behind nginx.":                                                                                 "it will be put behind nginx",
		"Go API for pets (name). Put a README in so the next person understands how to run it.":                                                "so the next person understands how to run it",
		"We rent out tents and at the moment everything is in an Excel sheet that three people overwrite all the time. Go API for pets (name)": "at the moment everything is in an excel sheet that three people overwrite all the time",
		"Our shop buys fish and I want to stop using WhatsApp for it. Go API for pets (name)":                                                  "i want to stop using whatsapp for it",
		"What I'd like is an API our web guy can plug into: pets (name)":                                                                       "our web guy can plug into",
		"I would like to keep my dogs behind a small API instead of in a text file. Dogs have a name.":                                         "instead of in a text file",
		"Go API for a tool library (people borrow drills, ladders and so on). Tools: name.":                                                    "people borrow drills, ladders and so on",
		"Go API for pets (name), its only on the local network":                                                                                "its only on the local network",
		"Go API for pets (name). No login needed, it only runs in our office.":                                                                 "it only runs in our office",
		"Go API for pets (name). Must be saved to a file, our IT won't install one.":                                                           "our it won't install one",
		"I have to hand in a Go API for our distributed systems course. Pets (name)":                                                           "distributed systems course",
		"I'm writing the backend of a citizen science project about fireflies. Pets (name)":                                                    "citizen science project",
		"Go API for pets (name), I just want to show it to my boss on Thursday":                                                                "i just want to show it to my boss on thursday",
	} {
		r := request.Read(prompt, lexicon.All)
		named := slices.Contains(r.Left, request.Omission{What: want, Why: "background"})
		if !named || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: left %v, not understood %q %v", prompt, r.Left, r.Unknown, r.Hearts)
		}
	}
}

// What is kept is no background, however else it was named.
func TestWhatIsKeptIsNoBackground(t *testing.T) {
	t.Parallel()
	for prompt, said := range map[string]string{
		"Go API. I need to record members and payments. Members have a name. Payments have an amount.": "payments",
		"Go API for keys: keys (number, door), people (name, phone)":                                   "keys",
		"Go API for our lab's freezers: freezers (name), samples (freezer, barcode)":                   "lab freezers",
		"Go API for paintings by artists. Artist: name. Painting: title, artist":                       "by artists",
		"Go API for sailings (port, time) and bookings for those sailings (passenger name)":            "for those sailings",
		"Go API for scores for hire. Each score: title. Each hire: score (ref), fee: decimal.":         "for hire",
	} {
		r := request.Read(prompt, lexicon.All)
		named := slices.ContainsFunc(r.Left, func(o request.Omission) bool { return o.What == said })
		if named || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: left %v, not understood %q %v", prompt, r.Left, r.Unknown, r.Hearts)
		}
	}
}

// Sentences that mean something else are not taken for those.
func TestWishesAreNoBackground(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Go API for pets (name), in memory. The data must survive a reboot.",
		"We want to stop people from deleting entries. Go API for pets (name)",
		"I want to see how many pets are left. Go API for pets (name)",
		"Go API for pets (name) that keeps the data in Excel.",
		"Go API for pets (name). It runs on Android.",
		"Go API for pets (name). jwt",
		"I want to stop writing name, price and date on paper. Go API for pets",
		"Go API for pets: name, when to feed it",
		"Go API where we can store pets (name) and the members who borrow them.",
		"Go API. A person has two hands and a name.",
		"API to save the pets (name) and who booked.",
		"Go API for films (title). I always forget the director, store that too.",
		"Go API. Teams have a name. Players belong to a team in a league. Leagues have a name.",
		"Go API. Members have a name. Books have a title. Members borrow books.",
		"Go API for dogs and cats. Dogs chase cats. Dogs have a name. Cats have a name and a dog.",
		"Go API. Songs (title). A gig has a venue and a setlist of songs.",
		"Go API for servers (name). A server runs on a machine. Machines have a name.",
		"Go API for tickets (title). Tickets go from one status to another.",
		"Go API for classes. Every class has many pupils, each with a name and a birthday, and a teacher.",
		"Go API for gardens. Every garden has many beds with a length, and an owner.",
		"Go API for bands. A band has a name. Nobody knows when which band was founded, so add a founding year.",
		"Go API for users (name). A user can follow many users.",
		"Go API for pets (name). The data must survive a restart and the name is blorb.",
		"Go API. A bout has a date and the score of each side.",
		"Go API for pets: name, the people who saw it",
		"Go API for messages between users. User: name. Message: text.",
		"Go API for my restaurant: dish, price",
		"Go API for a recipe collction with ingredients and steps",
		"Go API for user feedback with sentiments: text, sentiment, source",
		"Go API for my farm: field, crop, sown on",
		"Go API for a clinic: machine, room, last check",
		"Go API for tools (name) and members (name). A loan should note a tool, a member and when it is due.",
		"Go API for an agency: clients, translators, jobs. A job has a deadline, and it's given to a translator by a client.",
		"Go API. Each employee works in a department and reports to a manager. Employee: name. Department: name.",
		"Go API: colonies of penguins. Penguin: name. Colony: name",
		"Go API with trainers (name) and sessions held by trainers (date)",
		"Go API for pieces (title) and loans to singers (date)",
		"Go API for recipies with ingredients (name, amount) and steps (text)",
		"Go API for hotels with rooms (number, price) and guests (name)",
		"Go API that lets members reserve courts. Members have a name. Courts have a number.",
		"Go API for pets: name, who can see it",
		"Go API for pets: name, what they want to do when the shop is closed",
		"Go API for steps: name, text, in order",
		"Go API for pets (name). One user only can delete pets.",
		"Go API for trips. A trip starts on one day and ends on one day. Days have a date.",
		"Go API for pets (name). The name is necessary.",
		"Go API for steps (name, text), in order.",
		"API for tools with fields: name, price, where should it go?",
		"Go API for pets: name, age, what else",
		"Go API for parcels (weight) and customers (name). Each parcel is sent by one customer. Each parcel is paid by one customer.",
		"Go API for teams (name). Each team plays against one team.",
		"Go API. clubs, members that belong to a club (name, city)",
		"A signup has an email and a password. Go API.",
		"Go API. Observers (email). Sightings (observer). There needs to be a verified flag.",
		"Go API for pipe restorations: workshops, organs and pipes. An organ belongs to a church (just text), a pipe belongs to an organ and has a material. Workshops have a city.",
		"Go API for book loans: books, members. Books have a title, members have a name.",
		"Go API to track which friends I have to call: name",
		"Go API for pets (name). I want my users to try it in the browser.",
		"Customers will enter name, phone and city. Go API for customers",
		"Only our clerks may use it, they will have a login. Go API for pets (name).",
		"I want to keep track of which jobs ran on which printer. Printers have a name. Jobs have a title. Go API",
		"Go API for pets (name). Instead of in a text file, keep it in Excel.",
	} {
		if r := request.Read(prompt, lexicon.All); len(r.Unknown)+len(r.Hearts) == 0 {
			t.Errorf("%q: %s, left %v", prompt, told(r), r.Left)
		}
	}
}
