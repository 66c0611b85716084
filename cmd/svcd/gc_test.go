package main

import (
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"testing"
)

// What the process says about its collector, of what a name of Go's metrics is.
func (p *process) runtimeFigure(t *testing.T, name string) float64 {
	t.Helper()
	for _, found := range listening.FindAllStringSubmatch(p.log.String(), -1) {
		if found[1] != "admin" {
			continue
		}
		answer, err := http.Get("http://" + found[2] + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
		if line == nil {
			t.Fatalf("no %s in the metrics", name)
		}
		figure, err := strconv.ParseFloat(string(line[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return figure
	}
	t.Fatalf("no admin listener in the log:\n%s", p.log)
	return 0
}

const (
	collectorPercent = "go_gc_gogc_percent"
	collectorLimit   = "go_gc_gomemlimit_bytes"
)

func TestGarbageIsBoundedByTheMachinesMemory(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	p := startProcess(t, "--admin-listen", "127.0.0.1:0")
	if got := p.runtimeFigure(t, collectorPercent); got != garbagePercent {
		t.Errorf("garbage may grow to %v %%", got)
	}
	if got := p.runtimeFigure(t, collectorLimit); got <= 0 || got >= math.MaxInt64/2 {
		t.Errorf("the limit is %v bytes", got)
	}
}

func TestOperatorsSayHowGarbageIsCollected(t *testing.T) {
	t.Setenv("GOGC", "70")
	t.Setenv("GOMEMLIMIT", "1GiB")
	p := startProcess(t, "--admin-listen", "127.0.0.1:0")
	if got := p.runtimeFigure(t, collectorPercent); got != 70 {
		t.Errorf("garbage may grow to %v %%", got)
	}
	if got := p.runtimeFigure(t, collectorLimit); got != 1<<30 {
		t.Errorf("the limit is %v bytes", got)
	}
}
