package follow

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// followInBrowser opens the page behind the cutter in Chromium and lets it fetch.
func followInBrowser(t *testing.T, s *stage, stream string) (got followed, err error) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		return got, err
	}
	// The browser trusts this one key besides what it knows.
	trusted := sha256.Sum256(s.cutter.Certificate().RawSubjectPublicKeyInfo)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(program),
		chromedp.UserDataDir(harness.BrowserFolder(t)),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(trusted[:])),
		chromedp.WSURLReadTimeout(patience),
	)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	arguments, err := json.Marshal([]string{stream, s.key})
	if err != nil {
		return got, err
	}
	wait := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	err = chromedp.Run(ctx,
		chromedp.Navigate(s.cutter.URL+"/follow/page.html"),
		chromedp.Poll("window.ready", nil),
		chromedp.Evaluate(fmt.Sprintf("follow(...%s)", arguments), &got, wait),
	)
	// It is asked to end: one that is killed leaves helpers that still write.
	return got, errors.Join(err, chromedp.Cancel(ctx))
}
