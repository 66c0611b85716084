package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// partTimeout is how long a part may take to say that it can be used.
const partTimeout = 2 * time.Second

// WatchPart shows whether a part that all processes share can be used by this one.
func (m *Metrics) WatchPart(name string, ask func(context.Context) error) {
	m.made.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svcd_part_up", Help: "Whether this process can use what all processes share: 1, or 0.",
		ConstLabels: prometheus.Labels{"part": name},
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), partTimeout)
		defer cancel()
		if ask(ctx) != nil {
			return 0
		}
		return 1
	})
}

// EventLog is what the event log has, and how many of its keepers are lost.
type EventLog struct {
	Bytes, MaxBytes int64
	MissingReplicas int
}

// WatchEventLog shows how full the event log is, and whether servers that should
// keep it are lost while the others go on: nothing else tells. While nobody answers for
// the log there is nothing to show: svcd_part_up says so.
func (m *Metrics) WatchEventLog(ask func(context.Context) (EventLog, error)) {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	bytes := desc("svcd_event_log_bytes", "What the event log of all processes holds.")
	limit := desc("svcd_event_log_limit_bytes", "What it may hold: beyond it new events are refused, and runs wait.")
	missing := desc("svcd_event_log_replicas_missing", "Servers of NATS that should keep every event and are lost or behind.")
	m.ask(partTimeout, func(ctx context.Context, to chan<- prometheus.Metric) {
		log, err := ask(ctx)
		if err != nil {
			return // while nobody answers for the log there is nothing to show: svcd_part_up says so
		}
		to <- prometheus.MustNewConstMetric(bytes, prometheus.GaugeValue, float64(log.Bytes))
		to <- prometheus.MustNewConstMetric(limit, prometheus.GaugeValue, float64(log.MaxBytes))
		to <- prometheus.MustNewConstMetric(missing, prometheus.GaugeValue, float64(log.MissingReplicas))
	}, bytes, limit, missing)
}
