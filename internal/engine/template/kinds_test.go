package template

import "testing"

// What is written around the name of a field says what kind of values it has, and what they are held to.
func TestFieldsAreOfTheirKinds(t *testing.T) {
	t.Parallel()
	held(t, map[string]string{
		"api for tasks: title (not null), body (null)":                                "tasks/task(title:string!required,body:string!optional)",
		"api for quizzes: title, questions array of objects":                          "NO objects",
		"api for films: title, string; year, int":                                     "NO string",
		"api for apps: name, client secret":                                           "apps/app(name:string)",
		"api for tasks: title, status (todo, doing or other)":                         "tasks/task(title:string,status:string!one of=todo|doing|other)",
		"api for items: name: str, price: int, meta: foo":                             "NO foo",
		"api for coupons: code (required, alphanumeric, unique), used (0/1), payload": "coupons/coupon(code:string!required!unique,used:boolean,payload:string)",
	})
}
