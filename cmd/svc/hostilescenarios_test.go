package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const (
	hostileBundle  = "01890a5d-ac96-774b-bcce-b302099a8057"
	hostileProject = "proj_7h2k9q4w1x8c5v3b6n0m"
	hostileRun     = "gen_7h2k9q4w1x8c5v3b6n0m"
)

const (
	// linePlanted looks like a line of svc.
	linePlanted = "svc pull planted; rm -r x"
	// textPlanted is what a hostile bundle holds: what terminals obey, what changes
	// the direction of text, and a line that looks like one of svc.
	textPlanted = "\x1b]0;title\x07\x1b[2J\u009b31m\u0085\b\r\x7f\u202e\u2066\u200f\u061c\u2028\u2029\n" + linePlanted + "\n\tplanted"
	// planted is what a hostile server puts where a text is expected: also bytes
	// that are no characters, and NUL.
	planted = "\x9b2J\x00" + textPlanted
)

// answer is what the hostile server says at a path.
type answer struct {
	status int // 0: the body is all that is sent, header included
	header map[string]string
	body   any // a JSON document, a stream, or bytes as they are
}

// hangs is the status of an answer that begins and does not go on.
const hangs = -1

// stream is a document that is sent as events: objects with name and data.
type stream []any

const hostileState = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

const (
	recordJSON = `{"bundleId":"` + hostileBundle + `","projectId":"` + hostileProject + `","status":"pending_download","fileCount":2,"createdAt":"2026-01-01T00:00:00.000Z","totalSizeBytes":7,"expiresAt":"2026-01-02T00:00:00.000Z"}`
	errorJSON  = `{"code":"INTERNAL","error":"No.","hint":"Think.","field":"prompt","requestId":"req_1","limit":{"files":1,"bytes":1},"actual":{"files":2,"bytes":2}}`
	goneJSON   = `{"code":"BUNDLE_EXPIRED","error":"Gone.","requestId":"req_1","bundleId":"` + hostileBundle + `","projectId":"` + hostileProject + `","status":"expired","fileCount":2,"createdAt":"2026-01-01T00:00:00.000Z","expiredAt":"2026-01-02T00:00:00.000Z"}`
	queuedJSON = `{"generationId":"` + hostileRun + `","projectId":"` + hostileProject + `","status":"queued","queuePosition":1,"streamUrl":"https://x/stream","createdAt":"2026-01-01T00:00:00.000Z"}`
	runJSON    = `{"generationId":"` + hostileRun + `","projectId":"` + hostileProject + `","status":"succeeded","bundleId":"` + hostileBundle + `","cost":{"model":"m","inputTokens":1,"outputTokens":1,"estimatedCostUsd":1},"createdAt":"2026-01-01T00:00:00.000Z","startedAt":"2026-01-01T00:00:00.000Z","finishedAt":"2026-01-01T00:00:00.000Z"}`
	pushedJSON = `{"projectId":"` + hostileProject + `","state":"` + hostileState + `","changed":1,"added":0,"deleted":0,"pushedAt":"2026-01-01T00:00:00.000Z"}`
	movedJSON  = `{"code":"PROJECT_MOVED","error":"Moved.","hint":"Pull.","requestId":"req_1","state":"` + hostileState + `","bundleId":"` + hostileBundle + `"}`
	busyJSON   = `{"code":"PROJECT_BUSY","error":"Busy.","hint":"Wait.","requestId":"req_1","generationId":"` + hostileRun + `"}`
	failedJSON = `{"generationId":"` + hostileRun + `","projectId":"` + hostileProject + `","status":"failed","error":{"code":"INTERNAL","message":"No.","retryable":true},"createdAt":"2026-01-01T00:00:00.000Z"}`
	eventsJSON = `[
		{"name":"tool_status","data":{"action":"plan","status":"started","run_attempt":2}},
		{"name":"state_update","data":{"key":"language","value":"go","reason":"small"}},
		{"name":"state_update","data":{"key":"left_out","value":"sorting","reason":"time"}},
		{"name":"memory_update","data":{"revision":1,"content":"memory"}},
		{"name":"tool_status","data":{"action":"generate_file","status":"started","file":"main.go"}},
		{"name":"token","data":{"file":"main.go","attempt":1,"offset":0,"delta":"package main"}},
		{"name":"tool_status","data":{"action":"validate","status":"failed","check":"go vet","seconds":1.5,"detail":"2 findings"}},
		{"name":"tool_status","data":{"action":"validate","status":"unchecked","detail":"1 passed, 1 skipped"}},
		{"name":"cost_summary","data":{"model":"m","input_tokens":1,"output_tokens":1,"estimated_cost_usd":0.1}},
		{"name":"bundle_ready","data":{"bundle_id":"` + hostileBundle + `","project_id":"` + hostileProject + `","file_count":2,"total_size_bytes":7,"sha256":"00","expires_at":"2026-01-02T00:00:00.000Z"}}]`
	refusedJSON = `{"code":"CONSTRAINT_UNRESOLVABLE","error":"Not read.","hint":"Send it.","requestId":"req_1","suggestion":{"spec":"api in go\nbook: title\n","understood":["books"],"notUnderstood":["parrots"]}}`
	unreadJSON  = `[{"name":"error","data":{"code":"CONSTRAINT_UNRESOLVABLE","message":"Not read","retryable":false,"suggestion":{"spec":"api in go\nbook: title\n","understood":["books"],"notUnderstood":["parrots"]}}}]`
	brokenJSON  = `[{"name":"error","data":{"code":"VALIDATION_FAILED","message":"main.go does not compile","retryable":true}}]`
)

