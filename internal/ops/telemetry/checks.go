package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bundle-delivery/svc/internal/validate"
)

// WatchChecks adds the metrics of what results are tried with, and returns what
// is told of every check.
func (m *Metrics) WatchChecks() func(tool string, status validate.Status, took time.Duration) {
	checks := m.made.NewHistogramVec(prometheus.HistogramOpts{
		Name: "svcd_validation_check_duration_seconds", Help: "Time that checks of results took, by tool and outcome.",
		Buckets: prometheus.ExponentialBuckets(.01, 4, 8),
	}, []string{"tool", "status"})
	return func(tool string, status validate.Status, took time.Duration) {
		checks.WithLabelValues(tool, string(status)).Observe(took.Seconds())
	}
}
