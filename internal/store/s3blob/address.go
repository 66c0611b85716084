package s3blob

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	svc "github.com/bundle-delivery/svc"
)

// place is what an address says.
type place struct {
	bucket   string
	prefix   string // empty, or ends in '/'
	endpoint string // host, perhaps with a port
	region   string
	secure   bool
	ca       string // the file of the authority to trust; empty: the machine's
}

const amazon = "s3.amazonaws.com"

// Check says whether an address can be understood, without going there.
func Check(address string) error {
	_, err := parse(address)
	return err
}

// parse reads s3://bucket/prefix?endpoint=…&region=…&ca=…
func parse(address string) (place, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Port() != "" || u.Fragment != "" {
		// The text is not repeated: somebody may have put keys into it.
		return place{}, errors.New("the address of the archives is not understood; it looks like " +
			"s3://bucket?endpoint=https://host&region=name, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	p := place{bucket: u.Host, endpoint: amazon, secure: true}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		if err := svc.CheckBlobKey(prefix); err != nil {
			return place{}, fmt.Errorf("the path in the address of the archives: %w", err)
		}
		p.prefix = prefix + "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, errors.New("the part after '?' in the address of the archives is not understood")
	}
	for name, values := range query {
		switch name {
		case "region":
			p.region = values[0]
		case "ca":
			p.ca = values[0]
		case "endpoint":
			if p.endpoint, p.secure, err = parseEndpoint(values[0]); err != nil {
				return place{}, err
			}
		default:
			return place{}, fmt.Errorf("the address of the archives has the parameter %q; there are ca, endpoint and region", name)
		}
		if len(values) > 1 {
			return place{}, fmt.Errorf("the address of the archives has the parameter %q twice", name)
		}
	}
	if p.ca != "" && !p.secure {
		return place{}, errors.New("the address of the archives names an authority (ca) for an endpoint with http://, which shows no certificate; use https://")
	}
	return p, nil
}

// parseEndpoint reads a host, which is asked over HTTPS, or an address that says
// how to ask.
func parseEndpoint(text string) (host string, secure bool, err error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false, errors.New("the endpoint of the archives is not understood; it looks like https://host:port")
	}
	return u.Host, u.Scheme == "https", nil
}

// attempts is how often one request is sent; the library waits longer each time.
const attempts = 4

// answerTime is how long the store may take to begin an answer, once it has the
// request.
const answerTime = 15 * time.Second

// dial makes the client: keys come from the usual variables, the usual file, or
// the machine's role.
func dial(p place) (*minio.Core, *http.Transport, error) {
	transport, err := minio.DefaultTransport(p.secure)
	if err != nil {
		return nil, nil, err
	}
	transport.MaxIdleConnsPerHost = 64
	transport.ResponseHeaderTimeout = answerTime
	if p.ca != "" {
		if transport.TLSClientConfig.RootCAs, err = authority(p.ca); err != nil {
			return nil, nil, err
		}
	}
	// The bytes are compressed already, and lengths have to be true.
	transport.DisableCompression = true
	core, err := minio.NewCore(p.endpoint, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
		Secure: p.secure, Region: p.region, Transport: reclaimTransport{transport}, MaxRetries: attempts,
	})
	if err != nil {
		return nil, nil, err
	}
	return core, transport, nil
}

// authority reads the certificates of a file: they are trusted, and no others.
func authority(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the authority of the store: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read the authority of the store: %s holds no certificate in PEM", file)
	}
	return pool, nil
}
