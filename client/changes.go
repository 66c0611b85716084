package client

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/bundle-delivery/svc/internal/web/api"
)

// Changes is what somebody changed in a project, for Push.
type Changes struct {
	// Base is the state that the changes were made on: the SHA-256 of the archive
	// that was downloaded, in lower-case hexadecimal, or the State of the last push.
	Base string
	// Deleted are the paths of files that go.
	Deleted []string
}

// Note writes the changes.json of an archive of changes.
func (c Changes) Note() ([]byte, error) {
	if c.Deleted == nil {
		c.Deleted = []string{}
	}
	return json.Marshal(api.Changes{Version: api.ChangesVersion, Base: c.Base, Deleted: c.Deleted})
}

// Pushed is what a push did.
type Pushed struct {
	ProjectID string
	// State is the base of the next push.
	State                   string
	Changed, Added, Deleted int // files
	At                      time.Time
}

// slowestUpload is how many bytes of an archive have to leave in a second.
const slowestUpload = 64 << 10

// Push changes files of a project. The archive is a ZIP of changed and new files
// under their paths, and a changes.json with the Note of the changes. A push may be
// repeated as it is, whatever became of the answer.
//
// Codes of refusals: PROJECT_MOVED with the State that the project has now, and the
// BundleID of a bundle that holds it, if one waits; PROJECT_BUSY with the
// GenerationID of the run that is at work.
func (c *Client) Push(ctx context.Context, projectID string, archive []byte, idempotencyKey string) (Pushed, error) {
	var out api.Pushed
	err := c.retryWhenLimited(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(len(archive)/slowestUpload)*time.Second)
		defer cancel()
		req, err := c.request(ctx, http.MethodPost, api.RouteProjects+"/"+url.PathEscape(projectID)+"/changes", nil, archive)
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", api.MediaTypeZIP)
		maps.Copy(req.Header, idempotent(idempotencyKey))
		return c.exchange(req, &out)
	})
	return Pushed{
		ProjectID: out.ProjectID, State: out.State, Changed: out.Changed, Added: out.Added, Deleted: out.Deleted, At: time.Time(out.PushedAt),
	}, err
}
