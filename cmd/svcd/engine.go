package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/exec"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/anthropic"
	"github.com/bundle-delivery/svc/internal/engine/llm/openai"
	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/ops/setting"
)

// modelSettings are those of the engines that ask a model.
type modelSettings struct {
	url         string
	model       string
	keyFile     string
	temperature *float64
	parallel    int
	answer      int
	prices      string
	run         engine.Budget
	account     generation.AccountBudget
	environment []string // for the providers' own variables
}

// stallTime is how long a provider may be silent: some models think for minutes
// before the first word, and not every server gives signs of life meanwhile.
const stallTime = 5 * time.Minute

func defaultModelSettings() modelSettings {
	return modelSettings{parallel: 4, answer: 32_000, run: engine.Budget{Tokens: 2_000_000, Time: 25 * time.Minute}}
}

func (m *modelSettings) table() []setting.Setting {
	return []setting.Setting{
		setting.Of("engine-url", "the address of the model's API, for servers other than the provider's own (Ollama, vLLM, llama.cpp, OpenRouter, …)", engineURLValue(&m.url)),
		setting.Of("engine-model", "the model (default "+anthropic.DefaultModel+" or "+openai.DefaultModel+")", setting.Text(&m.model, "name")),
		setting.Of("engine-key-file", "a file with the provider's key (default from ANTHROPIC_API_KEY or OPENAI_API_KEY)", setting.Text(&m.keyFile, "file")),
		setting.Of("engine-temperature", "how freely the model chooses, 0 to 2 (default the provider's)", optionalAmountValue(&m.temperature, 2)),
		setting.Of("engine-parallel", "how many files of a generation are written at a time", setting.Count(&m.parallel, 1, 64)),
		setting.Of("engine-answer-tokens", "where one answer of the model is cut off, to be continued; lower it for models with a small context", setting.Count(&m.answer, 256, 1_000_000)),
		setting.Of("engine-prices", "a TOML file with prices of models, in USD for a million tokens (default those known here)", setting.Text(&m.prices, "file")),
		setting.Of("engine-run-tokens", "the tokens that one generation may use; 0: no limit", tokensValue(&m.run.Tokens)),
		setting.Of("engine-run-usd", "what one generation may cost; 0: no limit", amountValue(&m.run.USD)),
		setting.Of("engine-run-time", "how long one generation may ask the model", setting.Duration(&m.run.Time, time.Second)),
		setting.Of("engine-account-tokens", "the tokens that one account may use in a day, by UTC; 0: no limit", tokensValue(&m.account.Day.Tokens)),
		setting.Of("engine-account-usd", "what the generations of one account may cost in a day, by UTC; 0: no limit", amountValue(&m.account.Day.USD)),
		setting.Of("engine-account-time", "how long the generations of one account may work in a day, by UTC, all together; 0: no limit", setting.Duration(&m.account.Day.Time, 0)),
		setting.Of("engine-account-month-usd", "what the generations of one account may cost in 30 days; 0: no limit", amountValue(&m.account.MonthUSD)),
	}
}

// check refuses what does not go together. The key is looked for when the
// engine is opened: commands that do not generate need none.
func (m *modelSettings) check(name string) error {
	if name == engineAnthropic || name == engineOpenAI || name == engineAgent {
		return nil
	}
	for flag, given := range map[string]bool{"url": m.url != "", "model": m.model != "", "key-file": m.keyFile != "", "prices": m.prices != ""} {
		if given {
			return usagef("--engine-%s has no use without --engine anthropic, openai or agent", flag)
		}
	}
	return nil
}

// key finds the provider's key. It is never part of a message.
func (m *modelSettings) key(variable string) (string, error) {
	if m.keyFile != "" {
		text, err := os.ReadFile(filepath.Clean(m.keyFile))
		if err != nil {
			reason := err
			if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
				reason = pathErr.Err
			}
			return "", usagef("--engine-key-file %s: %w", m.keyFile, reason)
		}
		key := strings.TrimSpace(string(text))
		if key == "" || strings.ContainsAny(key, " \t\r\n") {
			return "", usagef("--engine-key-file %s: it has to hold one key and nothing else", m.keyFile)
		}
		return key, nil
	}
	for _, entry := range m.environment {
		if name, value, _ := strings.Cut(entry, "="); name == variable {
			return strings.TrimSpace(value), nil
		}
	}
	return "", nil
}

// asked is a provider with what has to be known about it.
type asked struct {
	provider llm.Provider
	model    string
	prices   llm.Prices
}

