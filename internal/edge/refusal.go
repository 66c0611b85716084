package edge

import (
	"encoding/json"
	"fmt"
	"net/http"

	svc "github.com/bundle-delivery/svc"
)

// The reasons for a refusal.
const (
	PlainHTTP      = "plain_http"      // on the TLS port
	PlainAtProxy   = "plain_at_proxy"  // the proxy was not asked over HTTPS
	NotATrustedOne = "untrusted_proxy" // the connection is no trusted proxy's
	NotAnnounced   = "no_proxy_header" // the balancer does not say for whom it connects
)

// Refusal is a request that never reached the handlers.
type Refusal struct {
	Reason    string
	RequestID string // as in the answer; empty where there was none
	Remote    string // who is connected
}

// Tell is told of refusals; nil is told nothing.
type Tell func(Refusal)

func (t Tell) of(r Refusal) {
	if t != nil {
		t(r)
	}
}

// refused is the error body of the interface, for requests that never reach it.
type refused struct {
	Code      svc.Code `json:"code"`
	Error     string   `json:"error"`
	Hint      string   `json:"hint"`
	RequestID string   `json:"requestId"`
}

func newRefused(message, baseURL string) (body []byte, requestID string) {
	r := refused{
		Code:      svc.CodeInvalidRequest,
		Error:     message,
		Hint:      "Use " + baseURL + ". If a key was sent with this request, revoke it: it travelled in the clear.",
		RequestID: svc.NewRequestID(),
	}
	body, err := json.Marshal(r)
	if err != nil {
		// Four strings can always be written as JSON.
		body = []byte(`{"code":"INVALID_REQUEST","error":"Use HTTPS."}`)
	}
	return append(body, '\n'), r.RequestID
}

// refusal is the whole answer to plain HTTP on the TLS port.
func refusal(baseURL string) (answer []byte, requestID string) {
	body, id := newRefused("This port answers HTTPS only, and this request was plain HTTP.", baseURL)
	head := fmt.Sprintf("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Cache-Control: no-store\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n", len(body), id)
	return append([]byte(head), body...), id
}

// refuse answers a request that a proxy did not get over HTTPS.
func refuse(w http.ResponseWriter, baseURL string) (requestID string) {
	body, id := newRefused("This request did not reach the proxy over HTTPS, or the proxy does not say so.", baseURL)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Request-Id", id)
	header.Set("Connection", "close")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(body) // the client may have left, which is its own affair
	return id
}
