package modelproxy

import (
	"fmt"
	"math"
	"strconv"
)

// shortAnswer is what every model may be asked to say at most.
const shortAnswer = 4096

// bound has the provider stop by itself where the budget ends. left gives what may
// be said of as much as is asked for. An agent that names no limit is given one only
// when little is left: models refuse more than they can.
func (p *protocol) bound(r *request, left func(most int64) int64) error {
	if len(p.limits) == 0 {
		return nil
	}
	var thinking struct {
		Budget float64 `json:"budget_tokens"`
	}
	if _, err := r.decodeObject("thinking", &thinking); err != nil {
		return err
	}
	named := false
	for _, limit := range p.limits {
		asked, err := r.count(limit)
		if err != nil {
			return err
		}
		if asked < 0 { // some servers take that for no limit
			delete(r.fields, limit)
		}
		if asked <= 0 {
			continue
		}
		named = true
		// A provider refuses less than the thinking that is asked for, and thinking
		// that leaves no room for an answer.
		if most := left(asked); most < asked && (float64(most) > thinking.Budget || thinking.Budget >= float64(asked)) {
			r.set(limit, number(most))
		}
	}
	if most := left(math.MaxInt64); !named && most < shortAnswer && float64(most) > thinking.Budget {
		r.set(p.limits[0], number(most))
	}
	return nil
}

// count reads a field that counts tokens; 0: it is not given.
func (r *request) count(name string) (int64, error) {
	if !r.isGiven(name) {
		return 0, nil
	}
	n, err := strconv.ParseFloat(string(r.raw(name)), 64)
	if err != nil {
		return 0, badRequest(fmt.Sprintf("the field %q is no number of tokens", name))
	}
	return int64(max(min(n, 1<<62), -1)), nil
}

func number(n int64) []byte { return strconv.AppendInt(nil, n, 10) }
