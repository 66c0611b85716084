package api_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// source answers with what a function says.
type source func(ctx context.Context) ([]svc.Event, error)

func (s source) Next(ctx context.Context) ([]svc.Event, error) { return s(ctx) }

// A stream ends with the failure of its source, and only the time of a heartbeat is
// none: a source whose own time is over is not asked again for ever.
func TestAStreamEndsWithItsSource(t *testing.T) {
	broken := errors.New("the log is gone")
	for name, tt := range map[string]struct {
		next source
		over bool
		want error
	}{
		"no more":           {func(context.Context) ([]svc.Event, error) { return nil, io.EOF }, true, nil},
		"a failure":         {func(context.Context) ([]svc.Event, error) { return nil, broken }, true, broken},
		"its own time over": {func(context.Context) ([]svc.Event, error) { return nil, context.DeadlineExceeded }, true, context.DeadlineExceeded},
		"nothing new": {func(ctx context.Context) ([]svc.Event, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, false, nil},
		"a failure as late": {func(ctx context.Context) ([]svc.Event, error) {
			<-ctx.Done()
			return nil, broken
		}, true, broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := api.NewStreamWriter(httptest.NewRecorder())
				over, err := out.Copy(t.Context(), tt.next, time.Minute)
				if over != tt.over || !errors.Is(err, tt.want) {
					t.Errorf("over %t, %v", over, err)
				}
			})
		})
	}
}
