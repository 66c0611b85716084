package client

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// depot serves an archive like the service does, and breaks as it is told.
type depot struct {
	content  []byte
	etag     string
	requests []string                                                        // Range and If-Range of each
	fault    func(n int, w http.ResponseWriter, r *http.Request) (done bool) // n counts from 1
}

func newDepot(size int) *depot {
	d := &depot{etag: `"one"`, content: make([]byte, size)}
	for i := range d.content {
		d.content[i] = byte(i * 7 >> 3)
	}
	return d
}

func (d *depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.requests = append(d.requests, r.Header.Get("Range")+" "+r.Header.Get("If-Range"))
	if d.fault != nil && d.fault(len(d.requests), w, r) {
		return
	}
	d.serve(w, r)
}

func (d *depot) serve(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256(d.content)
	w.Header().Set("ETag", d.etag)
	w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.content))
}

// cut answers with the archive from where it was asked for and breaks off.
func (d *depot) cut(w http.ResponseWriter, from, n int) bool {
	sum := sha256.Sum256(d.content)
	w.Header().Set("ETag", d.etag)
	w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	w.Header().Set("Content-Length", strconv.Itoa(len(d.content)-from))
	if from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(d.content)-1, len(d.content)))
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(d.content[from : from+n])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func fetch(t *testing.T, r *rig) ([]byte, error) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "bundle.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := r.Download(t.Context(), testBundle, file, nil)
	if err != nil {
		return nil, err
	}
	content, readErr := os.ReadFile(file.Name())
	if readErr != nil || int64(len(content)) != got.Size || got.SHA256 != fmt.Sprintf("%x", sha256.Sum256(content)) {
		t.Errorf("%+v, file %d bytes, %v", got, len(content), readErr)
	}
	return content, err
}

