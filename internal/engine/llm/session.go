package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
)

const (
	// maxRounds is how many answers one session may take.
	maxRounds = 16
	// maxCalls is how much one answer may ask for; the rest is not looked at.
	maxCalls = 32
	// maxParts is how often an answer that was cut off is continued.
	maxParts = 12
	// maxUntold is how often content that cannot be told apart is asked for again.
	maxUntold = 3
)

// session is one conversation with the model: what was said, what it may look at, and
// what it has seen.
type session struct {
	*run
	about    string // what it is for, in messages to people
	most     int    // bytes of an answer
	messages []Message
	view     view
	shown    map[string]bool // files that were shown whole
	mark     answer.Mark
	heard    func()             // when something of an answer has come
	tell     func(string) error // is given the text of the first answer as it comes; nil: nobody is
	object   bool               // what is wanted is a JSON object
	rounds   int
	lookups  int
	seen     int // bytes that were looked up
}

func (r *run) newSession(about string, most int, v view, first Message) *session {
	return &session{run: r, about: about, most: most, messages: []Message{first}, view: v, shown: make(map[string]bool), mark: fileMark, heard: func() {}}
}

// fork goes on from here in a direction of its own: with another task, which is added
// to what the user said last, and a budget of its own.
func (s *session) fork(about string, v view, task string) *session {
	f := s.run.newSession(about, s.MaxFileBytes, v, Message{})
	f.messages = slices.Clone(s.messages)
	f.shown = maps.Clone(s.shown)
	f.addToLast(task)
	return f
}

// addToLast adds to what the user said last.
func (s *session) addToLast(text string) {
	if text == "" {
		return
	}
	last := &s.messages[len(s.messages)-1]
	last.Parts = append(slices.Clone(last.Parts), Part{Text: text})
}

// said is one answer of the model.
type said struct {
	turn    Message
	text    string
	actions []answer.Action
	plans   []string // what calls of the tool plan were given; empty for other calls
	// problems say what could not be told apart; dropped, how many calls were not
	// looked at.
	problems []string
	dropped  int
	cut      bool // by the token limit
}

// converse asks for answers until take has what it wants. What take returns of any other
// answer is told to the model: what came of each action, and more.
func (s *session) converse(ctx context.Context, take func(said) (results []string, more string, done bool, err error)) error {
	for {
		a, err := s.next(ctx)
		if err != nil {
			return err
		}
		results, more, done, err := take(a)
		if done || err != nil {
			return err
		}
		s.respond(a, results, more)
	}
}

// next asks for an answer. Content of a file, and an object, that are cut off are
// continued where they stopped.
func (s *session) next(ctx context.Context) (said, error) {
	if s.rounds++; s.rounds > maxRounds {
		return said{}, s.endless(fmt.Sprintf("it took %d answers", maxRounds))
	}
	tell := s.tell
	if tell == nil || s.rounds > 1 {
		tell = func(string) error { return nil }
	}
	var text strings.Builder
	take := func(piece string) error {
		if text.Len()+len(piece) > s.most {
			return s.endless(fmt.Sprintf("it has more than %d bytes", s.most))
		}
		text.WriteString(piece)
		return tell(piece)
	}
	messages, hear, unseen := s.messages, take, 0
	for part := 1; ; part++ {
		came := false
		reply, err := s.ask(ctx, Call{System: systemText, Tools: tools(), Messages: rolling(messages, s.rounds)}, func(p Piece) error {
			came = true
			s.heard()
			if unseen += p.Unseen; unseen > 8*s.most {
				return s.endless("it only thinks")
			}
			if p.Text == "" {
				return nil
			}
			return hear(p.Text)
		})
		f, failed := errors.AsType[*Failure](err)
		if err != nil && (!failed || !f.Temporary() || !came || part == maxParts) {
			return said{}, err
		}
		if reply.Unfinished != nil && reply.Unfinished.Name == answer.Plan { // it goes on in words
			if err := take(reply.Unfinished.Input); err != nil {
				return said{}, err
			}
		}
		so := text.String()
		how := s.ending(so, reply, failed)
		if how == whole {
			return s.understand(so, reply), nil
		}
		if part == maxParts {
			return said{}, s.endless("its answers break off")
		}
		if failed {
			if err := s.waitToRetry(ctx, f, part); err != nil {
				return said{}, err
			}
		}
		messages, hear = s.messages, take
		switch how {
		case inFile:
			line := lastLine(so)
			if strings.HasPrefix(s.mark.Close(), line) { // the beginning of the end is no text
				so, line = strings.TrimSuffix(so, line), ""
				text.Reset()
				text.WriteString(so)
			}
			messages = append(slices.Clone(messages), assistant(answer.Said(so)), user(Part{Text: continueFile(s.mark, line)}))
			before, content := answer.Begun(so, s.mark)
			hear = answer.Joiner(s.mark, content, func() {
				text.Reset()
				text.WriteString(before)
				tell = func(string) error { return nil } // what it begins with was told
			}, take)
		case inObject:
			messages = append(slices.Clone(messages), assistant(answer.Said(so)), user(Part{Text: continueObject}))
		case whole, lost:
			text.Reset()
		}
	}
}

