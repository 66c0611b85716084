package httpd_test

import (
	"bytes"
	"net/http"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Promise: attestation
func TestAnAttestationIsGivenBeforeAndAfterTheAcknowledgement(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	first := s.do("GET", attestationPath(b)).want(http.StatusOK)
	trust, err := provenance.Pin(decode[provenance.Keys](s.do("GET", api.RouteSigningKeys, "Authorization", "-").want(http.StatusOK)))
	must.Do(t, err)
	if p, err := provenance.Verify(first.body, b.SHA256, b.ID, trust); err != nil || p.Service != deliverytest.Service || p.Project != b.ProjectID {
		t.Errorf("%+v, %v", p, err)
	}
	s.do("HEAD", attestationPath(b)).want(http.StatusOK)
	s.do("POST", ackPath(b)).want(http.StatusOK)
	for range 30 { // it is not limited
		if again := s.do("GET", attestationPath(b)).want(http.StatusOK); !bytes.Equal(again.body, first.body) {
			t.Fatal("it is another after the acknowledgement")
		}
	}
	s.do("GET", attestationPath(svc.Bundle{ID: svc.NewBundleID(deliverytest.Start)})).failure(http.StatusNotFound, svc.CodeBundleNotFound)
	s.do("GET", attestationPath(svc.Bundle{ID: "x"})).failure(http.StatusNotFound, svc.CodeBundleNotFound)
}
