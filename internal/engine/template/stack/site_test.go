package stack_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// sites are specs with every text, with some, and with none.
var sites = map[string]string{
	"bakery": `site, name golden-crust, license mit
section menu: Bread 4.20; Croissant 2.10; Cake 3.50
section our story: We bake at night; you eat in the morning.
section prices: Bread 4.20 / Croissant 2.10
section opening hours
section find us
section contact: Ring twice.
text title: Golden Crust
text tagline: Bread since 1953
text phone: +44 (0)117 496 0123
text email: hello@goldencrust.example
text address: 5 St. John's Road, Bristol
text hours: Tue-Fri 7-17; Sat 7-13
text link: https://order.goldencrust.example/now`,
	"wedding": "site, name ada-and-bo\nsection our day\nsection gifts\ntext email: ada@example.com\ntext address: 12 Lake Road",
	"bare":    "site\nsection about",
	"twins":   "site\nsection café\nsection cafe\nsection cafe title\nsection top\nsection 日本\nsection 中国\nsection content\nsection navigation",
	"hostile": `site
section "<script>alert(1)</script>": "</main><!-- {{.Title}} --> & &amp;amp ' \" onload=\"x\" {{define \"x\"}}"
section "x\" onclick=\"alert(1)": "${PORT} $(id) */ url(x) \\"
section contact
text title: "</title><img src=x onerror=alert(1)> \"'{{.}}"
text tagline: "\"><script src=//x></script>"
text address: "<b>; <i>"
text email: "o'neil+b@example.com"
text link: "https://example.com/?a=1&b=%22'()"
`,
}

// Promise: template-builds
func TestSitesPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	need(t, "node")
	for name, text := range sites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := parsed(t, text)
			dir := project(t, s)
			if out := command(t, dir, nil, "npm", "test"); !strings.Contains(out, "# fail 0") || !strings.Contains(out, "# pass 7") {
				t.Error(out)
			}
			var manifest struct{ Name, Description, License string }
			if err := json.Unmarshal([]byte(read(t, dir, "package.json")), &manifest); err != nil || manifest.Name != s.Name {
				t.Errorf("package.json: %+v, %v", manifest, err)
			}
		})
	}
}

func read(t *testing.T, dir, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shown is what a browser makes of a page.
type shown struct {
	texts    []string // in the order of the page, with the elements around them
	links    []string
	elements map[string]int
	handlers []string // attributes that run code
}

func show(t *testing.T, page string) (out shown) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	out.elements = map[string]int{}
	var walk func(n *html.Node, in string)
	walk = func(n *html.Node, in string) {
		switch text := strings.TrimSpace(n.Data); {
		case n.Type == html.TextNode && text != "":
			out.texts = append(out.texts, strings.TrimSpace(in)+": "+text)
		case n.Type == html.ElementNode:
			out.elements[n.Data]++
			for _, a := range n.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on") || a.Key == "style":
					out.handlers = append(out.handlers, a.Key)
				case n.Data == "a" && a.Key == "href" && a.Val[0] != '#':
					out.links = append(out.links, a.Val)
				case n.Data == "section" && a.Key == "id":
					in = a.Val
				}
			}
			if slices.Contains([]string{"title", "nav", "header", "footer", "button"}, n.Data) {
				in = n.Data
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, in)
		}
	}
	walk(root, "")
	return out
}