// ending is where an answer ended.
type ending int

const (
	whole    ending = iota // where it can be read
	inFile                 // in the middle of a file
	inObject               // in the middle of a JSON object
	lost                   // somewhere else: it has to begin anew
)

func (s *session) ending(so string, reply Reply, failed bool) ending {
	switch {
	case !failed && reply.Stop != StopLength:
		return whole
	case answer.Within(so, s.mark):
		return inFile
	case answer.HasMark(so, s.mark):
		return whole // whatever broke off after the file
	case failed:
		return lost
	case s.object && len(reply.Calls) == 0 && answer.HalfObject(so):
		return inObject
	}
	return whole
}

// lastLine is what stands after the last line's end.
func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// understand reads what the model wants.
func (s *session) understand(text string, reply Reply) said {
	out := said{text: text, cut: reply.Stop == StopLength}
	out.turn = Message{FromModel: true, Thoughts: reply.Thoughts, Calls: slices.Clone(reply.Calls)}
	if len(out.turn.Calls) > maxCalls {
		out.dropped = len(out.turn.Calls) - maxCalls
		out.turn.Calls = out.turn.Calls[:maxCalls]
	}
	if spoken := answer.Said(text); strings.TrimSpace(spoken) != "" {
		out.turn.Parts = []Part{{Text: spoken}}
	}
	for i, call := range out.turn.Calls {
		a, plan := answer.Action{Name: call.Name}, ""
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(call.Input), &object); err != nil {
			out.turn.Calls[i].Input = "{}" // what is sent back has to be an object
		}
		if call.Name == answer.Plan {
			plan = call.Input
		} else {
			a = answer.Called(call.Name, call.Input)
		}
		out.actions, out.plans = append(out.actions, a), append(out.plans, plan)
	}
	if len(out.turn.Calls) == 0 {
		out.turn.Thoughts = nil
		out.actions, out.problems = answer.Actions(text, s.mark)
		if len(out.actions) > maxCalls {
			out.dropped = len(out.actions) - maxCalls
			out.actions = out.actions[:maxCalls]
			var kept strings.Builder // what was not looked at is not told again either
			for _, a := range out.actions {
				kept.WriteString(a.InWords())
			}
			out.turn.Parts = []Part{{Text: kept.String()}}
		}
	}
	return out
}

// complete says whether all of an answer was looked at and understood.
func (a said) complete() bool { return len(a.problems) == 0 && a.dropped == 0 && !a.cut }

// wants says whether an action of this name is among those asked for.
func (a said) wants(name string) bool {
	return slices.ContainsFunc(a.actions, func(x answer.Action) bool { return x.Name == name })
}

// respond tells the model what came of its answer: of each action, and more.
func (s *session) respond(a said, results []string, more string) {
	for _, problem := range a.problems {
		more += "Not understood: " + problem + ".\n"
	}
	if a.dropped > 0 {
		more += fmt.Sprintf("%d more requests were not looked at: at most %d at a time.\n", a.dropped, maxCalls)
	}
	if a.cut {
		more += "Your answer was cut off at the token limit; what came whole was taken. Go on in smaller steps.\n"
	}
	if len(a.turn.Calls) == 0 {
		more = strings.Join(results, "\n") + more
	}
	if len(a.turn.Calls) == 0 && len(a.turn.Parts) == 0 {
		s.addToLast("\n" + more) // an answer without a word is no turn
		return
	}
	reply := Message{}
	for i, call := range a.turn.Calls {
		reply.Results = append(reply.Results, ToolResult{ID: call.ID, Text: results[i]})
	}
	if more != "" || len(reply.Results) == 0 {
		reply.Parts = []Part{{Text: more + "Go on.\n"}}
	}
	s.messages = append(s.messages, a.turn, reply)
}

// endless ends a run whose model does not come to an end.
func (s *session) endless(why string) error {
	return &engine.Error{
		Code: engine.CodeValidationFailed, Retryable: true,
		Message: fmt.Sprintf("The model does not end %s: %s. %s", s.about, why, s.meter.report()),
	}
}

// rolling marks the end of a conversation that goes on for the cache, so that the
// next call reads it from there. At most two other marks stand before it.
func rolling(messages []Message, round int) []Message {
	if round < 2 {
		return messages
	}
	messages = slices.Clone(messages)
	last := &messages[len(messages)-1]
	if n := len(last.Parts); n > 0 {
		last.Parts = slices.Clone(last.Parts)
		last.Parts[n-1].Shared = true
	} else if n := len(last.Results); n > 0 {
		last.Results = slices.Clone(last.Results)
		last.Results[n-1].Shared = true
	}
	return messages
}
