package edge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	svc "github.com/bundle-delivery/svc"
)

// The reasons for a refusal.
const (
	PlainHTTP      = "plain_http"      // on the TLS port
	PlainAtProxy   = "plain_at_proxy"  // the proxy was not asked over HTTPS
	NotATrustedOne = "untrusted_proxy" // the connection is no trusted proxy's
	NotAnnounced   = "no_proxy_header" // the balancer does not say for whom it connects
	FaultyFraming  = "faulty_framing"  // the request says in two ways where it ends
)

// Refusal is a request that never reached the handlers.
type Refusal struct {
	Reason    string
	RequestID string // as in the answer; empty where there was none
	Remote    string // who is connected
}

// RefusalFunc is called for each refusal; it may be nil.
type RefusalFunc func(Refusal)

func (f RefusalFunc) call(r Refusal) {
	if f != nil {
		f(r)
	}
}

// refused is the error body of the interface, for requests that never reach it.
type refused struct {
	Code      svc.Code `json:"code"`
	Error     string   `json:"error"`
	Hint      string   `json:"hint"`
	Field     string   `json:"field"`
	RequestID string   `json:"requestId"`
}

func newRefused(r refused) (body []byte, requestID string) {
	r.Code, r.RequestID = svc.CodeInvalidRequest, svc.NewRequestID()
	body, err := json.Marshal(r)
	if err != nil {
		// Strings can always be written as JSON.
		body = []byte(`{"code":"INVALID_REQUEST","error":"Use HTTPS."}`)
	}
	return append(body, '\n'), r.RequestID
}

// useHTTPS refuses what travelled in the clear, by the part of the request that says so.
func useHTTPS(message, field, baseURL string) refused {
	return refused{
		Error: message, Field: field,
		Hint: "Use " + baseURL + ". If a key was sent with this request, revoke it: it travelled in the clear.",
	}
}

// refusal is the whole answer to plain HTTP on the TLS port.
func refusal(baseURL string) (answer []byte, requestID string) {
	body, id := newRefused(useHTTPS("This port answers HTTPS only, and this request was plain HTTP.", "scheme", baseURL))
	head := fmt.Sprintf("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Cache-Control: no-store\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n", len(body), id)
	return append([]byte(head), body...), id
}

// refuseFraming answers requests of which nobody can say where they end.
func refuseFraming(onRefusal RefusalFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := refuse(w, refused{
			Error: "This request says in more than one way where it ends.", Field: "Transfer-Encoding",
			Hint: "Send either one Content-Length or Transfer-Encoding: chunked.",
		})
		onRefusal.call(Refusal{Reason: FaultyFraming, RequestID: id, Remote: r.RemoteAddr})
	})
}

// refuse answers a request that never reaches the handlers, and is done with its connection.
func refuse(w http.ResponseWriter, r refused) (requestID string) {
	body, id := newRefused(r)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Request-Id", id)
	header.Set("Connection", "close")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(body) // the client may have left, which is its own affair
	return id
}
