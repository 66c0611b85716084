package console

import (
	"net/http"
	"strconv"

	svc "github.com/bundle-delivery/svc"
)

// steps are what leads from an account to a first bundle on somebody's machine.
// Nothing is kept for them: the records of keys and bundles say which are done.
type steps struct {
	Key    bool // there is one, or was
	Called bool // one of them was used
	Pulled bool // a bundle was acknowledged
}

// All says that nothing is left to do.
func (s steps) All() bool { return s.Key && s.Called && s.Pulled }

// Done counts them, the account included.
func (s steps) Done() int {
	done := 1
	for _, step := range []bool{s.Key, s.Called, s.Pulled} {
		if step {
			done++
		}
	}
	return done
}

// stepsOf looks up what an account has done.
func (s *homeHandlers) stepsOf(r *http.Request, v *visit, keys []svc.Key) (steps, error) {
	done := steps{Key: len(keys) > 0}
	for _, k := range keys {
		done.Called = done.Called || !k.LastUsedAt.IsZero()
	}
	pulled, _, err := s.Delivery.List(r.Context(), svc.BundleQuery{AccountID: v.account.ID, Status: svc.BundleDownloaded, Limit: 1})
	done.Pulled = len(pulled) > 0
	return done, err
}

// steps answers the card that asks again and again: with itself, when more is done
// than it shows.
func (s *homeHandlers) steps(w http.ResponseWriter, r *http.Request, v *visit) error {
	keys, err := s.Accounts.ListKeys(r.Context(), v.account.ID)
	if err != nil {
		return err
	}
	done, err := s.stepsOf(r, v, keys)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("done") == strconv.Itoa(done.Done()) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return s.renderPart(w, "overview", "steps", done)
}

// stepsName is the cookie by which a browser remembers for whom it hides the card.
const stepsName = "svc_steps"

func (s *homeHandlers) hideSteps(w http.ResponseWriter, r *http.Request, v *visit) error {
	setCookie(w, stepsName, v.account.ID, s.root+"/", proofLife)
	return s.goTo(w, r, "/", "")
}
