package console

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// startNamed runs one process of the service under a name, as passkeys need it.
func startNamed(t *testing.T, flags ...string) *instance {
	t.Helper()
	address := lasting(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return startOne(t, filepath.Join(t.TempDir(), "data"), append([]string{"--listen", address, "--base-url", "https://localhost:" + port}, flags...)...)
}

// device plugs a device for passkeys into the browser.
func (b *browser) device() (id webauthn.AuthenticatorID) {
	b.t.Helper()
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		id, err = webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Ctap2version: webauthn.Ctap2versionCtap21, Transport: webauthn.AuthenticatorTransportUsb,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}).Do(ctx)
		return err
	}))
	return id
}

// passkey is the one that a device holds.
func (b *browser) passkey(device webauthn.AuthenticatorID) (found *webauthn.Credential) {
	b.t.Helper()
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		all, err := webauthn.GetCredentials(device).Do(ctx)
		if err == nil && len(all) != 1 {
			err = fmt.Errorf("the device holds %d passkeys", len(all))
		}
		if err == nil {
			found = all[0]
		}
		return err
	}))
	return found
}

func (b *browser) unplug(device webauthn.AuthenticatorID) {
	b.t.Helper()
	b.run(webauthn.RemoveVirtualAuthenticator(device))
}

// use presses a button of passkeys once the script has shown it.
func (b *browser) use(form string) {
	b.t.Helper()
	selector := "form[data-passkey='" + form + "'] button"
	b.see(selector)
	b.run(chromedp.Click(selector, chromedp.ByQuery))
}

// refusal waits for what the page says to a passkey.
func (b *browser) refusal() string {
	b.t.Helper()
	return b.text("form[data-passkey] [data-failure] span")
}

// signOut leaves, and stays at the sign-in page.
func (b *browser) signOut() {
	b.t.Helper()
	b.open("/console/settings")
	b.follow("Sign out", "Sign in")
}

// Promise: passkeys, passkey-copied
func TestPasskeysInABrowser(t *testing.T) {
	t.Parallel()
	i := startNamed(t)
	b := i.browse()
	b.run(webauthn.Enable())
	// The browser would offer passkeys by itself when the page for signing in is shown;
	// here somebody presses the button.
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`delete PublicKeyCredential.isConditionalMediationAvailable`).Do(ctx)
		return err
	}))

	// The first account is made with a passkey and no password.
	phone := b.device()
	b.open(i.setUpLink())
	b.titled("Set up your service")
	b.focused("email")
	b.press(email)
	b.look("link-passkey")
	b.use("create")
	b.titled("Overview")
	held := b.passkey(phone)
	if held.RpID != "localhost" || !held.IsResidentCredential || held.UserHandle == "" {
		t.Errorf("the device holds %+v", held)
	}

	// It signs in, and nothing else is asked for.
	b.signOut()
	b.look("sign-in-passkey")
	b.use("get")
	b.titled("Overview")
	b.open("/console/settings/passkeys")
	if names := b.text("#list ~ ul strong"); !strings.HasPrefix(names, "Chrome on Linux") {
		t.Errorf("the passkey is called %q", names)
	}

	// A second device, in a browser that does not read and write JSON itself.
	b.unplug(phone)
	laptop := b.device()
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`delete PublicKeyCredential.parseCreationOptionsFromJSON;
			delete PublicKeyCredential.parseRequestOptionsFromJSON; delete PublicKeyCredential.prototype.toJSON`).Do(ctx)
		return err
	}))
	b.open("/console/settings/passkeys")
	b.see("form[data-passkey] #name")
	b.run(chromedp.SetValue("#name", "laptop", chromedp.ByQuery))
	b.use("create")
	b.see(".notice.good")
	if names := b.eval("[...document.querySelectorAll('ul.plain strong')].map(e => e.textContent).join()"); names != "Chrome on Linux,laptop" {
		t.Errorf("the passkeys are %s", names)
	}
	b.look("passkeys")
	b.signOut()
	b.use("get")
	b.titled("Overview")

	// The first one is removed: it opens nothing any more, and the last one stays.
	b.open("/console/settings/passkeys")
	b.follow("Remove", "Passkeys")
	b.follow("Remove passkey", "Passkeys")
	b.see(".notice.good")
	b.follow("Remove", "Passkeys")
	b.follow("Remove passkey", "Passkeys")
	if said := b.text("#failure"); !strings.Contains(said, "last way to sign in") {
		t.Errorf("the last passkey: %q", said)
	}
	b.look("passkeys-refused")
	b.signOut()
	counted := b.passkey(laptop)
	b.unplug(laptop)
	phone = b.device()
	b.run(webauthn.AddCredential(phone, held))
	b.use("get")
	if said := b.refusal(); !strings.Contains(said, "not known here") {
		t.Errorf("a removed passkey: %q", said)
	}
	b.look("sign-in-unknown-passkey")

	// A copy whose counter is behind is refused, and it is in the log.
	b.unplug(phone)
	counted.SignCount = 1
	b.run(webauthn.AddCredential(b.device(), counted))
	b.use("get")
	eventually(t, "the copy is refused", func() bool {
		return strings.Contains(b.eval("document.querySelector('form[data-passkey] [data-failure] span').textContent"), "may have been copied")
	})
	if b.eval("document.cookie") != "" || !strings.Contains(i.printed(), "a passkey may have been copied") {
		t.Errorf("the log does not tell of the copy:\n%s", i.printed())
	}
	b.forgive("401")
	b.forgive("422")

	// Who did what is in the audit log, for its owner and by command.
	eventually(t, "the audit log tells of the copy", func() bool {
		return strings.Contains(i.operate("audit", "--json"), "passkey that may have been copied")
	})
	log := i.operate("audit", "--json")
	for _, action := range []string{"passkey_added", "passkey_removed"} {
		if !strings.Contains(log, `"`+action+`"`) {
			t.Errorf("the audit log has no %s:\n%s", action, log)
		}
	}
}

// Where the browser can, it is asked to offer passkeys in the field for the address.
// A browser without windows offers nothing, so that what the page asks for is noted
// in its place.
// Promise: passkeys
func TestTheSignInFieldOffersPasskeys(t *testing.T) {
	t.Parallel()
	i := startNamed(t)
	b := i.browse()
	i.setUp()
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`
			PublicKeyCredential.isConditionalMediationAvailable = async () => true;
			navigator.credentials.get = (options) => { window.asked = options; return new Promise(() => {}); };
		`).Do(ctx)
		return err
	}))
	b.open("/console/sign-in")
	eventually(t, "the browser is asked for passkeys", func() bool {
		return b.eval("String(window.asked?.mediation)") == "conditional"
	})
	if field := b.eval("document.querySelector('input[name=email]').autocomplete"); !strings.Contains(field, "webauthn") {
		t.Errorf("the field for the address is %q, and offers none", field)
	}
}
