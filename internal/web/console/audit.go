package console

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// auditPage is what the page of the audit log shows.
type auditPage struct {
	Entries []svc.AuditEntry
	All     bool // of every account: an administrator looks
	Horizon time.Time

	// The filter.
	Action svc.AuditAction
	About  string
	Email  string // of an account, for administrators
	Days   int    // 0: from the beginning

	Cursor, Next string
}

// Actions are the choices of the filter.
func (auditPage) Actions() []svc.AuditAction { return svc.AuditActions() }

// Spans are the choices of the filter, in days.
func (auditPage) Spans() []int { return []int{1, 7, 30, 90} }

// Filtered says whether the list leaves anything out.
func (p auditPage) Filtered() bool {
	return p.Action != "" || p.About != "" || p.Email != "" || p.Days != 0 || p.Cursor != ""
}

// auditOnPage is how many entries a page lists.
const auditOnPage = 50

// auditLog shows people what was done with their account, and administrators
// everything.
func (s *settingsHandlers) auditLog(w http.ResponseWriter, r *http.Request, v *visit) error {
	ask := r.URL.Query()
	p := auditPage{All: v.account.Admin, Action: svc.AuditAction(ask.Get("action")), About: strings.TrimSpace(ask.Get("about"))}
	// A key is known by its prefix, however much of it somebody pastes: the rest is secret,
	// and must not stay in the address.
	if rest, key := strings.CutPrefix(p.About, "svc_"); key {
		prefix, _, secret := strings.Cut(rest, "_")
		if secret {
			ask.Set("about", prefix)
			return s.goTo(w, r, "/settings/audit?"+ask.Encode(), "")
		}
	}
	q := svc.AuditQuery{AccountID: v.account.ID, Limit: auditOnPage + 1}
	if p.All {
		p.Email = strings.ToLower(strings.TrimSpace(ask.Get("account")))
		q.AccountID, q.Email = "", p.Email
	}
	if !p.Action.Valid() {
		p.Action = ""
	}
	if days, err := strconv.Atoi(ask.Get("days")); err == nil && days > 0 && days < 1000 {
		p.Days = days
		q.Since = s.Now().Add(-time.Duration(days) * 24 * time.Hour)
	}
	q.Action, q.About = p.Action, strings.TrimPrefix(p.About, "svc_")
	q.After, p.Cursor = cursorOf(r)
	var err error
	if p.Entries, err = s.Accounts.Audit.List(r.Context(), q); err != nil {
		return err
	}
	if p.Horizon, err = s.Accounts.Audit.Horizon(r.Context()); err != nil {
		return err
	}
	if len(p.Entries) > auditOnPage {
		p.Entries = p.Entries[:auditOnPage]
		last := p.Entries[auditOnPage-1]
		p.Next = api.EncodeCursor(&svc.Cursor{CreatedAt: last.At, ID: last.ID})
	}
	return s.render(w, r, v, http.StatusOK, "audit", page{Title: "Audit log", Section: "settings", Body: p})
}

// deedName says in words what an entry of the audit log tells.
func deedName(action svc.AuditAction) string {
	if name, known := deedNames[action]; known {
		return name
	}
	return strings.ReplaceAll(string(action), "_", " ")
}

var deedNames = map[svc.AuditAction]string{
	svc.AuditSignedIn:         "Signed in",
	svc.AuditSignInFailed:     "Sign-in failed",
	svc.AuditKeyCreated:       "Key created",
	svc.AuditKeyFirstUsed:     "Key used for the first time",
	svc.AuditKeyNewNetwork:    "Key used from a new network",
	svc.AuditKeyRevoked:       "Key revoked",
	svc.AuditKeyReported:      "Key reported as found",
	svc.AuditPlanChanged:      "Plan changed",
	svc.AuditPasswordChanged:  "Password changed",
	svc.AuditResetLinkMade:    "Password reset link made",
	svc.AuditPasskeyAdded:     "Passkey added",
	svc.AuditPasskeyRemoved:   "Passkey removed",
	svc.AuditIdentityLinked:   "Identity linked",
	svc.AuditIdentityUnlinked: "Identity unlinked",
	svc.AuditInvited:          "Invited",
	svc.AuditAccountCreated:   "Account created",
	svc.AuditAccountDeleted:   "Account deleted",
	svc.AuditDataExported:     "Data exported",
	svc.AuditDataRestored:     "Data restored",
}
