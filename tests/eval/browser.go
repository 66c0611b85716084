package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// siteRoots are where a site's first page may lie.
var siteRoots = []string{".", "site", "public", "docs", "src", "dist", "www"}

func shows(words ...string) fact {
	return fact{what: "page", check: func(ctx context.Context, m *made) error {
		text := ""
		err := m.open(ctx, chromedp.Evaluate(`document.title + "\n" + document.body.innerText`, &text))
		for _, each := range words {
			if err == nil && !named(text, each) {
				err = fmt.Errorf("the page does not show %q", each)
			}
		}
		return err
	}}
}

func asks(what string) fact {
	return fact{what: what, check: func(ctx context.Context, m *made) error {
		forms := 0
		err := m.open(ctx, chromedp.Evaluate(`document.querySelectorAll("form input, form textarea").length`, &forms))
		if err == nil && forms == 0 {
			err = errors.New("the page has no form")
		}
		return err
	}}
}

// open opens the first page in Chromium. Everything that the page asks for has
// to be there, and so has every place that its links lead to.
func (m *made) open(ctx context.Context, then chromedp.Action) error {
	root := ""
	for _, dir := range siteRoots {
		if _, ok := m.files[path.Join(dir, "index.html")]; ok {
			root = dir
			break
		}
	}
	if root == "" {
		return errors.New("there is no index.html")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(m.dir, root))))
	defer server.Close()
	profile, err := os.MkdirTemp("", "svc-eval-browser-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(profile) }() // parts of a browser write when it has ended already
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.UserDataDir(profile), chromedp.WSURLReadTimeout(2*time.Minute), chromedp.Flag("disable-dev-shm-usage", true))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	missing := make(chan string, 100)
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*network.EventResponseReceived); ok && e.Response.Status >= 400 {
			select {
			case missing <- e.Response.URL:
			default:
			}
		}
	})
	broken := []string{}
	err = chromedp.Run(ctx, network.Enable(), chromedp.Navigate(server.URL+"/"), then, chromedp.Evaluate(`
		[...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute("href").slice(1)).filter(id => id && !document.getElementById(id))`, &broken))
	select {
	case url := <-missing:
		err = errors.Join(err, fmt.Errorf("the page asks for %s, which is not there", url))
	default:
	}
	if len(broken) > 0 {
		err = errors.Join(err, fmt.Errorf("links lead to no place in the page: %q", broken))
	}
	return errors.Join(err, chromedp.Cancel(ctx))
}
