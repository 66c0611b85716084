//go:build unix

package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/bundle-delivery/svc/internal/toolbox"
)

// The keys of the S3 server. They open nothing but it.
const (
	accessKey = "svc-cluster-access"
	secretKey = "svc-cluster-secret"
	region    = "us-east-1"
)

func newS3(ctx context.Context, dir, address string) (*Process, error) {
	program, err := toolbox.Build(ctx, toolbox.S3())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("prepare S3: %w", err)
	}
	return &Process{
		Name: "s3", Address: address, LogFile: dir + ".log", program: program, dir: dir,
		args: []string{
			"--port", address, "--access", accessKey, "--secret", secretKey,
			"--region", region, "--keep-alive", "--quiet", "posix", dir,
		},
		stop: syscall.SIGTERM, kill: syscall.SIGKILL,
		ready: func(ctx context.Context) error { return Dial(ctx, address) },
	}, nil
}

func bucketURL(address, bucket string) string {
	return fmt.Sprintf("s3://%s?endpoint=http://%s&region=%s", bucket, address, region)
}

func makeBucket(ctx context.Context, address, bucket string) error {
	client, err := minio.New(address, &minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, ""), Region: region})
	if err != nil {
		return err
	}
	return client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{Region: region})
}

// Dial says whether somebody listens.
func Dial(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
