package s3blob_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/store/s3blob"
)

var svcTime = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

func TestAddresses(t *testing.T) {
	for _, address := range []string{
		"s3://bucket", "s3://bucket/", "s3://bucket/a/b?region=eu-west-1",
		"s3://bucket?endpoint=https://minio.example.com:9000", "s3://bucket?endpoint=127.0.0.1:9000&region=x", "s3://bucket?endpoint=http://localhost:1/",
		"s3://bucket?ca=/etc/ca.pem", "s3://bucket?endpoint=host&ca=ca.pem",
	} {
		if err := s3blob.Check(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, want := range map[string]string{
		"":                                 "looks like s3://",
		"bucket":                           "looks like s3://",
		"http://bucket":                    "looks like s3://",
		"s3://":                            "looks like s3://",
		"s3://user:secret@bucket":          "AWS_ACCESS_KEY_ID",
		"s3://bucket?colour=red":           `parameter "colour"`,
		"s3://bucket?region=a&region=b":    "twice",
		"s3://bucket?endpoint=ftp://x":     "looks like https://host:port",
		"s3://bucket?endpoint=https://x/y": "looks like https://host:port",
		"s3://bucket?endpoint=http://x&ca=/etc/ca.pem": "use https://",
		"s3://bucket/../x":                  "may not be",
		"s3://bucket?endpoint=https://a:b@": "looks like https://host:port",
	} {
		err := s3blob.Check(address)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", address, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: the error repeats the secret", address)
		}
	}
}
