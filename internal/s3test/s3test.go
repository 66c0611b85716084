// Package s3test gives tests an S3 of their own.
//
// Its law: the server is versitygw, built once from tools/s3 into bin/tools (see
// package toolbox); it is private to the test that starts it, listens on the loopback and is gone
// with the test. Where it cannot be built a test is skipped, loudly; with
// CI=true that is a failure.
package s3test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os/exec"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/bundle-delivery/svc/internal/needs"
	"github.com/bundle-delivery/svc/internal/toolbox"
)

// The keys of the server, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
const (
	AccessKey = "svc-test-access"
	SecretKey = "svc-test-secret"
	Region    = "us-east-1"
)

// Server is a running S3.
type Server struct {
	Endpoint string // http://host:port
	client   *minio.Client
}

// Start starts a server that stops when the test ends, and sets the usual
// variables to its keys.
func Start(t testing.TB) *Server {
	t.Helper()
	program, err := toolbox.Build(t.Context(), toolbox.S3())
	if err != nil {
		needs.Missing(t, "%v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", SecretKey)
	address, err := toolbox.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--port", address, "--access", AccessKey, "--secret", SecretKey,
		"--region", Region, "--keep-alive", "--quiet", "posix", t.TempDir())
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("versitygw said:\n%s", said.String())
		}
	})
	client, err := minio.New(address, &minio.Options{Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: Region, MaxRetries: 1})
	if err != nil {
		t.Fatal(err)
	}
	awaitListener(t, address)
	return &Server{Endpoint: "http://" + address, client: client}
}

// Bucket makes an empty bucket and gives its address.
func (s *Server) Bucket(t testing.TB, name string) string {
	t.Helper()
	if err := s.client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{Region: Region}); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("s3://%s?endpoint=%s&region=%s", name, s.Endpoint, Region)
}

// Uploads counts the uploads in a bucket that were never completed.
func (s *Server) Uploads(t testing.TB, bucket string) int {
	t.Helper()
	n := 0
	for upload := range s.client.ListIncompleteUploads(t.Context(), bucket, "", true) {
		if upload.Err != nil {
			t.Fatal(upload.Err)
		}
		n++
	}
	return n
}

func awaitListener(t testing.TB, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			_ = conn.Close() // it has shown what it was for
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("versitygw does not listen: %v", err)
		}
	}
}
