package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// protect rejects what changes something and comes from another origin. Browsers
// declare that by Sec-Fetch-Site. Where a browser does not, the Origin header counts,
// with its scheme: http.CrossOriginProtection compares the host alone, so whoever
// answers for http://host on the way could send forms to https://host.
func (s *core) protect(base *url.URL, next http.Handler) (http.Handler, error) {
	own := originOf(base.Scheme, base.Host)
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(own); err != nil {
		return nil, fmt.Errorf("base URL %q: %w", s.BaseURL, err)
	}
	deny := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &visit{}, errForeignForm)
	})
	protection.SetDenyHandler(deny)
	protected := protection.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		// Behind a proxy the request does not show the scheme that browsers use. The
		// base URL does, also for other names under which the service is reached.
		if !safe(r.Method) && r.Header.Get("Sec-Fetch-Site") == "" && origin != "" &&
			origin != own && origin != originOf(base.Scheme, r.Host) {
			deny(w, r)
			return
		}
		protected.ServeHTTP(w, r)
	}), nil
}

// safe reports whether requests with this method change nothing.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// originOf returns the origin as browsers write it: in lower case, without the
// scheme's own port.
func originOf(scheme, host string) string {
	host = strings.ToLower(host)
	if port := map[string]string{"https": ":443", "http": ":80"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host
}
