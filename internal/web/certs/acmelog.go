package certs

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapCore writes what the ACME library logs with zap to the log of the service.
type zapCore struct {
	log    *slog.Logger
	fields []zapcore.Field
}

// newZapLogger makes a logger for the library. What it says for its own developers
// (debug) is dropped: that tells of requests to the authority in detail.
func newZapLogger(log *slog.Logger) *zap.Logger { return zap.New(&zapCore{log: log}) }

// levelOf is a level of the library in the terms of the service. What it notes on its way is of
// no interest while it succeeds.
func levelOf(l zapcore.Level) slog.Level {
	switch {
	case l >= zapcore.ErrorLevel:
		return slog.LevelError
	case l == zapcore.WarnLevel:
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// Enabled implements [zapcore.LevelEnabler].
func (c *zapCore) Enabled(l zapcore.Level) bool {
	return l >= zapcore.InfoLevel && c.log.Enabled(context.Background(), levelOf(l))
}

// With implements [zapcore.Core].
func (c *zapCore) With(fields []zapcore.Field) zapcore.Core {
	return &zapCore{log: c.log, fields: slices.Concat(c.fields, fields)}
}

// Check implements [zapcore.Core].
func (c *zapCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write implements [zapcore.Core].
func (c *zapCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(c.fields, fields) {
		f.AddTo(values)
	}
	attrs := make([]slog.Attr, 0, len(values.Fields))
	for _, name := range slices.Sorted(maps.Keys(values.Fields)) {
		attrs = append(attrs, slog.Any(name, values.Fields[name]))
	}
	c.log.LogAttrs(context.Background(), levelOf(e.Level), "ACME: "+e.Message, attrs...)
	return nil
}

// Sync implements [zapcore.Core].
func (c *zapCore) Sync() error { return nil }
