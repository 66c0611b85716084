package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Promise: times-utc
func TestTimesAreUTCWithExactlyThreeDecimals(t *testing.T) {
	berlin := time.FixedZone("", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-01-02T03:04:05.000Z": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		"2026-01-02T01:04:05.120Z": time.Date(2026, 1, 2, 3, 4, 5, 120_999_999, berlin),
	} {
		text, err := json.Marshal(api.Time(at))
		if err != nil || string(text) != `"`+want+`"` {
			t.Errorf("%s, %v; want %s", text, err, want)
		}
		var back api.Time
		if err := json.Unmarshal(text, &back); err != nil || back.String() != want {
			t.Errorf("read back %s, %v", back, err)
		}
	}
	var wrong api.Time
	for _, text := range []string{`12`, `"yesterday"`} {
		if err := json.Unmarshal([]byte(text), &wrong); err == nil {
			t.Errorf("%s was taken for a time", text)
		}
	}
}

// Promise: error-status
func TestEveryCodeHasItsStatus(t *testing.T) {
	for code, status := range map[svc.Code]int{
		svc.CodeInvalidRequest: 400, svc.CodeInvalidAPIKey: 401,
		svc.CodeNotFound: 404, svc.CodeBundleNotFound: 404, svc.CodeProjectNotFound: 404, svc.CodeGenerationNotFound: 404,
		svc.CodeMethodNotAllowed: 405, svc.CodeProjectEmpty: 409,
		svc.CodeBundleDownloaded: 410, svc.CodeBundleExpired: 410,
		svc.CodeProjectTooLarge: 413, svc.CodeRequestTooLarge: 413, svc.CodeIdempotencyMismatch: 422, svc.CodeUnresolvable: 422,
		svc.CodeTooManyRequests: 429, svc.CodeTooManyStreams: 429, svc.CodeQueueFull: 429, svc.CodePlanLimitReached: 429, svc.CodeStorageLimitReached: 429,
		svc.CodeInternal: 500, svc.CodeAssemblyUnavailable: 502, "SOMETHING_NEW": 500,
	} {
		if got := api.Status(code); got != status {
			t.Errorf("%s is %d, want %d", code, got, status)
		}
		if code != "SOMETHING_NEW" && api.Status(api.CodeFor(status)) != status {
			t.Errorf("%d does not lead back to itself", status)
		}
	}
	if got := api.CodeFor(418); got != svc.CodeInternal {
		t.Errorf("an unknown status is %s", got)
	}
}

func TestAFailureSurvivesTheWire(t *testing.T) {
	at := time.Date(2026, 11, 3, 9, 30, 0, 5_000_000, time.UTC)
	for name, e := range map[string]*svc.Error{
		"plain":   {Code: svc.CodeBundleNotFound, Message: "none", Hint: "look"},
		"field":   {Code: svc.CodeInvalidRequest, Message: "no", Field: "limit"},
		"limits":  {Code: svc.CodeProjectTooLarge, Message: "big", Limit: &svc.Extent{Files: 1, Bytes: 2}, Actual: &svc.Extent{Files: 3}},
		"waiting": {Code: svc.CodeTooManyRequests, Message: "wait", RetryAfter: 7 * time.Second},
		"bundle":  {Code: svc.CodeBundleDownloaded, Message: "gone", Bundle: &svc.Bundle{ID: "i", ProjectID: "p", Status: svc.BundleDownloaded, CreatedAt: at, DownloadedAt: at}},
		"expired": {Code: svc.CodeBundleExpired, Message: "gone", Bundle: &svc.Bundle{ID: "i", Status: svc.BundleExpired, FileCount: 3, CreatedAt: at, ExpiredAt: at}},
		"suggestion": {Code: svc.CodeUnresolvable, Message: "no", Suggestion: &svc.Suggestion{
			Spec: "api in go\nbook: title", Understood: []string{"books"}, NotUnderstood: []string{"<soon>"},
		}},
		"internal": {Code: svc.CodeInternal, Message: "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := api.Encode(api.NewError(e, "req_1"))
			if err != nil {
				t.Fatal(err)
			}
			var body api.Error
			if err := json.Unmarshal(text, &body); err != nil {
				t.Fatal(err)
			}
			header := http.Header{}
			if e.RetryAfter > 0 {
				header.Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
			}
			if diff := cmp.Diff(e, body.Failure(api.Status(e.Code), header)); diff != "" {
				t.Errorf("(-sent +received):\n%s", diff)
			}
		})
	}
}

// Promise: error-shape
func TestTheCauseOfAFailureIsNotOnTheWire(t *testing.T) {
	text, err := api.Encode(api.NewError(&svc.Error{Code: svc.CodeAssemblyUnavailable, Message: "m", Err: errors.New("10.1.2.3 refused")}, "req_1"))
	if err != nil || strings.Contains(string(text), "10.1.2.3") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestAnAnswerWithoutABodyIsNamedByItsStatus(t *testing.T) {
	for status, code := range map[int]svc.Code{401: svc.CodeInvalidAPIKey, 404: svc.CodeNotFound, 429: svc.CodeTooManyRequests, 502: svc.CodeAssemblyUnavailable, 503: svc.CodeUnavailable, 504: svc.CodeInternal} {
		f := api.Error{}.Failure(status, http.Header{})
		if f.Code != code || f.Message == "" {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

func TestAWaitThatIsNoneIsNotBelieved(t *testing.T) {
	for text, want := range map[string]time.Duration{"7": 7 * time.Second, "0": 0, "-5": 0, "soon": 0, "": 0} {
		if f := (api.Error{}).Failure(429, http.Header{api.HeaderRetryAfter: {text}}); f.RetryAfter != want {
			t.Errorf("%q is a wait of %v", text, f.RetryAfter)
		}
	}
}

// Promise: error-429-wait
func TestRetryAfterIsAWholeNumberOfSecondsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "1", -time.Second: "1", time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", time.Minute: "60",
	} {
		if got := api.RetryAfter(wait); got != want {
			t.Errorf("%v: %s, want %s", wait, got, want)
		}
	}
}

func TestCursorsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &svc.Cursor{
			CreatedAt: time.UnixMilli(rapid.Int64Range(0, 1<<45).Draw(t, "ms")).UTC(),
			ID:        rapid.StringMatching(`(proj|gen)_[a-z0-9]{1,40}|[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}`).Draw(t, "id"),
		}
		back, err := api.DecodeCursor(api.EncodeCursor(c))
		if err != nil || cmp.Diff(c, back) != "" {
			t.Fatalf("%+v, %v", back, err)
		}
	})
	if c, err := api.DecodeCursor(api.EncodeCursor(nil)); c != nil || err != nil {
		t.Errorf("no cursor: %v, %v", c, err)
	}
}

func TestWhatIsNoCursorIsRefused(t *testing.T) {
	for _, text := range []string{"?", "AAAA", "MTIz", "MTIzIA", strings.Repeat("A", 300), "LTEgYQ", "MDEgYQ"} {
		if c, err := api.DecodeCursor(text); !errors.Is(err, api.ErrCursor) {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}
