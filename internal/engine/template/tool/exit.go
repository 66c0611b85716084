package tool

import "github.com/bundle-delivery/svc/internal/words"

// onlyFailure is said of codes with which tools do not end.
const onlyFailure = "it ends with 1 only where something went wrong"

// exit gives the end of a clause that tells with which code a tool ends, and when: exit code 1 if nothing is found.
func (r *reader) exit(i int) int {
	own := words.Text{Tokens: r.Tokens, Lexicon: words.Lexicon{Tables: Tables()}}
	if own.Length(i, "exit") == 0 {
		return i
	}
	end := i
	for {
		for !r.At(end).Mark && own.Length(end, "purpose") == 0 && !r.asksMore(end) {
			end++
		}
		if r.At(end).Low != "," || !isCode(r.At(end+1).Low) && !own.Any("condition", end+1, end+2) {
			break
		}
		end++ // 0 on success, 1 on error
	}
	if !own.Any("condition", i, end) {
		return i
	}
	return end
}

func isCode(w string) bool { return w == "0" || stem(w) == "n" }

// asksMore says whether words begin that ask for something else: and prints the total, sorted by name.
func (r *reader) asksMore(i int) bool {
	meaning, _ := r.sense(i + 1)
	_, asked := r.longest(i+1, "operation")
	sorts := is("sort", stem(r.At(i).Low)) && is("by", r.At(i+1).Low) && !is("state", r.At(i-1).Low)
	return sorts || r.ClassAt(i) == "join" && (is("lone", meaning) || asked > 0) || r.setting(i) > 0
}

// exits takes a clause that tells with which code a tool ends. All tools end with 1 where something went wrong, and with 0
// otherwise, whatever they found.
func (r *reader) exits(i int) int {
	end, fails, code := r.exit(i), false, false
	for k := i; k < end; k++ {
		low := r.At(k).Low
		if is("result", low) || isCode(low) && low != "0" && low != "1" {
			return r.leave(i, end, onlyFailure)
		}
		fails = fails || is("failure", low)
		code = code || low == "1" || low == "nonzero" || low == "zero"
	}
	if !fails || !code {
		return r.leave(i, end, onlyFailure)
	}
	r.Given = append(r.Given, r.text(i, end))
	return end
}
