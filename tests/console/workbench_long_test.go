package console

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
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

// ordinaryWork is what work takes on a machine on which a task of 100 ms is a long one.
const ordinaryWork = 4 * time.Millisecond

// work does what the page does, always as much of it, and tells how long that takes
// here and now: the one in the middle of many.
func (b *browser) work() time.Duration {
	b.t.Helper()
	took, err := strconv.ParseFloat(b.eval(`(() => {
		const text = '\tfmt.Println("line", 42) // says where it is\n'.repeat(3000), all = [];
		for (let i = 0; i < 15; i++) {
			const began = performance.now();
			if ([...text.matchAll(/"[^"]*"|\d+|\w+/g)].length < 3000) throw new Error("nothing was done");
			all.push(performance.now() - began);
		}
		return all.sort((a, b) => a - b)[7];
	})()`), 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return time.Duration(took * float64(time.Millisecond))
}

// A person may watch a very large run from its first file to its last: what is
// written is in view whenever somebody looks, and the page answers all the time.
// Promise: console-large-run
func TestALargeRunIsWatchedFromItsFirstFileToItsLast(t *testing.T) {
	needs.Long(t, "the workbench under a thousand files and a hundred thousand events")
	for name, run := range map[string]struct {
		files, pieces int
		pause         float64
		ahead         int // files that are written beyond the moments that were looked at
		moments       int
		folders       int // in which something was seen being written; each has 50 files
		events        int
		task          time.Duration // the longest, on an ordinary machine; a flood of words may take more
	}{
		"a thousand files":         {1000, 20, 0.001, 1, 1000, 20, 22_000, 100 * time.Millisecond},
		"a hundred thousand words": {2000, 48, 0, 1980, 20, 2, 100_000, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			command, allow := manyFilesEngine(t, run.files, run.pieces, run.pause)
			i := start(t, "--engine", "exec", "--engine-command", command)
			b := i.browse()
			b.setUp(i.setUpLink())
			b.generate("a large project", "Generation")
			before := b.work()
			b.eval(sampler)
			longest := b.longestTask()
			// However slow the machine is, the run waits until it was looked at often enough.
			for tenth := range 10 {
				eventually(t, "it was looked at often enough", func() bool {
					moments := b.moments()
					allow(moments + run.ahead)
					return moments >= (tenth+1)*run.moments/10
				})
			}
			b.see("#pull-line")
			most, seen := longest(), b.sampled()
			worked := max(before, b.work())
			slower := max(1, float64(worked)/float64(ordinaryWork))
			t.Logf("the longest task of the main thread: %s, where work takes %s", most, worked)
			if seen.Count < run.moments || seen.Outside > 0 {
				t.Errorf("at %d of %d moments what is written was out of view: %s", seen.Outside, seen.Count, seen.Where)
			}
			if seen.Folders < run.folders {
				t.Errorf("somebody looked at %d of %d folders", seen.Folders, run.files/50)
			}
			b.eval(`fetch(location.pathname + "/stream?lastEventId=` + strconv.Itoa(run.events-1) + `").then((answer) => answer.text()).then((text) => { window.later = text; }); 0`)
			eventually(t, "the events after those are told", func() bool { return b.eval("typeof window.later") == "string" })
			if later := b.eval("window.later"); !strings.Contains(later, "id: "+strconv.Itoa(run.events)+"\n") {
				t.Errorf("there are no %d events; after them come %q", run.events, later)
			}
			if limit := time.Duration(slower * float64(run.task)); most > limit {
				t.Errorf("the page does not answer for %s, and may for %s", most, limit)
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
