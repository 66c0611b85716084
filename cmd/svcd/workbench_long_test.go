package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"github.com/bundle-delivery/svc/internal/needs"
)

// longestTask notes from now on how long the page's main thread works without a
// break, and gives the longest when it is called. It counts the processor's time: on
// a machine that is busy with other things a task waits, which is not the page's
// fault.
func (b *browser) longestTask() func() time.Duration {
	b.t.Helper()
	type traced struct {
		Name     string
		PID, TID int
		TDur     *float64 // microseconds
		Args     struct{ Name string }
	}
	mains, longest := map[[2]int]bool{}, map[[2]int]float64{}
	tasks, complete := 0, make(chan struct{})
	chromedp.ListenTarget(b.ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			for _, value := range e.Value {
				var v traced
				if json.Unmarshal(value, &v) != nil {
					continue
				}
				thread := [2]int{v.PID, v.TID}
				switch {
				case v.Name == "thread_name" && v.Args.Name == "CrRendererMain":
					mains[thread] = true
				case strings.HasSuffix(v.Name, "RunTask") && v.TDur != nil:
					tasks++
					longest[thread] = max(longest[thread], *v.TDur)
				}
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	})
	b.run(tracing.Start().WithTransferMode(tracing.TransferModeReportEvents).WithTraceConfig(&tracing.TraceConfig{
		IncludedCategories: []string{"toplevel", "__metadata"}, ExcludedCategories: []string{"*"}, RecordMode: tracing.RecordModeRecordAsMuchAsPossible,
	}))
	return func() time.Duration {
		b.t.Helper()
		b.run(tracing.End())
		select {
		case <-complete:
		case <-b.ctx.Done():
			b.t.Fatal("the trace does not end")
		}
		var most float64
		for thread := range mains {
			most = max(most, longest[thread])
		}
		if most == 0 {
			b.t.Fatalf("the trace of %d tasks has none of the page", tasks)
		}
		return time.Duration(most * float64(time.Microsecond))
	}
}

// A person may watch a very large run from its first file to its last: what is
// written is in view whenever somebody looks, and the page answers all the time.
func TestALargeRunIsWatchedFromItsFirstFileToItsLast(t *testing.T) {
	needs.Long(t, "the workbench under a thousand files and a hundred thousand events")
	for name, run := range map[string]struct {
		files, pieces int
		pause         float64
		moments       int
		folders       int // in which something was seen being written; each has 50 files
		events        int
		task          time.Duration // the longest; a flood of words may take more
	}{
		"a thousand files":         {1000, 20, 0.04, 1000, 20, 22_000, 100 * time.Millisecond},
		"a hundred thousand words": {2000, 48, 0, 20, 2, 100_000, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			command, gate := manyFilesEngine(t, run.files, run.pieces, run.pause)
			i := start(t, "--engine", "exec", "--engine-command", command)
			b := i.browse()
			b.setUp(i.setUpLink())
			b.generate("a large project", "Generation")
			b.eval(sampler)
			longest := b.longestTask()
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			b.see("#pull-line")
			most, seen := longest(), b.sampled()
			t.Logf("the longest task of the main thread: %s", most)
			if seen.Count < run.moments || seen.Outside > 0 {
				t.Errorf("at %d of %d moments what is written was out of view", seen.Outside, seen.Count)
			}
			if seen.Folders < run.folders {
				t.Errorf("somebody looked at %d of %d folders", seen.Folders, run.files/50)
			}
			b.eval(`fetch(location.pathname + "/stream?lastEventId=` + strconv.Itoa(run.events-1) + `").then((answer) => answer.text()).then((text) => { window.later = text; }); 0`)
			eventually(t, "the events after those are told", func() bool { return b.eval("typeof window.later") == "string" })
			if later := b.eval("window.later"); !strings.Contains(later, "id: "+strconv.Itoa(run.events)+"\n") {
				t.Errorf("there are no %d events; after them come %q", run.events, later)
			}
			if most > run.task {
				t.Errorf("the page does not answer for %s", most)
			}
			if seen.Nodes < 1000 || seen.Nodes >= 5000 { // fewer were not counted
				t.Errorf("the page has %v nodes", seen.Nodes)
			}
			eventually(t, "all files are listed", func() bool { return b.text("#file-count") == strconv.Itoa(run.files) })
			if title := b.eval("document.title"); !strings.HasPrefix(title, "Generation succeeded") {
				t.Errorf("the tab says %q", title)
			}
		})
	}
}