// Promise: pull-network, pull-resumes
func TestDownload(t *testing.T) {
	refuse := func(status int) func(int, http.ResponseWriter, *http.Request) bool {
		return func(_ int, w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true }
	}
	tests := map[string]struct {
		fault    func(d *depot) func(n int, w http.ResponseWriter, r *http.Request) bool
		requests []string
		waits    int
		status   int // of the failure, or -1 for the network's
	}{
		"in one go": {requests: []string{" "}},
		"resumed": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(n int, w http.ResponseWriter, _ *http.Request) bool {
					switch n {
					case 1:
						return d.cut(w, 0, 1000)
					case 2:
						return d.cut(w, 1000, 500)
					}
					return false
				}
			},
			requests: []string{" ", `bytes=1000- "one"`, `bytes=1500- "one"`}, waits: 2,
		},
		"another archive in between": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(n int, w http.ResponseWriter, _ *http.Request) bool {
					if n == 1 {
						defer func() { d.etag = `"two"`; d.content = bytes.Repeat([]byte("x"), 4000) }()
						return d.cut(w, 0, 1000)
					}
					return false
				}
			},
			requests: []string{" ", `bytes=1000- "one"`}, waits: 1,
		},
		"a wrong range": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(n int, w http.ResponseWriter, _ *http.Request) bool {
					switch n {
					case 1:
						return d.cut(w, 0, 1000)
					case 2:
						w.Header().Set("Content-Range", "bytes 900-4095/4096")
						w.WriteHeader(http.StatusPartialContent)
						return true
					}
					return false
				}
			},
			requests: []string{" ", `bytes=1000- "one"`, " "}, waits: 2,
		},
		"range not satisfiable": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(n int, w http.ResponseWriter, r *http.Request) bool {
					switch n {
					case 1:
						return d.cut(w, 0, 1000)
					case 2:
						return refuse(http.StatusRequestedRangeNotSatisfiable)(n, w, r)
					}
					return false
				}
			},
			requests: []string{" ", `bytes=1000- "one"`, " "}, waits: 2,
		},
		"always away": {
			fault:    func(*depot) func(int, http.ResponseWriter, *http.Request) bool { return refuse(503) },
			requests: []string{" ", " ", " ", " ", " "}, waits: 4, status: 503,
		},
		"not found is not tried again": {
			fault:    func(*depot) func(int, http.ResponseWriter, *http.Request) bool { return refuse(404) },
			requests: []string{" "}, status: 404,
		},
		"gone is not tried again": {
			fault:    func(*depot) func(int, http.ResponseWriter, *http.Request) bool { return refuse(410) },
			requests: []string{" "}, status: 410,
		},
		"digest never right": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(_ int, w http.ResponseWriter, r *http.Request) bool {
					w.Header().Set("ETag", d.etag)
					w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(make([]byte, 32))+":")
					http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.content))
					return true
				}
			},
			requests: []string{" ", " ", " ", " ", " "}, waits: 4, status: -1,
		},
		"no length, and a break": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(n int, w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("ETag", d.etag)
					_ = http.NewResponseController(w).Flush()
					if _, _ = w.Write(d.content[:1000]); n == 1 {
						_ = http.NewResponseController(w).Flush()
						panic(http.ErrAbortHandler)
					}
					_, _ = w.Write(d.content[1000:])
					return true
				}
			},
			requests: []string{" ", " "}, waits: 1,
		},
		"a digest that is none": {
			fault: func(d *depot) func(int, http.ResponseWriter, *http.Request) bool {
				return func(n int, w http.ResponseWriter, _ *http.Request) bool {
					if n > 1 {
						return false
					}
					w.Header().Set("Repr-Digest", "sha-256=:!!:")
					_, _ = w.Write(d.content)
					return true
				}
			},
			requests: []string{" ", " "}, waits: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDepot(4096)
			if test.fault != nil {
				d.fault = test.fault(d)
			}
			r := newRig(t, d.ServeHTTP)
			got, err := fetch(t, r)
			switch {
			case test.status == 0 && (err != nil || !bytes.Equal(got, d.content)):
				t.Errorf("%d bytes, %v", len(got), err)
			case test.status > 0 && StatusOf(err) != test.status:
				t.Errorf("error %v", err)
			case test.status < 0:
				if _, ok := errors.AsType[*NetworkError](err); !ok {
					t.Errorf("error %v", err)
				}
			}
			if diff := cmp.Diff(test.requests, d.requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if len(r.waits) != test.waits {
				t.Errorf("waits %v", r.waits)
			}
		})
	}
}

// Promise: pull-network
func TestDownloadGivesUpAfterItsTime(t *testing.T) {
	d := newDepot(10)
	d.fault = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	r := newRig(t, d.ServeHTTP)
	r.step = 11 * time.Second
	if _, err := fetch(t, r); StatusOf(err) != 500 {
		t.Errorf("error %v", err)
	}
	if len(d.requests) != 3 {
		t.Errorf("%d requests although each takes 11 of the 20 seconds", len(d.requests))
	}
}

func TestDownloadRefusesTheEndless(t *testing.T) {
	requests := 0
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Content-Length", strconv.Itoa(MaxArchive+1))
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
	})
	if _, err := fetch(t, r); !errors.Is(err, ErrArchiveTooLarge) || requests != 1 {
		t.Errorf("error %v after %d requests", err, requests)
	}
	if want := strconv.Itoa(MaxArchive>>20) + " MiB"; !strings.Contains(ErrArchiveTooLarge.Error(), want) {
		t.Errorf("%q does not say %s", ErrArchiveTooLarge, want)
	}
}

func TestDownloadTellsProgress(t *testing.T) {
	d := newDepot(300 << 10)
	r := newRig(t, d.ServeHTTP)
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var last, total int64
	_, err = r.Download(t.Context(), testBundle, file, func(have, of int64) {
		if have <= last {
			t.Errorf("progress goes from %d to %d", last, have)
		}
		last, total = have, of
	})
	if err != nil || last != 300<<10 || total != last {
		t.Errorf("%d of %d, %v", last, total, err)
	}
}
