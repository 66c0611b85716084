package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/ops/telemetry"
)

type opaque struct{ Key string }

func TestNoLineShowsASecret(t *testing.T) {
	full, key := svc.NewKey()
	secret := full[len(full)-32:]
	for _, forPeople := range []bool{false, true} {
		t.Run(fmt.Sprintf("for people %v", forPeople), func(t *testing.T) {
			var b bytes.Buffer
			log := telemetry.NewLogger(&b, forPeople).With("bound", full)
			log.Info("in the message: "+full,
				"field", full, "error", errors.New("refused: "+full), "struct", opaque{full},
				"twice", full+full, "bytes", []byte(full), slog.Group("group", "in", full))
			if strings.Contains(b.String(), secret) {
				t.Errorf("the secret is in the log: %s", b.String())
			}
			if !strings.Contains(b.String(), "svc_"+key.Prefix+"_****") {
				t.Errorf("the public part is not in the log: %s", b.String())
			}
		})
	}
}

func TestMaskingChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full, _ := svc.NewKey()
		pieces := rapid.SliceOf(rapid.OneOf(
			rapid.String(), rapid.SampledFrom([]string{"svc_", full[:44], full[:20], "svc_svc_", full[1:]}),
		)).Draw(t, "pieces")
		// Pieces joined by a space cannot form a key that none of them is.
		text := strings.Join(pieces, " ")
		var b bytes.Buffer
		n, err := telemetry.Masked(&b).Write([]byte(text))
		if err != nil || n != len(text) || b.String() != text {
			t.Fatalf("wrote %q as %q (%d, %v)", text, b.String(), n, err)
		}
		b.Reset()
		if _, err := telemetry.Masked(&b).Write([]byte(text + full + text)); err != nil {
			t.Fatal(err)
		}
		if got, want := b.String(), text+full[:13]+strings.Repeat("*", 32)+text; got != want {
			t.Fatalf("wrote %q, want %q", got, want)
		}
	})
}

func scrape(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
}

