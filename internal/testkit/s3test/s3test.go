// Package s3test gives tests an S3 of their own.
//
// Its law: the server is versitygw, built once from tools/s3 into bin/tools (see
// package toolbox); it is private to the test that starts it, listens on the
// loopback and is gone with the test. Where it cannot be built a test is skipped,
// loudly; with CI=true that is a failure.
package s3test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// The keys of the server, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. They
// open nothing else.
const (
	AccessKey = "svc-test-access"
	SecretKey = "svc-test-secret"
	Region    = "us-east-1"
)

// New prepares a server that keeps objects as files below an empty folder.
func New(ctx context.Context, dir, address string) (*harness.Process, error) {
	program, err := toolbox.Build(ctx, toolbox.S3())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", needs.ErrMissing, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("prepare S3: %w", err)
	}
	return &harness.Process{
		Name: "s3", Address: address, LogFile: dir + ".log",
		Command: func() *exec.Cmd {
			return exec.Command(program, "--port", address, "--access", AccessKey, "--secret", SecretKey,
				"--region", Region, "--keep-alive", "--quiet", "posix", dir)
		},
		Ready: harness.Listening("tcp", address),
	}, nil
}

// URL is the address of a bucket.
func URL(address, bucket string) string {
	return fmt.Sprintf("s3://%s?endpoint=http://%s&region=%s", bucket, address, Region)
}

// MakeBucket makes an empty bucket.
func MakeBucket(ctx context.Context, address, bucket string) error {
	client, err := connect(address)
	if err != nil {
		return err
	}
	return client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{Region: Region})
}

func connect(address string) (*minio.Client, error) {
	return minio.New(address, &minio.Options{Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: Region, MaxRetries: 1})
}

// Server is a running S3.
type Server struct {
	*harness.Process
	Endpoint string // http://host:port
}

// Start starts a server that stops when the test ends, and sets the usual
// variables to its keys.
func Start(t testing.TB) *Server {
	t.Helper()
	address, err := toolbox.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(t.Context(), t.TempDir(), address)
	needs.Check(t, err)
	p.LogFile = filepath.Join(t.TempDir(), "s3.log")
	t.Setenv("AWS_ACCESS_KEY_ID", AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", SecretKey)
	p.ForTest(t)
	return &Server{p, "http://" + address}
}

// Bucket makes an empty bucket and gives its address.
func (s *Server) Bucket(t testing.TB, name string) string {
	t.Helper()
	if err := MakeBucket(t.Context(), s.Address, name); err != nil {
		t.Fatal(err)
	}
	return URL(s.Address, name)
}

// Uploads counts the uploads in a bucket that were never completed.
func (s *Server) Uploads(t testing.TB, bucket string) int {
	t.Helper()
	client, err := connect(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for upload := range client.ListIncompleteUploads(t.Context(), bucket, "", true) {
		if upload.Err != nil {
			t.Fatal(upload.Err)
		}
		n++
	}
	return n
}
