package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
)

// setting is how somebody looks at pages.
type setting struct {
	width, height int64
	theme, lang   string
}

func (s setting) String() string { return fmt.Sprintf("%d_%s_%s", s.width, s.theme, s.lang) }

// enough has each width, each theme and each language. French words are long, which is hardest in
// the narrowest window.
var enough = []setting{{320, 640, "light", "fr"}, {768, 1024, "dark", "en"}, {1280, 800, "light", "en"}}

// all combines phone and desktop with both themes and both languages.
func all() (combined []setting) {
	for _, lang := range []string{"en", "fr"} {
		for _, theme := range []string{"light", "dark"} {
			combined = append(combined, setting{320, 640, theme, lang}, setting{1280, 800, theme, lang})
		}
	}
	return combined
}

// printed is the setting in which every page is also printed: paper is white in each theme.
var printed = setting{1280, 800, "dark", "en"}

// maxPage is how many compressed bytes a page may have, with its style sheet and scripts and without
// pictures.
const maxPage = 60 << 10

// maxHTML is how many of them its HTML may be. A document is as long as its text.
const maxHTML = 12 << 10

// thirdPartyPages are those of Swagger UI and GraphiQL, which are larger.
var thirdPartyPages = map[string]bool{"api_docs": true, "api_docs_operation": true, "graphiql": true}

func TestEveryPageIsAccessibleFitsItsWindowAndIsSmall(t *testing.T) {
	t.Parallel()
	done := check{}
	defer done.keep(t)
	openCampus(t).visit(func(l look, visited bool) []setting {
		if visited || !deep.On() { // another state of a page; a run that is not deep sees each page in one setting
			return enough[len(l.name)%len(enough):][:1]
		}
		return enough
	}, func(b *tab, l look, s setting, visited bool) {
		if deep.On() || !visited && !thirdPartyPages[l.name] { // axe-core takes more time than all the rest
			b.accessible(l.name + " " + s.String())
			done.add(b, l, s)
		}
		if scrolls := b.evaluate("document.documentElement.scrollWidth - innerWidth"); scrolls != "0" {
			b.t.Errorf("%s %s is %s px wider than its window", l.name, s, scrolls)
		}
		if thirdPartyPages[l.name] {
			return
		}
		const sent = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource").filter(r => ["link", "script"].includes(r.initiatorType))]
			.reduce((sum, r) => sum + r.encodedBodySize, 0)`
		if size, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](sent)); err != nil || size > maxPage || size == 0 {
			b.t.Errorf("%s has %d bytes, %v", l.name, size, err)
		}
		const html = `performance.getEntriesByType("navigation")[0].encodedBodySize`
		if size, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](html)); err != nil || size > maxHTML && !strings.HasPrefix(l.name, "docs") {
			b.t.Errorf("the HTML of %s has %d bytes, %v", l.name, size, err)
		}
	})
}

// `go tool task screenshots:all` runs this test, which takes a few minutes.
func TestAPictureOfEveryPageIsTaken(t *testing.T) {
	dir := os.Getenv("OCTAVO_SCREENSHOTS")
	if dir == "" {
		t.Skip("OCTAVO_SCREENSHOTS names no folder to write them to")
	}
	openCampus(t).visit(func(look, bool) []setting { return all() }, func(b *tab, l look, s setting, _ bool) {
		b.accessible(l.name + " " + s.String())
		name := filepath.Join(dir, l.name+"_"+s.String())
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(name+".png", picture, 0o600); err != nil {
			b.t.Fatal(err)
		}
		if s != printed {
			return
		}
		paper, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(name+".pdf", paper, 0o600); err != nil {
			b.t.Fatal(err)
		}
	})
}

// visit opens every page in one browser, once for each language, and then looks at it in some
// settings. Both may depend on whether its path was visited before.
func (c *campus) visit(settings func(l look, visited bool) []setting, see func(b *tab, l look, s setting, visited bool)) {
	c.t.Helper()
	only, visited := os.Getenv("OCTAVO_LOOK_AT"), map[string]bool{}
	b := openBrowserThat(c.t, c.URL, isRefusal)
	all := c.looks(c.t)
	for _, role := range slices.Sorted(maps.Keys(all)) {
		b.be(c.people[role])
		for _, l := range all[role] {
			if !strings.Contains(l.name, only) {
				continue
			}
			path, _, _ := strings.Cut(l.path, "?")
			again := visited[path]
			opened, inSettings := "", settings(l, again)
			visited[path] = true
			for _, s := range inSettings {
				b.see(s)
				if opened != s.lang || thirdPartyPages[l.name] { // a script follows the theme of those
					b.show(l)
					opened = s.lang
				}
				see(b, l, s, again)
			}
		}
	}
}

// isRefusal reports whether a message says that a page has the status of an error, which some
// pages of the list have.
func isRefusal(m chromedp.ConsoleMessage) bool {
	return strings.HasPrefix(m.Text, "Failed to load resource: the server responded with a status of 4") && !strings.Contains(m.URL, "/static/")
}

// be gives the browser the cookies of a person, nil for a visitor.
func (b *tab) be(p *person) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
		b.t.Fatal(err)
	}
	if p == nil {
		return
	}
	at, err := url.Parse(b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, cookie := range p.http.Jar.Cookies(at) {
		b.cookie(cookie.Name, cookie.Value)
	}
}

func (b *tab) cookie(name, value string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: b.url}); err != nil {
		b.t.Fatal(err)
	}
}

// see changes the window, the theme and the language of the pages that are opened from now on.
func (b *tab) see(s setting) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(s.width, s.height))
	b.cookie("octavo_lang", s.lang)
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// show opens a page, or submits the form that leads to it.
func (b *tab) show(l look) {
	b.t.Helper()
	if l.post == nil {
		b.open(l.path)
	} else {
		fields, err := json.Marshal(l.post)
		if err != nil {
			b.t.Fatal(err)
		}
		b.open("/help")
		b.evaluate(fmt.Sprintf(`(() => {
			document.querySelector("main").remove()
			const form = document.body.appendChild(document.createElement("form"))
			form.method = "post"; form.action = %q
			for (const [name, value] of Object.entries(%s)) { form.append(Object.assign(document.createElement("input"), {name, value})) }
			form.submit()
		})()`, l.path, fields))
	}
	ready := l.ready
	if ready == "" {
		ready = `document.querySelector("main") != null`
	}
	b.await("String("+ready+")", "true")
}