// Promise: records-kept
func TestMetricsTellWhatHappened(t *testing.T) {
	m := telemetry.NewMetrics("1.2.3")
	m.Request("/bundles/{id}", "GET", 200, 3*time.Millisecond, 40)
	m.Request("/generations/{id}/stream", "GET", 200, time.Hour, 1000)
	m.Request("/generations", "POST", 200, time.Hour, 1000)
	m.Request("/generations", "POST", 202, time.Millisecond, 100)
	m.Request("", "BREW", 401, time.Millisecond, 10)
	m.Limited(svc.OpDownload, svc.CodeTooManyRequests)
	m.TurnedAway("plain_http")
	m.Replayed(svc.OpRepackage)
	m.Transition(svc.BundleDownloaded, 2)
	m.Cleaned(delivery.Cleaned{Expired: 3, Deleted: 4, Idempotencies: 5, PrunedRuns: 6, PrunedBundles: 7, PrunedAudit: 8, Took: time.Second})
	m.WatchBundles(func(context.Context) ([]svc.BundleTally, error) {
		return []svc.BundleTally{{Status: svc.BundlePending, Count: 7, Bytes: 700}, {Status: svc.BundleExpired, Count: 1}}, nil
	})
	m.WatchPart("records", func(context.Context) error { return nil })
	m.WatchPart("events", func(context.Context) error { return svc.ErrUnavailable })
	got := scrape(t, m)
	wantLines(t, got,
		`svcd_part_up{part="records"} 1`,
		`svcd_part_up{part="events"} 0`,
		`svcd_build_info{version="1.2.3"} 1`,
		`svcd_http_requests_total{method="GET",route="/bundles/{id}",status="200"} 1`,
		`svcd_http_requests_total{method="GET",route="/generations/{id}/stream",status="200"} 1`,
		`svcd_http_request_duration_seconds_count{method="GET",route="/bundles/{id}"} 1`,
		`svcd_http_request_duration_seconds_count{method="POST",route="/generations"} 1`,
		`svcd_http_requests_total{method="other",route="none",status="401"} 1`,
		`svcd_http_response_bytes_total{route="/bundles/{id}"} 40`,
		`svcd_limits_refused_total{code="TOO_MANY_REQUESTS",operation="download"} 1`,
		`svcd_edge_refused_total{reason="plain_http"} 1`,
		`svcd_idempotent_replays_total{operation="repackage"} 1`,
		`svcd_bundle_transitions_total{status="downloaded"} 2`,
		`svcd_cleanup_runs_total{kind="job"} 0`,
		`svcd_cleanup_runs_total{kind="sweep"} 1`,
		`svcd_cleanup_last_success_timestamp_seconds 0`, // it was the sweep, or it failed
		`svcd_cleanup_expired_total 3`,
		`svcd_cleanup_deleted_total 4`,
		`svcd_cleanup_answers_forgotten_total 5`,
		`svcd_cleanup_pruned_total{kind="run"} 6`,
		`svcd_cleanup_pruned_total{kind="bundle"} 7`,
		`svcd_cleanup_pruned_total{kind="audit"} 8`,
		`svcd_cleanup_duration_seconds_sum{kind="sweep"} 1`,
		`svcd_bundles{status="pending_download"} 7`,
		`svcd_bundles{status="downloaded"} 0`,
		`svcd_bundles{status="expired"} 1`,
		`svcd_archive_bytes{status="pending_download"} 700`,
	)
	if strings.Contains(got, `svcd_http_request_duration_seconds_count{method="GET",route="/generations/{id}/stream"}`) {
		t.Error("a stream is in the latency histogram")
	}
	m.Cleaned(delivery.Cleaned{Job: true, Complete: true})
	if !strings.Contains(scrape(t, m), "\nsvcd_cleanup_runs_total{kind=\"job\"} 1\n") {
		t.Error("the clean-up is not counted apart from the sweep")
	}
	if strings.Contains(scrape(t, m), "\nsvcd_cleanup_last_success_timestamp_seconds 0\n") {
		t.Error("a clean-up that succeeded is not noted")
	}
}

func TestMetricsTellOfGenerations(t *testing.T) {
	m := telemetry.NewMetrics("1.2.3")
	runs := m.WatchRuns(func(context.Context) (int, error) { return 6, nil }, func() int { return 9 })
	runs.Accepted()
	runs.Refused(svc.CodeQueueFull)
	runs.Replayed()
	runs.Started(2 * time.Second)
	runs.Ended(svc.RunSucceeded, 3*time.Second)
	runs.EventsStored(12)
	wantLines(t, scrape(t, m),
		`svcd_generations_accepted_total 1`,
		`svcd_generations_queued 6`,
		`svcd_streams_open 9`,
		`svcd_limits_refused_total{code="QUEUE_FULL",operation="generation"} 1`,
		`svcd_idempotent_replays_total{operation="generation"} 1`,
		`svcd_generation_wait_seconds_sum 2`,
		`svcd_generation_duration_seconds_sum{status="succeeded"} 3`,
		`svcd_generation_events_total 12`,
	)
}

func TestMetricsAreShownWhenTheDatabaseIsGone(t *testing.T) {
	m := telemetry.NewMetrics("1.2.3")
	m.WatchBundles(func(context.Context) ([]svc.BundleTally, error) { return nil, errors.New("no database") })
	m.WatchRuns(func(context.Context) (int, error) { return 0, errors.New("no database") }, func() int { return 1 })
	got := scrape(t, m)
	wantLines(t, got, `svcd_build_info{version="1.2.3"} 1`, `svcd_streams_open 1`)
	if strings.Contains(got, "\nsvcd_bundles{") || strings.Contains(got, "\nsvcd_generations_queued") {
		t.Error("something is counted without a database")
	}
}
