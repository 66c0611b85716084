package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// stored is ~/.svc/config.json.
type stored struct {
	APIURL string `json:"api_url,omitempty"`
	APIKey string `json:"api_key,omitempty"`
	CAFile string `json:"ca_file,omitempty"`
}

// home is the user's home folder, or "".
func (a *app) home() string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	return a.Getenv(name)
}

func (a *app) configPath() (string, error) {
	home := a.home()
	if home == "" {
		return "", errors.New("there is no home folder to keep credentials in; set HOME, or give --api-key and --api-url")
	}
	return filepath.Join(home, ".svc", "config.json"), nil
}

// readStored reads the stored credentials. None are no error.
func (a *app) readStored() (stored, error) {
	var s stored
	path, err := a.configPath()
	if err != nil {
		return s, nil //nolint:nilerr // without a home folder nothing is stored
	}
	text, err := pull.ReadFile(path)
	if err != nil || text == nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s cannot be read (%w); delete it and run svc auth again", path, err)
	}
	return s, nil
}

// writeStored replaces the stored credentials as a whole, readable by the user
// alone.
func (a *app) writeStored(s stored) (string, error) {
	path, err := a.configPath()
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(s, "", "  ") //nolint:gosec // keeping the key is what the file is for
	if err != nil {
		return "", err
	}
	return path, pull.ReplaceFile(path, append(text, '\n'))
}

// credentials are what a request is made with: flag, then environment, then
// file, each on its own. A file that cannot be read matters only if the key or
// the address is looked for in it.
func (a *app) credentials(tell func(pull.Note)) (stored, error) {
	if a.caFile == "" {
		if err := a.checkNotEmpty("SVC_CA_FILE"); err != nil {
			return stored{}, err
		}
	}
	s := stored{
		APIURL: cmp.Or(a.apiURL, a.Getenv("SVC_API_URL")),
		APIKey: cmp.Or(a.apiKey, a.Getenv("SVC_TOKEN")),
		CAFile: cmp.Or(a.caFile, a.Getenv("SVC_CA_FILE")),
	}
	if s.APIURL == "" || s.APIKey == "" || s.CAFile == "" {
		kept, err := a.readStored()
		if err != nil && (s.APIURL == "" || s.APIKey == "") {
			return s, err
		}
		if err != nil {
			tell(pull.Note{Warning: true, Text: err.Error()})
			kept = stored{}
		}
		s.APIURL, s.APIKey, s.CAFile = cmp.Or(s.APIURL, kept.APIURL), cmp.Or(s.APIKey, kept.APIKey), cmp.Or(s.CAFile, kept.CAFile)
	}
	switch {
	case s.APIKey == "":
		return s, errors.New("no API key is known; store one with svc auth --api-key <key> --api-url <address>, or set SVC_TOKEN")
	case s.APIURL == "":
		return s, errors.New("no address of the service is known; store one with svc auth --api-key <key> --api-url <address>, or set SVC_API_URL")
	}
	if _, ok := svc.ParseKey(s.APIKey); !ok {
		return s, errors.New("the API key is malformed: it has the form svc_<prefix8>_<hex32>, without white space; copy it again from the console")
	}
	return s, nil
}

// client makes a client of the service.
func (a *app) client() (*client.Client, error) { return a.connect(a.tell) }

// connect returns a client of the service; tell receives what a person should know.
func (a *app) connect(tell func(pull.Note)) (*client.Client, error) {
	s, err := a.credentials(tell)
	if err != nil {
		return nil, err
	}
	return a.clientOf(s, tell)
}

func (a *app) clientOf(s stored, tell func(pull.Note)) (*client.Client, error) {
	return client.New(client.Options{
		BaseURL: s.APIURL, APIKey: s.APIKey, CAFile: s.CAFile,
		UserAgent: "svc/" + programVersion(),
		Wait: func(ctx context.Context, pause time.Duration, reason error) error {
			return a.wait(ctx, tell, pause, reason)
		},
	})
}

// wait pauses with a countdown where somebody can see it.
func (a *app) wait(ctx context.Context, tell func(pull.Note), pause time.Duration, reason error) error {
	why := strings.TrimRight(oneLine(reason), ".")
	if !a.term.errTTY {
		tell(pull.Note{Text: fmt.Sprintf("Trying again in %s: %s", pause.Round(100*time.Millisecond), why)})
	}
	defer a.term.clear()
	end := time.Now().Add(pause)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		left := time.Until(end).Round(time.Second)
		a.term.status("Trying again in %s: %s", left, why) // the reason may not fit
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-tick.C:
		}
	}
}
