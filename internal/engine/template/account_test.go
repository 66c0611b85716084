package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

// held tries requests that are read as resources, or refused with a word.
func held(t *testing.T, requests map[string]string) {
	t.Helper()
	for prompt, want := range requests {
		p, err := planOf(nil, prompt, constraints{})
		got := p.Decided("resources").Text()
		if refused, ok := errors.AsType[*engine.Error](err); ok {
			got = refused.Message
		}
		word, wantsRefusal := strings.CutPrefix(want, "NO ")
		if wantsRefusal != (err != nil) || wantsRefusal && !strings.Contains(got, word) || !wantsRefusal && got != want {
			t.Errorf("%q was read as\n%s, want\n%s", prompt, got, want)
		}
	}
}

// A list of fields is of the noun before it: what there usually is in a place is meant only where no other noun says something else.
func TestFieldsAreOfWhatStandsBeforeThem(t *testing.T) {
	t.Parallel()
	held(t, map[string]string{
		"api for my vinyl collection\n\n- artist: string\n- album: string\n\nGo": "vinyls/vinyl(artist:string,album:string)",
		"kitchen inventory api in python: name, quantity":                        "items/item(name:string,quantity:integer)",
		"go api for our tool shed inventory: name, brand":                        "items/item(name:string,brand:string)",
		"go api for members of a gym: name, plan":                                "members/member(name:string,plan:string)",
		"python api for notes: title, body. its for a demo tomorrow":             "notes/note(title:string,body:string)",
	})
}

// Nothing belongs to itself, also by way of others.
func TestNothingBelongsToItself(t *testing.T) {
	t.Parallel()
	held(t, map[string]string{
		"ts rest api\n\nplayers: name, email\nresults: player, score (win/draw/loss)":                              "players/player(name:string,email:string);results/result(score:string!one of=win|draw|loss,player_id:ref.player)",
		"ts api with users (id, email) and posts (id, user_id, title)":                                             "users/user(email:string);posts/post(title:string,user_id:ref.user)",
		"go api for authors (name, book) and books (title, author)":                                                "NO author",
		"go api for employees and teams. An employee belongs to a team. A team belongs to an employee. team: name": "NO employee",
	})
}

// Choices are as they are written, in their order, and a default is one of them.
func TestChoicesAreKeptAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	held(t, map[string]string{
		"go api for issues: title, status open/in progress/closed default open": "issues/issue(title:string,status:string!default=open!one of=open|in progress|closed)",
		"go api for requests: title, status planned/under review/done":          "requests/request(title:string,status:string!one of=planned|under review|done)",
		"go api for dishes: name, vegan y/n, spicy y/n":                         "dishes/dish(name:string,vegan:boolean,spicy:boolean)",
		"go api for hydrants: street, flow l/min":                               "hydrants/hydrant(street:string,flow:number)",
	})
}
