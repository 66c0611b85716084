package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
)

// Metrics counts what the service does. It is the observer of the policy.
type Metrics struct {
	registry *prometheus.Registry
	made     promauto.Factory // of metrics that the registry has

	requests    *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	sent        *prometheus.CounterVec
	refused     *prometheus.CounterVec
	turnedAway  *prometheus.CounterVec
	replayed    *prometheus.CounterVec
	transitions *prometheus.CounterVec
	cleaning    cleaning
}

var _ delivery.Observer = (*Metrics)(nil)

// cleaning is what the clean-up job and the sweep have done.
type cleaning struct {
	runs        *prometheus.CounterVec
	expired     prometheus.Counter
	deleted     prometheus.Counter
	answers     prometheus.Counter
	pruned      *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	lastSuccess prometheus.Gauge
}

// The kinds of rounds.
const (
	kindJob   = "job"
	kindSweep = "sweep"
)

// NewMetrics makes the metrics of a process of this version.
func NewMetrics(version string) *Metrics {
	registry := prometheus.NewRegistry()
	made := promauto.With(registry)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return made.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: registry,
		made:     made,
		requests: counters("svcd_http_requests_total",
			"Requests answered, by route, method and status.", "route", "method", "status"),
		latency: made.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "svcd_http_request_duration_seconds",
			Help:    "Time to the end of the answer, by route and method; event streams are left out.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "method"}),
		sent: counters("svcd_http_response_bytes_total",
			"Bytes of answers without their headers, by route.", "route"),
		refused: counters("svcd_limits_refused_total",
			"Requests refused by a limit, by operation and code.", "operation", "code"),
		turnedAway: counters("svcd_edge_refused_total",
			"Requests and connections that were refused before they reached a route, by reason.", "reason"),
		replayed: counters("svcd_idempotent_replays_total",
			"Answers given again for an Idempotency-Key, by operation.", "operation"),
		transitions: counters("svcd_bundle_transitions_total",
			"Bundles that reached a state by this process, by state.", "status"),
		cleaning: cleaning{
			runs: counters("svcd_cleanup_runs_total",
				"Rounds, by kind: of the job, which one process does for all, and of the sweep, which each does every minute.", "kind"),
			expired: made.NewCounter(prometheus.CounterOpts{Name: "svcd_cleanup_expired_total", Help: "Bundles that the clean-up job let expire."}),
			deleted: made.NewCounter(prometheus.CounterOpts{Name: "svcd_cleanup_deleted_total", Help: "Archives and packs that the sweep deleted."}),
			pruned: counters("svcd_cleanup_pruned_total",
				"Records that were removed because their time was over, by kind: runs, gone bundles and entries of the audit log.", "kind"),
			answers: made.NewCounter(prometheus.CounterOpts{Name: "svcd_cleanup_answers_forgotten_total", Help: "Stored idempotent answers that were forgotten."}),
			seconds: made.NewHistogramVec(prometheus.HistogramOpts{
				Name: "svcd_cleanup_duration_seconds", Help: "Time that a round of the job or the sweep took, by kind.",
				Buckets: prometheus.ExponentialBuckets(.001, 4, 8),
			}, []string{"kind"}),
			lastSuccess: made.NewGauge(prometheus.GaugeOpts{
				Name: "svcd_cleanup_last_success_timestamp_seconds",
				Help: "When this process last brought the clean-up job to its end without an error, in Unix time; 0 for never.",
			}),
		},
	}
	for _, kind := range []string{kindJob, kindSweep} { // a count needs its zero
		m.cleaning.runs.WithLabelValues(kind)
		m.cleaning.seconds.WithLabelValues(kind)
	}
	made.NewGauge(prometheus.GaugeOpts{
		Name: "svcd_build_info", Help: "Always 1; the label is the version.",
		ConstLabels: prometheus.Labels{"version": version},
	}).Set(1)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler shows the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	// What can be read is shown even when the database cannot be asked.
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, Registry: m.registry})
}

// Request counts an answer. The route is a pattern and not a path, or empty.
// A stream is counted and not timed: how long it was open tells nothing about
// the service.
func (m *Metrics) Request(route, method string, status int, took time.Duration, bytes int64) {
	if route == "" {
		route = "none"
	}
	method = knownMethod(method)
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.sent.WithLabelValues(route).Add(float64(bytes))
	if !isStream(route, method, status) {
		m.latency.WithLabelValues(route, method).Observe(took.Seconds())
	}
}

// knownMethod keeps clients from making labels of their own.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// isStream says whether an answer was a stream of events: one that was asked
// for by its address, or the one that starting a run can give instead of 202.
func isStream(route, method string, status int) bool {
	return strings.HasSuffix(route, "/stream") ||
		strings.HasSuffix(route, "/generations") && method == http.MethodPost && status == http.StatusOK
}

