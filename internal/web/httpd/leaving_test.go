package httpd_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

func TestAClientThatClosesItsHalfIsNotToldOfASuccessThatWasNone(t *testing.T) {
	s := newSiteWith(t, deliverytest.New(t), "", func(c *httpd.Config) {
		c.Routes = append(c.Routes, httpd.Route{
			Method: http.MethodGet, Pattern: "/slow",
			Handle: func(_ http.ResponseWriter, r *http.Request, _ *httpd.Call) error {
				<-r.Context().Done()
				return fmt.Errorf("ask the records: %w", r.Context().Err())
			},
		})
	})
	address := strings.TrimPrefix(s.url, "https://")
	// The certificate is httptest's, and not what is tested.
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	must.Do(t, err)
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(c, "GET /slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.key+"\r\n\r\n")
	must.Do(t, err)
	must.Do(t, c.CloseWrite())
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		_ = answer.Body.Close()
		t.Fatalf("got %s for a request that was not done", answer.Status)
	}
	if log := s.log.String(); !strings.Contains(log, `"status":499`) {
		t.Errorf("the log does not say that the client left: %s", log)
	}
}

func TestAChangeIsDoneThoughItsClientHasClosedItsHalf(t *testing.T) {
	s := newSite(t)
	p, b := s.Project(s.account, deliverytest.Files(demo))
	handler := handlerOf(t, s.World, s.url, nil)
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, path := range []string{repackagePath(p.ID), ackPath(b)} {
		r := httptest.NewRequestWithContext(left, http.MethodPost, path, nil)
		r.Header.Set("Authorization", "Bearer "+s.key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: got %d: %s", path, w.Code, w.Body)
		}
	}
	s.do("GET", bundlePath(b)).failure(http.StatusGone, svc.CodeBundleDownloaded)
}
