package tool

// longestCondition is how many words tell at most of a column, or what it is compared with.
const longestCondition = 3

// condition gives how many words choose rows of a CSV by what a column holds: where the price is greater than 100.
func (r *reader) condition(i int) int {
	bound := is("having", r.At(i).Low) // with an amount over 500
	chooses := is("where", r.At(i).Low) || r.At(i+1).Low == "which" && (r.At(i).Low == "in" || r.At(i).Low == "for")
	if !r.tables || !bound && !chooses {
		return 0
	}
	name := r.After(i+1, "which")
	for is("article", r.At(name).Low) {
		name++
	}
	at := name
	for at <= name+longestCondition && !r.Ends(at) && !is("compares", r.At(at).Low) {
		at++
	}
	if at == name || !is("compares", r.At(at).Low) || bound && !is("bounds", r.At(at).Low) {
		return 0
	}
	return r.compared(at+1) - i
}

// compared gives the end of what a column is compared with, or a place before all where that cannot be told.
func (r *reader) compared(i int) int {
	bound := is("bounds", r.At(i-1).Low)
	for is("compares", r.At(i).Low) || is("article", r.At(i).Low) || r.At(i).Low == "than" || r.At(i).Low == "to" {
		bound = bound || is("bounds", r.At(i).Low)
		i++
	}
	end := i
	for end < i+longestCondition && !r.Ends(end) && r.setting(end) == 0 && !is("incomparable", r.At(end).Low) {
		end++
	}
	told := stem(r.At(i).Low) == "n" || r.At(i).Quoted || is("single", r.At(i).Low) || is("placeholder", r.At(i).Low)
	whole := r.Ends(end) || r.setting(end) > 0 || r.At(end).Low == "in"
	if end == i || !whole || bound && !told { // above the average, above the cost
		return -1
	}
	return end
}
