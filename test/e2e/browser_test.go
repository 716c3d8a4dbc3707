package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// tab is a page in a real browser. An error in its console fails the test, also a violation of
// the Content-Security-Policy.
type tab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp keeps the browser in it
	url string
	// scriptless is true once the pages' scripts are off.
	scriptless bool
	axeSource  string
	violations int // what accessible found
}

func openBrowser(t *testing.T, url string) *tab {
	t.Helper()
	return openBrowserThat(t, url, func(chromedp.ConsoleMessage) bool { return false })
}

// openBrowserThat returns a tab in which some messages of the console are expected.
func openBrowserThat(t *testing.T, url string, expects func(chromedp.ConsoleMessage) bool) *tab {
	t.Helper()
	path := servers.Need(t, "Chromium", "apt-get install chromium-headless-shell", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
	ctx, closeBrowser := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("force-prefers-reduced-motion", true))...) // tests of motion ask for it
	t.Cleanup(closeBrowser)
	ctx, closeTab := chromedp.NewContext(ctx)
	var reading sync.WaitGroup
	t.Cleanup(func() {
		closeTab()
		reading.Wait()
	})
	messages := chromedp.Console(ctx)
	reading.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if (m.Type == "error" || m.IsException()) && !expects(m) {
				t.Errorf("an error in the console of the browser: %s (%s)", m.Text, m.URL)
			}
		}
	})
	b := &tab{t: t, ctx: ctx, url: url}
	b.do(chromedp.Navigate("about:blank"))
	return b
}

// do runs steps within three minutes: a busy machine needs one for a large page.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx := b.ctx
	if chromedp.FromContext(ctx) != nil && chromedp.FromContext(ctx).Target != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
		defer cancel()
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("in the browser: %v", err)
	}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + path))
}

// text waits until the page shows a text.
func (b *tab) text(want string) {
	b.t.Helper()
	b.await("document.body.innerText", want)
}

// await waits until the value of an expression on the loaded page contains a text.
func (b *tab) await(expression, want string) {
	b.t.Helper()
	got := ""
	if !poll.Until(func() bool {
		var err error
		got, err = chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.readyState == 'complete' ? "+expression+" : ''"))
		return err == nil && strings.Contains(got, want)
	}) {
		b.t.Fatalf("the page does not show %q but:\n%s", want, got)
	}
}

// header waits until the header of the page shows a link.
func (b *tab) header(link string) {
	b.t.Helper()
	b.await(`[...document.querySelectorAll("header a")].map(a => a.innerText).join("\n")`, link)
}

// accessible requires that axe-core finds no violation of WCAG 2, level A or AA, in the page.
func (b *tab) accessible(name string) {
	b.t.Helper()
	if b.scriptless { // axe-core needs timers, and the page is the same
		return
	}
	if b.evaluate("typeof axe") != "object" {
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](b.axe()+"; true")); err != nil {
			b.t.Fatal(err)
		}
	}
	const run = `(window.axeSays = "", axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"]}).then(
		r => { window.axeSays = "violations: " + JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join("; "))) },
		e => { window.axeSays = "violations: " + e }), "started")`
	b.evaluate(run)
	b.await("window.axeSays", "violations: ")
	if found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("window.axeSays")); err != nil || found != "violations: []" {
		b.violations++
		b.t.Errorf("%s is not accessible: %s, %v", name, found, err)
	}
}

// axe returns the source of axe-core.
func (b *tab) axe() string {
	b.t.Helper()
	if b.axeSource == "" {
		source, err := os.ReadFile(filepath.Join(fromNPM(b.t, "sdks"), "node_modules/axe-core/axe.min.js"))
		if err != nil {
			b.t.Fatal(err)
		}
		b.axeSource = string(source)
	}
	return b.axeSource
}

// keep checks that the page is accessible and writes a screenshot of it.
func (b *tab) keep(name string) {
	b.t.Helper()
	b.accessible(name)
	b.picture(name)
}

// picture writes a screenshot of the page to the folder OCTAVO_SCREENSHOTS.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("OCTAVO_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func TestAStudentConfirmsAndBrowsesTheMarketInABrowser(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	anyone := e2e.Client{URL: s.URL}
	anyone.Must(t, 201, "POST", "/api/auth/signup", map[string]string{
		"email": "zoe@campus.edu", "password": e2e.Password, "firstName": "Zoé", "lastName": "Young",
		"university": "Campus", "campusMailbox": "1", "paymentUsername": "zoe"})
	mail := s.Mail("zoe@campus.edu", "verification")
	b := openBrowser(t, s.URL)

	b.do(chromedp.Navigate(*mail.Link))
	b.header("Sign in")
	anyone.Must(t, 401, "POST", "/api/auth/login", map[string]string{"email": "zoe@campus.edu", "password": e2e.Password})
	b.do(chromedp.Click(chromedp.CSS("form button")))
	b.text("confirmed")
	b.keep("confirmed")
	zoe := s.Login("zoe@campus.edu")
	zoe.Post(t, "Linear Algebra <and> Its Applications", "MTH 165")

	b.open("/")
	b.text("Linear Algebra <and> Its Applications")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=q]"), "mth-165\r"))
	b.await("location.search", "mth-165")
	b.text("Linear Algebra <and> Its Applications")

	b.open("/dev/mail")
	b.text("zoe@campus.edu")
}
