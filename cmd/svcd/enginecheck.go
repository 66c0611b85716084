package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/validate"
)

func newEngineCommand(std Streams, environment []string) *cobra.Command {
	return group("engine", "Try what generates", newEngineCheckCommand(std, environment))
}

// checkTime is how long a check may take.
const checkTime = 3 * time.Minute

func newEngineCheckCommand(std Streams, environment []string) *cobra.Command {
	s := defaultSettings()
	cmd := &cobra.Command{
		Use: "check", Short: "Ask the configured engine a one-line prompt and say what works", Args: cobra.NoArgs,
		Long: "Ask the configured engine a one-line prompt and say what works. It takes the same --engine\n" +
			"settings as serve, needs no data folder, and costs a few hundred tokens where tokens cost.",
	}
	var names []string
	for _, each := range s.table() {
		if strings.HasPrefix(each.Name, "engine") || strings.HasPrefix(each.Name, "sandbox") || each.Name == "validate" {
			names = append(names, each.Name)
		}
	}
	offered := s.pick(names...)
	setting.Register(cmd.Flags(), offered)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(cmd.Flags(), environment, offered); err != nil {
			return err
		}
		s.models.environment = environment
		if err := s.check(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), checkTime)
		defer cancel()
		c := &engineCheck{out: std.Out}
		if s.engine == engineAnthropic || s.engine == engineOpenAI {
			a, err := s.models.provider(s.engine)
			if err != nil {
				return err
			}
			c.asking(ctx, a)
		} else {
			if err := c.running(ctx, s); err != nil {
				return err
			}
		}
		c.trying(ctx, &s.trials)
		return c.result()
	}
	return cmd
}

// engineCheck tells what works, a line for each thing.
type engineCheck struct {
	out    io.Writer
	failed int
	err    error // of writing
}

func (c *engineCheck) tell(err error, what, format string, args ...any) {
	state, detail := "ok    ", fmt.Sprintf(format, args...)
	if err != nil {
		state, detail = "FAILED", err.Error()
		c.failed++
	}
	if _, werr := fmt.Fprintf(c.out, "%s  %-18s %s\n", state, what, printable.Line(detail)); c.err == nil {
		c.err = werr
	}
}

func (c *engineCheck) result() error {
	if c.err != nil {
		return fmt.Errorf("write the result: %w", c.err)
	}
	if c.failed > 0 {
		return errors.New("the engine does not work as it is configured")
	}
	return nil
}

// asking tries what the pipeline needs of a provider.
func (c *engineCheck) asking(ctx context.Context, a asked) {
	var answer strings.Builder
	pieces := 0
	collect := func(piece llm.Piece) error {
		pieces++
		answer.WriteString(piece.Text)
		return nil
	}
	call := llm.Call{
		System: "You answer in as few words as possible.", MaxTokens: 2000,
		Messages: []llm.Message{{Parts: []llm.Part{{Text: "Say hello."}}}},
	}
	reply, err := a.provider.Stream(ctx, call, collect)
	if err == nil && answer.Len() == 0 {
		err = errors.New("the answer is empty")
	}
	c.tell(err, "streaming", "%s answered %.40q in %d pieces", reply.Model, answer.String(), pieces)
	if err != nil {
		return // the same would be said of everything else
	}
	cost := "its price is not known here: the cost is told as $0 (see --engine-prices)"
	if a.prices.Has(a.model) {
		cost = fmt.Sprintf("$%.6f", a.prices.Cost(a.model, reply.Usage))
	}
	c.tell(nil, "usage", "%d tokens in, %d out; %s", reply.Usage.Total()-reply.Usage.Output, reply.Usage.Output, cost)

	call.Messages[0].Parts[0].Text = "Greet by calling the tool greet."
	call.Tools = []llm.Tool{{Name: "greet", Description: "Greets.", Input: map[string]any{
		"type": "object", "properties": map[string]any{"greeting": map[string]any{"type": "string"}},
		"required": []string{"greeting"}, "additionalProperties": false,
	}}}
	reply, err = a.provider.Stream(ctx, call, collect)
	if f, ok := errors.AsType[*llm.Failure](err); ok && !f.Temporary() || err == nil && len(reply.Calls) == 0 {
		c.tell(nil, "tools", "not known to this server or model; it will be asked in words")
		return
	}
	if err == nil {
		answer.Reset()
		answer.WriteString(reply.Calls[0].Input)
	}
	c.tell(err, "tools", "%s", answer.String())
}

// trying says what results can be tried with. What is missing is no failure: its
// checks are skipped.
func (c *engineCheck) trying(ctx context.Context, t *trialSettings) {
	box, why, err := t.open(ctx)
	if err != nil || box == nil {
		if err == nil {
			why = "none: " + why + "; projects are not built or tested"
		}
		c.tell(err, "sandbox", "%s", why)
		return
	}
	c.tell(nil, "sandbox", "works")
	v := validate.New(validate.Config{Sandbox: box, Toolchains: t.toolchains, Cache: t.cache, Limits: t.limits})
	defer func() { _ = v.Close() }() // nothing led out of it
	tools, err := v.Tools(ctx)
	if err != nil {
		c.tell(err, "toolchains", "")
		return
	}
	for _, tool := range tools {
		says := tool.Version
		if says == "" {
			says = "missing, its checks are skipped: " + tool.Missing
		}
		c.tell(nil, tool.Name, "%s", says)
	}
}

// running opens an engine that is no model, and tries it.
func (c *engineCheck) running(ctx context.Context, s *settings) error {
	var place workshop
	if s.engine == engineAgent {
		var err error
		if place.sandbox, place.missing, err = s.trials.open(ctx, s.dataDir); err != nil {
			return err
		}
		place.validator = validate.New(validate.Config{Sandbox: place.sandbox, Toolchains: s.trials.toolchains, Cache: s.trials.cache, Limits: s.trials.limits})
		defer func() { _ = place.validator.Close() }() // nothing led out of it
	}
	e, err := openEngine(ctx, s, "", slog.New(slog.DiscardHandler), nil, place)
	if err != nil {
		return err
	}
	prompt := "a Go HTTP API for a todo list"
	if a, ok := e.(*agent.Engine); ok {
		defer func() { _ = a.Close() }() // the folder is the system's to clear
		prompt = "Write a file hello.txt with the word hello, and nothing else."
		if s.agent.name != agent.Custom { // others may know no --version
			version, err := a.Version(ctx)
			c.tell(err, "agent", "%s %s", s.agent.name, version)
		}
	}
	c.generating(ctx, s.engine, e, prompt)
	return nil
}

// generating tries an engine that is no model.
func (c *engineCheck) generating(ctx context.Context, name string, e engine.Engine, prompt string) {
	files, tokens := map[string]bool{}, int64(0)
	err := e.Generate(ctx, engine.Request{
		GenerationID: "gen_check", ProjectID: "proj_check", Prompt: prompt, Attempt: 1,
	}, func(o engine.Output) error {
		switch o := o.(type) {
		case engine.Token:
			files[o.File] = true
		case engine.File:
			files[o.Path] = true
		case engine.Usage:
			tokens += o.InputTokens + o.OutputTokens
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errors.New("the engine wrote no file")
	}
	c.tell(err, "generation", "%s wrote %d files, %d tokens", name, len(files), tokens)
}