// A page has what its spec has, where a visitor looks for it, and nothing else.
// Promise: template-site-texts
func TestPagesShowWhatWasGiven(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]shown{
		"bakery": {
			texts: []string{
				"title: Golden Crust", ": Skip to content", "button: Menu",
				"nav: Menu", "nav: Our story", "nav: Prices", "nav: Opening hours", "nav: Find us", "nav: Contact",
				"header: Golden Crust", "header: Bread since 1953", "header: order.goldencrust.example/now",
				"menu: Menu", "menu: Bread 4.20", "menu: Croissant 2.10", "menu: Cake 3.50",
				"our-story: Our story", "our-story: We bake at night; you eat in the morning.",
				"prices: Prices", "prices: Bread 4.20 / Croissant 2.10",
				"opening-hours: Opening hours", "opening-hours: Tue-Fri 7-17", "opening-hours: Sat 7-13",
				"find-us: Find us", "find-us: 5 St. John's Road, Bristol",
				"contact: Contact", "contact: Ring twice.", "contact: +44 (0)117 496 0123", "contact: hello@goldencrust.example", "contact: order.goldencrust.example/now",
				"footer: Golden Crust",
			},
			links: []string{"https://order.goldencrust.example/now", "tel:+441174960123", "mailto:hello@goldencrust.example", "https://order.goldencrust.example/now"},
		},
		"wedding": {
			texts: []string{
				"title: Ada and Bo", ": Skip to content", "button: Menu", "nav: Our day", "nav: Gifts", "header: Ada and Bo",
				"our-day: Our day", "gifts: Gifts", "footer: Ada and Bo", "footer: ada@example.com", "footer: 12 Lake Road",
			},
			links: []string{"mailto:ada@example.com"},
		},
		"bare": {texts: []string{"title: Site", ": Skip to content", "header: Site", "about: About", "footer: Site"}},
		"hostile": {
			texts: []string{
				`title: </title><img src=x onerror=alert(1)> "'{{.}}`, ": Skip to content", "button: Menu",
				"nav: <script>alert(1)</script>", `nav: X" onclick="alert(1)`, "nav: Contact",
				`header: </title><img src=x onerror=alert(1)> "'{{.}}`, `header: "><script src=//x></script>`, "header: example.com/?a=1&b=%22'()",
				"script-alert-1-script: <script>alert(1)</script>", `script-alert-1-script: </main><!-- {{.Title}} --> & &amp;amp ' " onload="x" {{define "x"}}`,
				`x-onclick-alert-1: X" onclick="alert(1)`, `x-onclick-alert-1: ${PORT} $(id) */ url(x) \`,
				"contact: Contact", "contact: o'neil+b@example.com", "contact: example.com/?a=1&b=%22'()",
				`footer: </title><img src=x onerror=alert(1)> "'{{.}}`, "footer: <b>", "footer: <i>",
			},
			links: []string{"https://example.com/?a=1&b=%22'()", "mailto:o'neil+b@example.com", "https://example.com/?a=1&b=%22'()"},
		},
	} {
		got := show(t, read(t, project(t, parsed(t, sites[name])), "site/index.html"))
		if !slices.Equal(got.texts, want.texts) {
			t.Errorf("%s shows\n%q, want\n%q", name, got.texts, want.texts)
		}
		if !slices.Equal(got.links, want.links) {
			t.Errorf("%s links to %q, want %q", name, got.links, want.links)
		}
		if got.elements["script"] != 1 || got.elements["img"]+got.elements["b"] > 0 || len(got.handlers) > 0 {
			t.Errorf("%s has the elements %v and the attributes %q", name, got.elements, got.handlers)
		}
	}
}

// Nothing on a page comes from another server, and the headers forbid it.
func TestSitesLoadNothingFromOthers(t *testing.T) {
	t.Parallel()
	dir := project(t, parsed(t, sites["bare"]))
	for _, file := range []string{"site/index.html", "site/404.html", "site/styles.css", "site/app.js", "site/icon.svg"} {
		text := strings.ReplaceAll(read(t, dir, file), `xmlns="http://www.w3.org/2000/svg"`, "")
		if strings.Contains(text, "//fonts") || strings.Contains(text, "http") || strings.Contains(text, "@import") {
			t.Errorf("%s names another server:\n%s", file, text)
		}
	}
	if conf := read(t, dir, "nginx.conf"); !strings.Contains(conf, "default-src 'self';") || strings.Contains(conf, "unsafe") {
		t.Errorf("nginx.conf:\n%s", conf)
	}
}

// The name of a project chooses its look. Each one can be read by people who see little.
func TestPalettesCanBeRead(t *testing.T) {
	t.Parallel()
	color := regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)
	looks := map[string]bool{}
	for i := range 12 {
		s := parsed(t, sites["bare"])
		s.Name = fmt.Sprint("site-", i)
		dir := project(t, s)
		css := read(t, dir, "site/styles.css")
		if again := read(t, project(t, s), "site/styles.css"); again != css {
			t.Error("the look of a site changes by itself")
		}
		light, dark, ok := strings.Cut(css, "@media (prefers-color-scheme: dark)")
		looks[light] = true
		for scheme, text := range map[string]string{"light": light, "dark": dark} {
			colors := map[string]string{}
			for _, m := range color.FindAllStringSubmatch(text, -1) {
				colors[m[1]] = m[2]
			}
			for _, pair := range [][2]string{{"text", "back"}, {"text", "soft"}, {"muted", "back"}, {"muted", "soft"}, {"accent", "back"}, {"accent", "soft"}, {"on-accent", "accent"}} {
				if got := contrast(t, colors[pair[0]], colors[pair[1]]); !ok || got < 4.5 {
					t.Errorf("%s, %s: %s on %s has the contrast %.2f", s.Name, scheme, pair[0], pair[1], got)
				}
			}
		}
	}
	if len(looks) != 3 {
		t.Errorf("there are %d looks, want 3", len(looks))
	}
}

// contrast computes the ratio of WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(color string) (sum float64) {
		if len(color) != 7 {
			t.Fatalf("%q is not a colour", color)
		}
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
