package template_test

import "testing"

func TestStaticSitesPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	need(t, "node")
	p := begin(t, `A landing page called "Sunny Bakery" with a menu, opening hours and contact`, nil)
	for _, step := range []string{
		"", "add a pricing section and a gallery", "rename to <b>Tom & Co</b>", "remove the gallery and add all of about, faq, newsletter, location, team and events",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		command(t, p.write(t), nil, "npm", "test")
	}
}
