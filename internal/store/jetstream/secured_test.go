package jetstream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	svc "github.com/bundle-delivery/svc"
)

// A server as a managed service runs it: TLS by an authority that no machine
// knows, clients with certificates of it, and users with a file of credentials.
func TestSecuredServers(t *testing.T) {
	dir := t.TempDir()
	authority, stranger := newAuthority(t, dir, "authority"), newAuthority(t, dir, "stranger")
	cert, key := authority.issue(t, dir, "client")
	strangeCert, strangeKey := stranger.issue(t, dir, "strange-client")

	operator := newSigner(t, nkeys.CreateOperator)
	claims := jwt.NewOperatorClaims(operator.public)
	operator.sign(t, claims, operator)
	accounts := &server.MemAccResolver{}
	system := newAccount(t, operator, accounts, jwt.JetStreamLimits{}) // which may not use JetStream
	account := newAccount(t, operator, accounts, unlimited)
	creds := account.issueUser(t, filepath.Join(dir, "user.creds"))
	strangeCreds := newAccount(t, newSigner(t, nkeys.CreateOperator), &server.MemAccResolver{}, unlimited).
		issueUser(t, filepath.Join(dir, "strange.creds"))

	pair, err := tls.LoadX509KeyPair(authority.issue(t, dir, "server"))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(authority.cert)
	srv := start(t, &server.Options{
		Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: filepath.Join(dir, "kept"),
		TLS: true, TLSVerify: true, TLSTimeout: 60, AuthTimeout: 60,
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{pair}, ClientCAs: clients,
			ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13,
		},
		TrustedOperators: []*jwt.OperatorClaims{claims}, AccountResolver: accounts, SystemAccount: system.public,
	})
	at := func(files ...string) string {
		q := url.Values{}
		for i := 0; i < len(files); i += 2 {
			q.Set(files[i], files[i+1])
		}
		return "tls://" + strings.TrimPrefix(srv.ClientURL(), "tls://") + "?" + q.Encode()
	}

	t.Run("events are kept and followed", func(t *testing.T) {
		b := reach(t, at("ca", authority.file, "cert", cert, "key", key, "creds", creds))
		w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_1", Epoch: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(t.Context(), batchOf(1, 3)); err != nil {
			t.Fatal(err)
		}
		feed, err := b.Events().Follow(t.Context(), "gen_1", 0)
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		wantNext(t, feed, 1, 3)
	})
	for name, files := range map[string][]string{
		"an authority of its own only":    {"cert", cert, "key", key, "creds", creds},
		"another authority":               {"ca", stranger.file, "cert", cert, "key", key, "creds", creds},
		"no certificate":                  {"ca", authority.file, "creds", creds},
		"a certificate of another":        {"ca", authority.file, "cert", strangeCert, "key", strangeKey, "creds", creds},
		"no credentials":                  {"ca", authority.file, "cert", cert, "key", key},
		"credentials of another operator": {"ca", authority.file, "cert", cert, "key", key, "creds", strangeCreds},
		"credentials that are not there":  {"ca", authority.file, "cert", cert, "key", key, "creds", filepath.Join(dir, "none")},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			b, err := Open(t.Context(), Config{URL: at(files...), Retention: time.Hour})
			if err == nil {
				b.Close()
				t.Fatal("it was let in")
			}
			t.Log(err)
		})
	}
}

// signer is an operator, an account or a user of NATS with its key.
type signer struct {
	pair   nkeys.KeyPair
	public string
}

func newSigner(t *testing.T, create func() (nkeys.KeyPair, error)) signer {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return signer{pair, public}
}

func (s signer) sign(t *testing.T, claims jwt.Claims, by signer) string {
	t.Helper()
	token, err := claims.Encode(by.pair)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

var unlimited = jwt.JetStreamLimits{DiskStorage: jwt.NoLimit, MemoryStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}

// newAccount is an account that an operator vouches for and a server knows.
func newAccount(t *testing.T, operator signer, known *server.MemAccResolver, limits jwt.JetStreamLimits) signer {
	t.Helper()
	account := newSigner(t, nkeys.CreateAccount)
	claims := jwt.NewAccountClaims(account.public)
	claims.Limits.JetStreamLimits = limits
	if err := known.Store(account.public, account.sign(t, claims, operator)); err != nil {
		t.Fatal(err)
	}
	return account
}

// issueUser writes the credentials of a new user of the account.
func (s signer) issueUser(t *testing.T, file string) string {
	t.Helper()
	user := newSigner(t, nkeys.CreateUser)
	seed, err := user.pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := jwt.FormatUserConfig(user.sign(t, jwt.NewUserClaims(user.public), s), seed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, creds, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// authority signs certificates for this machine.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, dir, name string) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert: cert, key: key, file: writePEM(t, filepath.Join(dir, name+".pem"), "CERTIFICATE", raw)}
}

// issue writes a certificate and its key for whoever is at this machine.
func (a authority) issue(t *testing.T, dir, name string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, filepath.Join(dir, name+".pem"), "CERTIFICATE", raw), writePEM(t, filepath.Join(dir, name+".key"), "PRIVATE KEY", private)
}

func writePEM(t *testing.T, file, kind string, raw []byte) string {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
