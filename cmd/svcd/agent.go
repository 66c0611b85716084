package main

import (
	"context"
	"fmt"
	"log/slog"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/exec"
	"github.com/bundle-delivery/svc/internal/engine/llm/anthropic"
	"github.com/bundle-delivery/svc/internal/engine/llm/openai"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/sandbox/egress"
	"github.com/bundle-delivery/svc/internal/validate"
)

// agentSettings say which coding agent works, and whom it may reach.
type agentSettings struct {
	name  string
	hosts []string
	calls int
}

func defaultAgentSettings() agentSettings { return agentSettings{name: agent.Custom, calls: 500} }

func (a *agentSettings) table() []setting.Setting {
	return []setting.Setting{
		setting.Of("engine-agent", "the coding agent of --engine agent: opencode, codex, claude, or custom (the program of --engine-command)",
			setting.Choice(&a.name, "name", "opencode", "codex", "claude", agent.Custom)),
		setting.Of("engine-hosts", "hosts that an agent may reach beside the model, such as a module proxy; with a port unless it is 80 or 443 (default none)", hostsValue(&a.hosts)),
		setting.Of("engine-run-calls", "how often the agent of one generation may ask the model; 0: no limit", setting.Count(&a.calls, 0, 1_000_000)),
	}
}

func (a *agentSettings) check(s *settings) error {
	switch {
	case s.engine != engineAgent && a.name != agent.Custom:
		return usagef("--engine-agent has no use without --engine agent")
	case s.engine != engineAgent && len(a.hosts) > 0:
		return usagef("--engine-hosts has no use without --engine agent")
	case s.engine != engineAgent:
		return nil
	case a.name == agent.Custom && s.command == "":
		return usagef("--engine agent needs --engine-agent, one that is known, or --engine-command, the program that edits files")
	case s.trials.sandbox == sandboxOff || s.trials.sandbox == sandboxCommand:
		return usagef("--engine agent works in bubblewrap alone; leave --sandbox %s out", s.trials.sandbox)
	}
	return nil
}

// workshop is where agents work: a sandbox, and what is given to them there.
type workshop struct {
	sandbox   *sandbox.Sandbox // nil: there is none
	missing   string           // why
	places    *egress.Places   // of all sandboxes at all relays
	validator *validate.Validator
}

// openAgent makes the engine that lets an agent work.
func openAgent(s *settings, log *slog.Logger, usage svc.Usage, place workshop) (engine.Engine, error) {
	if place.sandbox == nil {
		return nil, usagef("--engine agent needs a sandbox: %s", place.missing)
	}
	command, err := exec.Split(s.command)
	if err != nil {
		return nil, usagef("--engine-command: %w", err)
	}
	way, err := egress.New(egress.Config{Hosts: s.agent.hosts, Places: place.places, Log: log})
	if err != nil {
		return nil, usagef("--engine-hosts: %w", err)
	}
	config := agent.Config{
		Preset: agent.Presets()[s.agent.name], Command: command, Sandbox: place.sandbox, Relay: way,
		Outfit: func(ctx context.Context) (sandbox.Spec, error) {
			return place.validator.Outfit(ctx, len(s.agent.hosts) > 0)
		},
		Equip:  place.validator.Equip,
		Budget: s.models.run, Calls: s.agent.calls, AnswerTokens: s.models.answer, Account: s.models.account.LeftBy(usage), Log: log,
	}
	if err := s.models.relayed(&config); err != nil {
		return nil, err
	}
	e, err := agent.New(config)
	if err != nil {
		return nil, usagef("--engine-command: %w", err)
	}
	log.Info("an agent works on projects", "agent", s.agent.name, "program", e.Command[0], "model", config.Model, "hosts", s.agent.hosts)
	return e, nil
}

// relayed says which model an agent asks through the relay. An agent that is not
// known here may do without one.
func (m *modelSettings) relayed(c *agent.Config) (err error) {
	if c.Prices, err = m.readPrices(); err != nil {
		return err
	}
	variable, address, model := "OPENAI_API_KEY", openai.DefaultURL, openai.DefaultModel
	if c.Preset.Messages {
		variable, address, model = "ANTHROPIC_API_KEY", anthropic.DefaultURL, anthropic.DefaultModel
	}
	key, err := m.key(variable)
	if err != nil {
		return err
	}
	if key == "" && m.url == "" {
		if c.Preset.Name == agent.Custom {
			return nil
		}
		return usagef("--engine-agent %s needs a key: set %s, or name a file that holds it with --engine-key-file; or name a server of your own with --engine-url", c.Preset.Name, variable)
	}
	if m.url != "" {
		address = m.url
	}
	if m.model != "" {
		model = m.model
	}
	c.Model = model
	if c.Provider, err = modelproxy.New(modelproxy.Config{URL: address, Key: key, Model: model, Stall: stallTime}); err != nil {
		return fmt.Errorf("--engine-url: %w", err)
	}
	return m.checkPrice(c.Prices, model)
}