// Limited counts a request that a limit refused.
func (m *Metrics) Limited(op svc.Operation, code svc.Code) {
	m.refused.WithLabelValues(string(op), string(code)).Inc()
}

// TurnedAway counts what was refused before it reached a route.
func (m *Metrics) TurnedAway(reason string) { m.turnedAway.WithLabelValues(reason).Inc() }

// Replayed counts an answer given again.
func (m *Metrics) Replayed(op svc.Operation) { m.replayed.WithLabelValues(string(op)).Inc() }

// Transition counts bundles that reached a state.
func (m *Metrics) Transition(to svc.BundleStatus, bundles int) {
	m.transitions.WithLabelValues(string(to)).Add(float64(bundles))
}

// Cleaned counts what a round of the clean-up or the sweep did.
func (m *Metrics) Cleaned(c delivery.Cleaned) {
	kind := kindSweep
	if c.Job {
		kind = kindJob
	}
	m.cleaning.runs.WithLabelValues(kind).Inc()
	m.cleaning.expired.Add(float64(c.Expired))
	m.cleaning.deleted.Add(float64(c.Deleted))
	m.cleaning.answers.Add(float64(c.Idempotencies))
	m.cleaning.pruned.WithLabelValues("run").Add(float64(c.PrunedRuns))
	m.cleaning.pruned.WithLabelValues("bundle").Add(float64(c.PrunedBundles))
	m.cleaning.pruned.WithLabelValues("audit").Add(float64(c.PrunedAudit))
	m.cleaning.seconds.WithLabelValues(kind).Observe(c.Took.Seconds())
	if c.Complete {
		m.cleaning.lastSuccess.SetToCurrentTime()
	}
}

// WatchAudit shows how many lines of the audit log this process could not write.
func (m *Metrics) WatchAudit(dropped func() int64) {
	m.made.NewCounterFunc(prometheus.CounterOpts{
		Name: "svcd_audit_dropped_total",
		Help: "Lines of the audit log about uses of keys and failed sign-ins that were dropped, because more waited to be written than can.",
	}, func() float64 { return float64(dropped()) })
}

// WatchCertificate shows until when the certificate is valid that clients see; a
// certificate that is still to come has the zero time.
func (m *Metrics) WatchCertificate(notAfter func() time.Time) {
	m.made.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svcd_certificate_not_after_timestamp_seconds",
		Help: "When the TLS certificate of this process ends, in Unix time; 0 while an ACME authority has issued none.",
	}, func() float64 {
		end := notAfter()
		if end.IsZero() {
			return 0
		}
		return float64(end.Unix())
	})
}

// tallyWait is how long the database may take to count.
const tallyWait = 5 * time.Second

// WatchBundles shows how many bundles there are in each state, of all processes
// together, and how large their archives are.
func (m *Metrics) WatchBundles(tally func(context.Context) ([]svc.BundleTally, error)) {
	counts := prometheus.NewDesc("svcd_bundles", "Bundles known to the service, by state.", []string{"status"}, nil)
	bytes := prometheus.NewDesc("svcd_archive_bytes", "Size of the archives that are kept, by state of their bundle.", []string{"status"}, nil)
	m.ask(tallyWait, func(ctx context.Context, to chan<- prometheus.Metric) {
		tallies, err := tally(ctx)
		if err != nil {
			to <- prometheus.NewInvalidMetric(counts, err)
			return
		}
		// A state that no bundle is in has a value, too: a graph needs the zero.
		found := map[svc.BundleStatus]svc.BundleTally{}
		for _, t := range tallies {
			found[t.Status] = t
		}
		for _, status := range []svc.BundleStatus{svc.BundlePending, svc.BundleDownloaded, svc.BundleExpired} {
			t := found[status]
			to <- prometheus.MustNewConstMetric(counts, prometheus.GaugeValue, float64(t.Count), string(status))
			to <- prometheus.MustNewConstMetric(bytes, prometheus.GaugeValue, float64(t.Bytes), string(status))
		}
	}, counts, bytes)
}

// ask shows metrics that are asked for whenever they are read, within a time.
func (m *Metrics) ask(most time.Duration, collect func(context.Context, chan<- prometheus.Metric), shown ...*prometheus.Desc) {
	m.registry.MustRegister(&collector{most, collect, shown})
}

type collector struct {
	most    time.Duration
	collect func(context.Context, chan<- prometheus.Metric)
	shown   []*prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range c.shown {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), c.most)
	defer cancel()
	c.collect(ctx, to)
}
