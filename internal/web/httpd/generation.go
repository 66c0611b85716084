package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Generations answers for runs and their streams.
type Generations struct {
	service *generation.Service
	baseURL string
	streams *Streams
}

// NewGenerations makes the handlers of runs, whose Routes go into Config.Routes.
// The addresses that clients are told stand under baseURL.
func NewGenerations(service *generation.Service, baseURL string, streams *Streams) *Generations {
	return &Generations{service: service, baseURL: strings.TrimRight(baseURL, "/"), streams: streams}
}

// Routes are the routes of runs.
func (g *Generations) Routes() []Route {
	return []Route{
		{Method: http.MethodPost, Pattern: api.RouteGenerations, Handle: g.start},
		{Method: http.MethodPost, Pattern: api.RouteProjectGeneration, Handle: g.start},
		{Method: http.MethodGet, Pattern: api.RouteGeneration, Handle: g.record},
		{Method: http.MethodGet, Pattern: api.RouteStream, Handle: g.stream},
		{Method: http.MethodPost, Pattern: api.RouteCancel, Handle: g.cancel},
	}
}

// start queues a run, of a new project where the path names none, and answers
// with its record or, where that is wanted, with its stream.
func (g *Generations) start(w http.ResponseWriter, r *http.Request, call *Call) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	var body api.GenerationRequest
	if err := readJSON(r, &body); err != nil {
		return err
	}
	streams := wantsStream(r.Header)
	if streams { // before a run is accepted that nobody could follow
		release, err := g.service.OpenStream(call.AccountID())
		if err != nil {
			return err
		}
		defer release()
	}
	ctx, done := detachedContext(r)
	defer done()
	started, err := g.service.Start(ctx, generation.Start{
		AccountID: call.AccountID(), ProjectID: r.PathValue("projectId"),
		Prompt: body.Prompt, Constraints: body.Constraints, Key: key,
		Encode: g.queued,
	})
	if err != nil {
		return err
	}
	call.RunID = started.Run.ID
	for name, value := range started.Answer.Header {
		w.Header().Set(name, value)
	}
	if started.Replayed {
		w.Header().Set(api.HeaderIdempotencyReplay, "true")
	}
	if !streams {
		writeBody(w, started.Answer.Status, started.Answer.Body)
		return nil
	}
	var queued api.Queued
	if err := json.Unmarshal(started.Answer.Body, &queued); err != nil {
		return fmt.Errorf("read the answer that was kept: %w", err)
	}
	return g.follow(w, r, call, queued.GenerationID, 0)
}

// queued writes the answer to a request in the form in which it is also kept.
func (g *Generations) queued(run svc.Run, position int) (svc.Answer, error) {
	body, err := api.Encode(api.NewQueued(run, position, g.baseURL+api.StreamPath(run.ID), generation.SecretsNotice(run)))
	return svc.Answer{
		Status: http.StatusAccepted,
		Header: map[string]string{"Location": g.baseURL + api.GenerationPath(run.ID)},
		Body:   body,
	}, err
}

// wantsStream says whether a request asks for events rather than a record.
func wantsStream(h http.Header) bool {
	for _, value := range h.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			kind, parameters, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(kind), api.EventStream) {
				return !refused(parameters)
			}
		}
	}
	return false
}

// refused says whether the parameters of a kind of answer give it no weight.
func refused(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err == nil && weight <= 0
		}
	}
	return false
}

func (g *Generations) record(w http.ResponseWriter, r *http.Request, call *Call) error {
	run, err := g.service.Get(r.Context(), call.AccountID(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.NewGeneration(run))
}

func (g *Generations) cancel(w http.ResponseWriter, r *http.Request, call *Call) error {
	ctx, done := detachedContext(r)
	defer done()
	run, err := g.service.Cancel(ctx, call.AccountID(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.NewGeneration(run))
}

func (g *Generations) stream(w http.ResponseWriter, r *http.Request, call *Call) error {
	release, err := g.service.OpenStream(call.AccountID())
	if err != nil {
		return err
	}
	defer release()
	after := api.LastEventID(r.Header.Values(api.HeaderLastEventID), r.URL.Query().Get(api.QueryLastEventID))
	return g.follow(w, r, call, r.PathValue("id"), after)
}

// follow answers with the events of a run after the given one.
func (g *Generations) follow(w http.ResponseWriter, r *http.Request, call *Call, id string, after int64) error {
	watch, err := g.service.Watch(r.Context(), call.AccountID(), id, after)
	if errors.Is(err, generation.ErrOver) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	defer watch.Close()
	return g.streams.serve(w, r, call.Credential.Key.Prefix, watch)
}
