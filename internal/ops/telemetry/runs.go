package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/generation"
)

// Runs counts what becomes of generations. It is the observer of their policy.
type Runs struct {
	metrics  *Metrics
	accepted prometheus.Counter
	events   prometheus.Counter
	waited   prometheus.Histogram
	ended    *prometheus.HistogramVec
}

var _ generation.Observer = (*Runs)(nil)

// WatchRuns adds the metrics of generations: what is observed through the
// result, the queue of all processes together, and the streams open in this one.
func (m *Metrics) WatchRuns(waiting func(context.Context) (int, error), streams func() int) *Runs {
	queued := prometheus.NewDesc("svcd_generations_queued", "Generations that wait for a worker.", nil, nil)
	runs := &Runs{
		metrics:  m,
		accepted: m.made.NewCounter(prometheus.CounterOpts{Name: "svcd_generations_accepted_total", Help: "Generations that were queued by this process."}),
		events:   m.made.NewCounter(prometheus.CounterOpts{Name: "svcd_generation_events_total", Help: "Events that the log has stored for this process."}),
		waited: m.made.NewHistogram(prometheus.HistogramOpts{
			Name: "svcd_generation_wait_seconds", Help: "Time that generations waited before a worker took them.",
			Buckets: prometheus.ExponentialBuckets(.01, 4, 9),
		}),
		ended: m.made.NewHistogramVec(prometheus.HistogramOpts{
			Name: "svcd_generation_duration_seconds", Help: "Time from a worker's taking a generation to its end, by outcome.",
			Buckets: prometheus.ExponentialBuckets(.01, 4, 9),
		}, []string{"status"}),
	}
	m.made.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svcd_streams_open", Help: "Event streams that are open in this process.",
	}, func() float64 { return float64(streams()) })
	m.ask(tallyWait, func(ctx context.Context, to chan<- prometheus.Metric) {
		n, err := waiting(ctx)
		if err != nil {
			to <- prometheus.NewInvalidMetric(queued, err)
			return
		}
		to <- prometheus.MustNewConstMetric(queued, prometheus.GaugeValue, float64(n))
	}, queued)
	return runs
}

// Accepted counts a generation that was queued.
func (r *Runs) Accepted() { r.accepted.Inc() }

// Refused counts a generation that a limit refused.
func (r *Runs) Refused(code svc.Code) { r.metrics.Limited(svc.OpGeneration, code) }

// Replayed counts an answer given again.
func (r *Runs) Replayed() { r.metrics.Replayed(svc.OpGeneration) }

// Started notes how long a generation has waited.
func (r *Runs) Started(waited time.Duration) { r.waited.Observe(waited.Seconds()) }

// Ended notes how a generation ended.
func (r *Runs) Ended(status svc.RunStatus, took time.Duration) {
	r.ended.WithLabelValues(string(status)).Observe(took.Seconds())
}

// EventsStored counts events.
func (r *Runs) EventsStored(events int) { r.events.Add(float64(events)) }