func document(text string) any {
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		panic(err) // the test is wrong
	}
	return doc
}

func events(text string) stream {
	list, _ := document(text).([]any)
	return list
}

// scenario is a command and what it is answered.
type scenario struct {
	name    string
	args    []string
	answers map[string]answer
	varied  string // the path whose answer is varied; all if empty
	mute    bool   // nothing of what is answered is shown
	edited  bool   // in a folder with edits of what was pulled
}

// scenarios are all commands that talk to a server, with all that it may answer.
func scenarios() []scenario {
	record, run := "/bundles/"+hostileBundle, "/generations/"+hostileRun
	ok := func(text string) answer { return answer{200, nil, document(text)} }
	list := map[string]answer{"/bundles": ok(`{"bundles":[` + recordJSON + `],"nextCursor":""}`)}
	listed := maps.Clone(list)
	listed["/readyz"] = answer{200, map[string]string{"X-Request-Id": "req_1", "Date": time.Now().UTC().Format(http.TimeFormat)}, document(`{"status":"ok"}`)}
	listed[run+"/stream"] = answer{200, map[string]string{"Via": "1.1 proxy"}, events(eventsJSON)}
	archive := map[string]answer{
		record + "/download": {200, map[string]string{"ETag": `"x"`, "Content-Type": "application/zip"}, hostileArchive()},
		record + "/ack":      ok(`{"bundleId":"` + hostileBundle + `","status":"downloaded","downloadedAt":"2026-01-01T00:00:00.000Z"}`),
	}
	latest := maps.Clone(archive)
	latest["/bundles/latest"] = ok(recordJSON)
	made := map[string]answer{"/generations": {202, nil, document(queuedJSON)}, run + "/stream": {200, nil, events(eventsJSON)}}
	over := func(record string) map[string]answer {
		return map[string]answer{run + "/stream": {204, nil, nil}, run: ok(record)}
	}
	changes := "/projects/" + hostileProject + "/changes"
	repackage := "/projects/" + hostileProject + "/bundles/repackage"
	exported := map[string]answer{repackage: ok(`{"bundleId":"` + hostileBundle + `","fileCount":2,"totalSizeBytes":7}`)}
	all := []scenario{
		{name: "status", args: []string{"status", hostileBundle}, answers: map[string]answer{record: ok(recordJSON)}},
		{name: "status json", args: []string{"status", "--json", hostileBundle}, answers: map[string]answer{record: ok(recordJSON)}},
		{name: "status gone", args: []string{"status", hostileBundle}, answers: map[string]answer{record: {410, nil, document(goneJSON)}}},
		{name: "list", args: []string{"list"}, answers: list},
		{name: "list json", args: []string{"list", "--json"}, answers: list},
		{name: "export", args: []string{"export", hostileProject}, answers: exported},
		{name: "export json", args: []string{"export", "--json", hostileProject}, answers: exported},
		{name: "pull", args: []string{"pull", hostileBundle}, answers: archive},
		{name: "pull latest", args: []string{"pull", "--latest"}, answers: latest},
		{name: "pull json", args: []string{"pull", "--json", hostileBundle}, answers: archive},
		{name: "pull dry", args: []string{"pull", "--dry-run", hostileBundle}, answers: archive},
		{name: "pull dry json", args: []string{"pull", "--dry-run", "--json", hostileBundle}, answers: archive},
		{name: "pull diff", args: []string{"pull", "--diff", hostileBundle}, answers: archive},
		{name: "pull abort", args: []string{"pull", "--on-conflict", "abort", hostileBundle}, answers: archive},
		{name: "generate", args: []string{"generate", "a site"}, answers: made},
		{name: "generate json", args: []string{"generate", "--json", "a site"}, answers: made},
		{name: "generate refused", args: []string{"generate", "a site"}, answers: map[string]answer{"/generations": {422, nil, document(refusedJSON)}}},
		{name: "generate refused by the worker", args: []string{"generate", "a site"}, answers: map[string]answer{"/generations": {202, nil, document(queuedJSON)}, run + "/stream": {200, nil, events(unreadJSON)}}},
		{name: "watch refused", args: []string{"watch", hostileRun}, answers: map[string]answer{run + "/stream": {200, nil, events(unreadJSON)}}},
		{name: "watch", args: []string{"watch", hostileRun}, answers: map[string]answer{run + "/stream": {200, nil, events(eventsJSON)}}},
		{name: "watch json", args: []string{"watch", "--json", hostileRun}, answers: map[string]answer{run + "/stream": {200, nil, events(eventsJSON)}}},
		{name: "watch failed", args: []string{"watch", hostileRun}, answers: map[string]answer{run + "/stream": {200, nil, events(brokenJSON)}}},
		{name: "watch over", args: []string{"watch", hostileRun}, answers: over(runJSON)},
		{name: "watch over failed", args: []string{"watch", hostileRun}, answers: over(failedJSON)},
		{name: "doctor", args: []string{"doctor", "--generation", hostileRun}, answers: listed},
		{name: "show", args: []string{"show", hostileBundle}, answers: map[string]answer{
			record + "/attestation":              ok(`{"payloadType":"application/vnd.in-toto+json","payload":"AAAA","signatures":[{"keyid":"k","sig":"AAAA"}]}`),
			"/.well-known/svc-signing-keys.json": ok(`{"names":["https://x"],"keys":[{"keyId":"k","publicKey":"AAAA","createdAt":"2026-01-01T00:00:00.000Z"}]}`),
		}, mute: true},
		{name: "push", args: []string{"push"}, answers: map[string]answer{changes: ok(pushedJSON)}, mute: true, edited: true},
		{name: "push json", args: []string{"push", "--json"}, answers: map[string]answer{changes: ok(pushedJSON)}, mute: true, edited: true},
		{name: "push moved", args: []string{"push"}, answers: map[string]answer{changes: {409, nil, document(movedJSON)}}, edited: true},
		{name: "push busy", args: []string{"push"}, answers: map[string]answer{changes: {409, nil, document(busyJSON)}}, edited: true},
		{name: "push refused", args: []string{"push"}, answers: map[string]answer{changes: {400, nil, document(errorJSON)}}, edited: true},
	}
	for i, head := range []string{"200 ", "204 ", "20", ""} {
		wire := answer{0, nil, []byte("HTTP/1.1 " + head + strings.ReplaceAll(planted, "\n", "") + "\r\nX-A: b\r\n" + planted + ": x\r\n\r\n")}
		if i < 2 { // well formed, but for what it says
			wire.body = []byte("HTTP/1.1 " + head + strings.ReplaceAll(planted, "\n", "") + "\r\nContent-Length: 0\r\n\r\n")
		}
		all = append(all,
			scenario{name: "status, wire " + head, args: []string{"status", hostileBundle}, answers: map[string]answer{record: wire}, mute: true},
			scenario{name: "pull, wire " + head, args: []string{"pull", hostileBundle}, answers: map[string]answer{record + "/download": wire}, mute: head != "204 "},
			scenario{name: "doctor, wire " + head, args: []string{"doctor"}, answers: map[string]answer{"/readyz": wire}, mute: true})
	}
	for _, refused := range []struct{ command, path string }{
		{"status " + hostileBundle, record},
		{"list", "/bundles"},
		{"export " + hostileProject, repackage},
		{"pull " + hostileBundle, record + "/download"},
		{"pull --latest", "/bundles/latest"},
		{"pull " + hostileBundle, record + "/ack"},
		{"generate x", "/generations"},
		{"watch " + hostileRun, run + "/stream"},
		{"doctor", "/bundles"},
		{"doctor --generation " + hostileRun, run + "/stream"},
	} {
		for status, text := range map[int]string{302: errorJSON, 401: errorJSON, 410: goneJSON, 429: errorJSON, 500: errorJSON} {
			answers := maps.Clone(latest)
			maps.Copy(answers, listed)
			header := map[string]string{"X-Request-Id": "req_1", "Retry-After": "3600", "Location": "https://x/"}
			answers[refused.path] = answer{status, header, document(text)}
			name := fmt.Sprintf("%s, %d at %s", refused.command, status, refused.path)
			all = append(all, scenario{name: name, args: strings.Fields(refused.command), answers: answers, varied: refused.path, mute: status == 302})
		}
	}
	return all
}

// hostileArchive is a good bundle whose files hold what a terminal obeys.
func hostileArchive() []byte {
	key, err := json.Marshal(textPlanted)
	if err != nil {
		panic(err) // the test is wrong
	}
	state := bundlezip.State{ProjectID: hostileProject}
	state.Put(bundlezip.StateFile{Path: "text.txt", MergeStrategy: bundlezip.Overwrite, Content: bundlezip.Bytes([]byte(textPlanted))})
	state.Put(bundlezip.StateFile{Path: "settings.json", MergeStrategy: bundlezip.DeepMerge, Content: bundlezip.Bytes(fmt.Appendf(nil, `{%s: "theirs"}`, key))})
	state.Put(bundlezip.StateFile{Path: linePlanted, MergeStrategy: bundlezip.Overwrite, Content: bundlezip.Bytes([]byte("\x00"))})
	var zip bytes.Buffer
	if _, err := bundlezip.Write(&zip, state); err != nil {
		panic(err) // the test is wrong
	}
	return zip.Bytes()
}
