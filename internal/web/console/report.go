package console

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Keys that were found where they should not be can be reported by anybody, people
// and scanners: who holds a whole key may end it. The answer is given first, and is
// the same whatever the keys are: neither its words nor its time tell which are real.
const (
	maxReportedKeys = 20
	maxReportedURL  = 2000
	// maxReports is how many may wait to be looked at.
	maxReports = 256
	// reportRest is how long a report rests before it is looked at: the answer is
	// with whoever sent it by then, and no work for a real key can delay it.
	reportRest = 100 * time.Millisecond
	// reportTries is how often the ending of keys is tried, a second apart.
	reportTries = 10
)

// restingReport is a report that nobody has looked at yet, and when somebody may.
type restingReport struct {
	accounts.FoundKeys
	due time.Time
}

// keyReport is a report as scanners send it.
type keyReport struct {
	Keys []string `json:"keys"`
	URL  string   `json:"url,omitempty"`
}

// reportPage is what the form shows.
type reportPage struct {
	Keys, URL string
	Error     *svc.Error
	Received  bool
}

// reportHandlers take the reports of keys that were found.
type reportHandlers struct {
	*core
	reports chan restingReport
}

// run ends keys that are reported until the context ends. What was reported by then is
// still seen to.
func (s *reportHandlers) run(ctx context.Context) {
	for {
		select {
		case found := <-s.reports:
			select {
			case <-time.After(time.Until(found.due)):
			case <-ctx.Done():
			}
			s.endReported(ctx, found.FoundKeys)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastReports)
			defer cancel()
			for {
				select {
				case found := <-s.reports:
					s.endReported(last, found.FoundKeys)
				default:
					return
				}
			}
		}
	}
}

// lastReports is how long the reports that are left may take at the end.
const lastReports = 2 * time.Second

func (s *reportHandlers) reportPage(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.showReport(w, r, v, http.StatusOK, reportPage{})
}

func (s *reportHandlers) showReport(w http.ResponseWriter, r *http.Request, v *visit, status int, body reportPage) error {
	return s.render(w, r, v, status, "report-key", page{Title: "Report a key", Body: body})
}

// reportKeys takes a report: JSON of a scanner, or the form of a person.
func (s *reportHandlers) reportKeys(w http.ResponseWriter, r *http.Request, v *visit) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		return s.answerScanner(w, r)
	}
	form := reportPage{Keys: r.PostFormValue("keys"), URL: r.PostFormValue("url")}
	err := s.takeReport(r, func() (keyReport, error) {
		return keyReport{Keys: strings.Fields(form.Keys), URL: form.URL}, nil
	})
	if e, status, told := formError(err); told {
		form.Error = e
		return s.showReport(w, r, v, status, form)
	}
	if err != nil {
		return err
	}
	return s.showReport(w, r, v, http.StatusAccepted, reportPage{Received: true})
}

func (s *reportHandlers) answerScanner(w http.ResponseWriter, r *http.Request) error {
	err := s.takeReport(r, func() (report keyReport, err error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return keyReport{}, errLargeForm
		}
		return report, api.DecodeStrict(text, &report)
	})
	status, body := http.StatusAccepted, any(map[string]string{"status": "accepted"})
	if e, failed, told := formError(err); told {
		if e.Code == svc.CodeInvalidRequest {
			failed = http.StatusBadRequest
		}
		status, body = failed, api.Error{Code: e.Code, Error: e.Message, Field: e.Field, RequestID: w.Header().Get(api.HeaderRequestID)}
		if e.RetryAfter > 0 {
			w.Header().Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
		}
	} else if err != nil {
		return err
	}
	return answerScript(w, status, body)
}

// takeReport counts a report, reads it, and leaves the rest to Run.
func (s *reportHandlers) takeReport(r *http.Request, read func() (keyReport, error)) error {
	if err := s.Accounts.CountReport(r.Context(), r.RemoteAddr); err != nil {
		return err
	}
	report, err := read()
	switch {
	case err != nil:
		return err
	case len(report.Keys) == 0 || len(report.Keys) > maxReportedKeys:
		return svc.Invalid("keys", "A report has 1 to %d keys.", maxReportedKeys)
	case len(report.URL) > maxReportedURL:
		return svc.Invalid("url", "An address has at most %d characters.", maxReportedURL)
	}
	select {
	case s.reports <- restingReport{
		accounts.FoundKeys{Keys: report.Keys, Address: r.RemoteAddr, URL: report.URL}, time.Now().Add(reportRest),
	}:
		return nil
	default:
		e := svc.Errorf(svc.CodeTooManyRequests, "Too many reports at once. Try again in a second.")
		e.RetryAfter = time.Second
		return e
	}
}

// endReported ends the keys of a report, and tries again while the records cannot be
// reached.
func (s *reportHandlers) endReported(ctx context.Context, found accounts.FoundKeys) {
	for try := 1; ; try++ {
		// A try that has begun is not given up because the service is to end.
		work, done := context.WithTimeout(context.WithoutCancel(ctx), lastReports)
		ended, err := s.Accounts.ReportFound(work, found)
		done()
		for _, prefix := range ended {
			s.Log.Warn("a key was reported as found, and is revoked", "key_prefix", prefix, "client", found.Address)
		}
		if err == nil {
			return
		}
		s.Log.Error("reported keys could not be revoked", "try", try, "error", err)
		if try == reportTries {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}
