package template

import "testing"

// What is written around the name of a field says what kind of values it has, and what they are held to.
func TestFieldsAreOfTheirKinds(t *testing.T) {
	t.Parallel()
	held(t, map[string]string{
		"api for tasks: title (not null), body (null)":                                                "tasks/task(title:string!required,body:string!optional)",
		"api for tasks: title (varchar(100), not null), body (nullable)":                              "tasks/task(title:string!required!max=100,body:string!optional)",
		"api for tasks: title (cannot be null), body (not optional), grade (A/B/C or null)":           "tasks/task(title:string!required,body:string!required,grade:string!optional!one of=A|B|C)",
		"api for tasks: title {required: true, unique: true}, body (nullable: false)":                 "tasks/task(title:string!required!unique,body:string!required)",
		"api for tasks: title: {type: string, required: true}, done: {type: boolean, default: false}": "tasks/task(title:string!required,done:boolean!default=false)",
		"api for tasks: readonly id: string; name: string; done?: boolean":                            "tasks/task(name:string,done:boolean!optional)",
		"api for items: name: string, photo: image, price: number":                                    "items/item(name:string,photo:string,price:number)",
		"api for items: name - text, category - dropdown, active - checkbox":                          "items/item(name:string,category:string,active:boolean)",
		"api for tasks: title: string, assignee: User | null, done: bool":                             "tasks/task(title:string,assignee:string!optional,done:boolean)",
		"go api. user: name: string, email: string; post: title: string, author: User":                "users/user(name:string,email:string);posts/post(title:string,author_id:ref.user)",
		"api for items: name: string; category: Category; tags: Tag[]; price: number":                 "items/item(name:string,category:string,tags:strings,price:number)",
		"users: name, email: string; posts: title, body: text. api in go":                             "users/user(name:string,email:string);posts/post(title:string,body:string)",
		"api for links: url required, tags list, created timestamp auto":                              "links/link(url:string!required,tags:strings,created:datetime)",
		"api for posts: title, images array of urls, steps array of text, several photos":             "posts/post(title:string,images:strings,steps:strings,photos:strings)",
		"api for quizzes: title, questions array of objects":                                          "NO array of objects",
		"api for reviews: title, body longtext, age tinyint unsigned, likes number, clicks counter":   "reviews/review(title:string,body:string,age:integer!min=0,likes:integer,clicks:integer)",
		"api for calls: phone number, price list, participants count":                                 "calls/call(phone_number:string,price_list:string,participants_count:integer)",
		"api for shirts: name, size in [S, M, L], checked in":                                         "shirts/shirt(name:string,size:string!one of=S|M|L,checked_in:boolean)",
		"api for cars: primary key vin, make":                                                         "NO primary key vin",
		"api for movies: title: string, genres: [string], tags: List<String>, scores: int[]":          "movies/movie(title:string,genres:strings,tags:strings,scores:strings)",
		"api for readings: sensor, value, ts":                                                         "readings/reading(sensor:string,value:number,ts:datetime)",
		"api for sensors: name, location, sqlite, ts":                                                 "sensors/sensor(name:string,location:string)",
		"api for posts: title, body, ts":                                                              "NO ts",
		"api for films: title, string; year, int":                                                     "NO string",
		"api for notes: title, is secret":                                                             "notes/note(title:string,is_secret:boolean)",
		"api for apps: name, client secret":                                                           "apps/app(name:string)",
		"api for coupons: code (required, alphanumeric, unique), used (0/1), payload":                 "coupons/coupon(code:string!required!unique,used:boolean,payload:string)",
		"api for tasks: title, status (todo or something else)":                                       "NO something else",
		"api for tasks: title, status (todo, doing or other)":                                         "tasks/task(title:string,status:string!one of=todo|doing|other)",
		"api for visits: date, doctor: name, phone":                                                   "visits/visit(date:date);doctors/doctor(name:string,phone:string)",
		"api for items: name: str, meta: foo, price: int":                                             "NO foo",
	})
}
