package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/web/certs"
)

// acmeSettings are about certificates from an ACME authority.
type acmeSettings struct {
	domains   []string // empty: no such certificates
	email     string
	directory string // empty: Let's Encrypt
	caFile    string // empty: what the system trusts
}

func (a *acmeSettings) table() []setting.Setting {
	return []setting.Setting{
		setting.Of("acme-domain", "the names to get certificates for from an ACME authority, whose terms you agree to; port 443 of each has to lead to --listen", domainsValue(&a.domains)),
		setting.Of("acme-email", "where the authority may write about your certificates", emailValue(&a.email)),
		setting.Of("acme-directory", "the address of the authority's directory (default Let's Encrypt)", directoryValue(&a.directory)),
		setting.Of("acme-ca-file", "PEM file with the certificates to trust when talking to the authority (default those of the system)", setting.Text(&a.caFile, "file")),
	}
}

// check refuses what does not go together; s are all settings.
func (a *acmeSettings) check(s *settings) error {
	if len(a.domains) == 0 {
		for _, other := range []struct{ name, given string }{
			{"acme-email", a.email}, {"acme-directory", a.directory}, {"acme-ca-file", a.caFile},
		} {
			if other.given != "" {
				return usagef("--%s has no use without --acme-domain, the names to get certificates for", other.name)
			}
		}
		return nil
	}
	if s.tlsCert != "" {
		return usagef("--acme-domain and --tls-cert exclude each other: the certificate comes from an authority or from a file")
	}
	if s.baseURL != nil && !slices.Contains(a.domains, strings.ToLower(s.baseURL.Hostname())) {
		return usagef("--base-url tells clients of %s, for which --acme-domain asks no certificate", s.baseURL.Hostname())
	}
	if a.caFile != "" {
		if _, err := a.roots(); err != nil {
			return usagef("--acme-ca-file: %w", err)
		}
	}
	return nil
}

// base is the address that clients are told when nothing else is said: the
// authority looks at port 443, so that is where the service is.
func (a *acmeSettings) base() *url.URL { return &url.URL{Scheme: "https", Host: a.domains[0]} }

// roots are what is trusted when talking to the authority.
func (a *acmeSettings) roots() (*x509.CertPool, error) { return rootsOf(a.caFile) }

// rootsOf reads the certificates in a file; nil without one is what the system trusts.
func rootsOf(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	return pool, nil
}

// openACME shows certificates of the authority, and the local one until the
// authority has issued any.
func (f *listeners) openACME(s *settings, listener net.Addr, local *certs.Local, p *components) (*tls.Config, error) {
	roots, err := s.acme.roots()
	if err != nil {
		return nil, fmt.Errorf("--acme-ca-file: %w", err)
	}
	p.certificates = certs.NewACME(certs.ACMEConfig{
		Domains: s.acme.domains, Email: s.acme.email, Directory: s.acme.directory, Roots: roots,
		Listener: listener, Files: p.storage.store.CertificateFiles(), Now: p.storage.store.Now,
		Meanwhile: local.GetCertificate, Log: f.log,
	})
	p.metrics.WatchCertificate(func() time.Time { return p.certificates.NotAfter() })
	return p.certificates.Config(), nil
}

// domainsValue holds names, each once.
func domainsValue(to *[]string) *setting.Value[[]string] {
	return setting.New(to, "name,…", func(text string) ([]string, error) {
		var names []string
		for part := range strings.SplitSeq(text, ",") {
			name := strings.ToLower(strings.TrimSpace(part))
			if err := checkDomain(name); err != nil {
				return nil, err
			}
			if slices.Contains(names, name) {
				return nil, fmt.Errorf("%q is named twice", name)
			}
			names = append(names, name)
		}
		return names, nil
	}, func(all []string) string { return strings.Join(all, ",") })
}

// checkDomain wants a name that a TLS-ALPN challenge can prove.
func checkDomain(name string) error {
	if _, err := netip.ParseAddr(name); err == nil {
		return fmt.Errorf("%q is an address; a name is needed", name)
	}
	if strings.HasPrefix(name, "*.") {
		return fmt.Errorf("%q is for many names, which can be proved by DNS alone; name them one by one", name)
	}
	if strings.Contains(name, "_") {
		return fmt.Errorf("%q has an underscore, which no authority signs for", name)
	}
	return setting.CheckHost(name)
}

func emailValue(to *string) *setting.Value[string] {
	return setting.New(to, "address", func(text string) (string, error) {
		user, host, found := strings.Cut(text, "@")
		if !found || user == "" || setting.CheckHost(host) != nil || strings.ContainsFunc(user, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return "", fmt.Errorf("%q is no e-mail address", text)
		}
		return text, nil
	}, func(s string) string { return s })
}

func directoryValue(to *string) *setting.Value[string] {
	return setting.New(to, "url", func(text string) (string, error) {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.Host == "" {
			return "", errors.New("it is no address such as https://acme-v02.api.letsencrypt.org/directory")
		}
		return text, nil
	}, func(s string) string { return s })
}