// provider makes what the engine asks.
func (m *modelSettings) provider(name string) (asked, error) {
	a := asked{model: m.model}
	var err error
	if a.prices, err = m.readPrices(); err != nil {
		return a, err
	}
	variable := map[string]string{engineAnthropic: "ANTHROPIC_API_KEY", engineOpenAI: "OPENAI_API_KEY"}[name]
	key, err := m.key(variable)
	if err != nil {
		return a, err
	}
	if key == "" && (m.url == "" || name == engineAnthropic) {
		return a, usagef("--engine %s needs a key: set %s, or name a file that holds it with --engine-key-file", name, variable)
	}
	if name == engineAnthropic {
		if a.model == "" {
			a.model = anthropic.DefaultModel
		}
		a.provider = anthropic.New(anthropic.Config{URL: m.url, Key: key, Model: a.model, Stall: stallTime})
	} else {
		if a.model == "" {
			a.model = openai.DefaultModel
		}
		a.provider = openai.New(openai.Config{URL: m.url, Key: key, Model: a.model, Stall: stallTime})
	}
	return a, m.checkPrice(a.prices, a.model)
}

// readPrices gives what models cost.
func (m *modelSettings) readPrices() (llm.Prices, error) {
	if m.prices == "" {
		return llm.DefaultPrices(), nil
	}
	prices, err := llm.ReadPrices(m.prices)
	if err != nil {
		return nil, usagef("--engine-prices: %w", err)
	}
	return prices, nil
}

// checkPrice refuses a limit of money for a model whose price is not known.
func (m *modelSettings) checkPrice(prices llm.Prices, model string) error {
	if bounded := max(m.run.USD, m.account.Day.USD, m.account.MonthUSD) > 0; bounded && !prices.Has(model) {
		return usagef("the price of %s is not known, so no limit in USD can be kept; name it in a file with --engine-prices", model)
	}
	return nil
}

// openEngine makes what generates. Programs are given folders in scratch, or
// where the system keeps such things, agents work in the workshop; usage tells what
// accounts have spent.
func openEngine(ctx context.Context, s *settings, scratch string, log *slog.Logger, usage svc.Usage, place workshop) (engine.Engine, error) {
	switch s.engine {
	case engineTemplate:
		return template.New(), nil
	case engineExec:
		command, err := exec.Split(s.command)
		if err != nil {
			return nil, usagef("--engine-command: %w", err)
		}
		wrap, err := s.trials.wrap(ctx, s.dataDir, log)
		if err != nil {
			return nil, err
		}
		program, err := exec.New(exec.Config{Command: command, TempDir: scratch, Supervised: true, Wrap: wrap, Log: log})
		if err != nil {
			return nil, usagef("--engine-command: %w", err)
		}
		return program, nil
	case engineAgent:
		return openAgent(s, log, usage, place)
	}
	a, err := s.models.provider(s.engine)
	if err != nil {
		return nil, err
	}
	config := llm.Config{
		Provider: a.provider, Model: a.model, Prices: a.prices, Temperature: s.models.temperature,
		Parallel: s.models.parallel, MaxTokens: int64(s.models.answer), Budget: s.models.run, Log: log,
		Account: s.models.account.LeftBy(usage),
	}
	return llm.New(config), nil
}

// engineURLValue holds the address of an API.
func engineURLValue(to *string) *setting.Value[string] {
	return setting.New(to, "url", func(text string) (string, error) {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return "", fmt.Errorf("%q is no address such as http://localhost:11434/v1", text)
		}
		if !strings.HasSuffix(text, "/") {
			text += "/"
		}
		return text, nil
	}, func(s string) string { return s })
}

func parseAmount(text string, most float64) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= most) {
		return 0, fmt.Errorf("%q is no number from 0 to %v", text, most)
	}
	return n, nil
}

func showAmount(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// amountValue holds an amount of money.
func amountValue(to *float64) *setting.Value[float64] {
	return setting.New(to, "amount", func(text string) (float64, error) { return parseAmount(text, 1e6) }, showAmount)
}

// optionalAmountValue holds a number that may be left open.
func optionalAmountValue(to **float64, most float64) *setting.Value[*float64] {
	return setting.New(to, "number", func(text string) (*float64, error) {
		n, err := parseAmount(text, most)
		return &n, err
	}, func(n *float64) string {
		if n == nil {
			return ""
		}
		return showAmount(*n)
	})
}

func tokensValue(to *int64) *setting.Value[int64] {
	return setting.New(to, "number", func(text string) (int64, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/2 {
			return 0, fmt.Errorf("%q is no number of tokens", text)
		}
		return n, nil
	}, func(n int64) string { return strconv.FormatInt(n, 10) })
}
