package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

// keyHandlers make, show and end the keys of an account.
type keyHandlers struct{ *core }

// keysOnPage is how many keys a page lists.
const keysOnPage = 20

// keyList is what the page of keys shows.
type keyList struct {
	Keys        []svc.Key
	Total       int // before filtering
	Query, Show string
	Page, Pages int

	Name, Expiry string // what the form has
	Error        *svc.Error

	Full string   // the new key, this once
	New  svc.Key  // its record
	Old  *svc.Key // the key that it takes the place of, if any
}

// Expiries are the choices of the form.
func (keyList) Expiries() []expiry { return expiries }

type expiry struct{ Days, Text string }

var expiries = []expiry{{"", "Never"}, {"7", "In 7 days"}, {"30", "In 30 days"}, {"90", "In 90 days"}, {"365", "In a year"}}

func (s *keyHandlers) listKeys(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.showKeys(w, r, v, http.StatusOK, keyList{})
}

func (s *keyHandlers) showKeys(w http.ResponseWriter, r *http.Request, v *visit, status int, list keyList) error {
	all, err := s.Accounts.ListKeys(r.Context(), v.account.ID)
	if err != nil {
		return err
	}
	list.Total = len(all)
	list.Query, list.Show = strings.TrimSpace(r.URL.Query().Get("q")), r.URL.Query().Get("show")
	now, needle := s.Now(), strings.ToLower(list.Query)
	all = slices.DeleteFunc(all, func(k svc.Key) bool {
		switch {
		case needle != "" && !strings.Contains(strings.ToLower(k.Name+" "+k.Prefix), needle):
			return true
		case list.Show == "usable":
			return !k.Usable(now)
		case list.Show == "ended":
			return k.Usable(now)
		}
		return false
	})
	list.Keys, list.Page, list.Pages = pageOf(r, all, keysOnPage)
	return s.render(w, r, v, status, "keys", page{Title: "API keys", Section: "settings", Body: list})
}

// reportShown is how long every page tells of a key that was reported.
const reportShown = 30 * 24 * time.Hour

// lateReports are the account's keys that were reported lately.
func (s *core) lateReports(r *http.Request, v *visit) []svc.Key {
	keys, err := s.Accounts.ListKeys(r.Context(), v.account.ID)
	if err != nil {
		s.Log.Error("reported keys cannot be shown", "error", err)
		return nil
	}
	return slices.DeleteFunc(keys, func(k svc.Key) bool {
		return k.Report == nil || s.Now().Sub(k.Report.At) > reportShown
	})
}

// createKey answers with the page itself, not with a redirect: the full key is
// in this answer and nowhere else.
func (s *keyHandlers) createKey(w http.ResponseWriter, r *http.Request, v *visit) error {
	list := keyList{Name: r.PostFormValue("name"), Expiry: r.PostFormValue("expiry")}
	full, key, err := s.makeKey(r, v, list)
	if e, status, told := formError(err); told {
		list.Error = e
		return s.showKeys(w, r, v, status, list)
	}
	if err != nil {
		return err
	}
	return s.showKeys(w, r, v, http.StatusOK, keyList{Full: full, New: key})
}

// makeKey makes a key that ends when the form says. An end that the form does not
// offer is refused: it must not become a key that never ends.
func (s *keyHandlers) makeKey(r *http.Request, v *visit, form keyList) (string, svc.Key, error) {
	wanted := accounts.NewKey{AccountID: v.account.ID, Name: form.Name}
	if !slices.ContainsFunc(expiries, func(e expiry) bool { return e.Days == form.Expiry }) {
		return "", svc.Key{}, svc.Invalid("expiry", "Choose when the key expires from the list.")
	}
	if days, err := strconv.Atoi(form.Expiry); err == nil {
		wanted.ExpiresAt = s.Now().Add(time.Duration(days) * 24 * time.Hour)
	}
	return s.Accounts.CreateKey(r.Context(), wanted)
}

// withKey finds the key of the account that an action is about; another's is not there.
func (s *keyHandlers) withKey(do func(w http.ResponseWriter, r *http.Request, v *visit, key svc.Key) error) action {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		all, err := s.Accounts.ListKeys(r.Context(), v.account.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(k svc.Key) bool { return k.Prefix == r.PathValue("prefix") })
		if i < 0 {
			return errNotThere
		}
		return do(w, r, v, all[i])
	}
}

// keyPage is what the page of one key shows.
type keyPage struct {
	Key   svc.Key
	Name  string // what the form has
	Error *svc.Error
}

func (s *keyHandlers) showKey(w http.ResponseWriter, r *http.Request, v *visit, key svc.Key) error {
	return s.render(w, r, v, http.StatusOK, "key", page{Title: "Key " + key.Name, Section: "settings", Body: keyPage{Key: key, Name: key.Name}})
}

func (s *keyHandlers) renameKey(w http.ResponseWriter, r *http.Request, v *visit, key svc.Key) error {
	name := r.PostFormValue("name")
	err := s.Accounts.RenameKey(r.Context(), v.account.ID, key.Prefix, name)
	if e, status, told := formError(err); told {
		return s.render(w, r, v, status, "key", page{Title: "Key " + key.Name, Section: "settings", Body: keyPage{key, name, e}})
	}
	if err != nil {
		return err
	}
	return s.goTo(w, r, "/settings/keys", "renamed")
}

// rollKey makes a key in place of another, with its name and as much time as that
// was given. Both work until the old one is revoked.
func (s *keyHandlers) rollKey(w http.ResponseWriter, r *http.Request, v *visit, old svc.Key) error {
	wanted := accounts.NewKey{AccountID: v.account.ID, Name: old.Name}
	if !old.ExpiresAt.IsZero() {
		wanted.ExpiresAt = s.Now().Add(old.ExpiresAt.Sub(old.CreatedAt))
	}
	full, key, err := s.Accounts.CreateKey(r.Context(), wanted)
	if e, status, told := formError(err); told {
		return s.render(w, r, v, status, "key", page{Title: "Key " + old.Name, Section: "settings", Body: keyPage{old, old.Name, e}})
	}
	if err != nil {
		return err
	}
	return s.showKeys(w, r, v, http.StatusOK, keyList{Full: full, New: key, Old: &old})
}

func (s *keyHandlers) confirmRevoke(w http.ResponseWriter, r *http.Request, v *visit, key svc.Key) error {
	if !key.RevokedAt.IsZero() {
		return s.goTo(w, r, "/settings/keys", "")
	}
	return s.render(w, r, v, http.StatusOK, "revoke", page{Title: "Revoke a key", Section: "settings", Body: key})
}

func (s *keyHandlers) revokeKey(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := s.Accounts.RevokeOwnKey(r.Context(), v.account.ID, r.PathValue("prefix")); err != nil {
		return err
	}
	return s.goTo(w, r, "/settings/keys", "revoked")
}
