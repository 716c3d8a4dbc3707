package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browse opens a browser that a test drives; it closes when the test ends.
func browse(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is needed for this test: install it (Debian: apt-get install chromium)")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// The page in development needs nothing from elsewhere: it shows the schema,
// signs in, keeps the token and asks who that is.
func TestThePageRunsOperations(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	s := startAuth(t)
	p := s.member(t, byBearer, "page")
	ctx := browse(t)
	messages := chromedp.Console(ctx)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.URL+"/graphql")); err != nil {
		t.Fatal(err)
	}
	wait := func(what, expression string) {
		t.Helper()
		if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression)); err != nil {
			text, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
			t.Fatalf("%s: %v\n%s", what, err, text)
		}
	}
	wait("the schema", `document.querySelector("#docs").textContent.includes("revokeOtherSessions: Int!")`)
	set := func(field, value string) {
		t.Helper()
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](fmt.Sprintf("document.getElementById(%q).value = %q", field, value))); err != nil {
			t.Fatal(err)
		}
	}
	press := func() {
		t.Helper()
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](`document.getElementById("run").click()`)); err != nil {
			t.Fatal(err)
		}
	}
	set("query", `mutation In($e: String!, $p: String!) { signIn(email: $e, password: $p) { accessToken } }`)
	set("variables", fmt.Sprintf(`{"e": %q, "p": %q}`, p.email, password))
	press()
	wait("signing in", `document.getElementById("answer").textContent.includes('"accessToken"')`)
	set("query", "{ me { email } }")
	set("variables", "")
	press()
	wait("me", fmt.Sprintf(`document.getElementById("answer").textContent.includes(%q)`, p.email))
	set("variables", "{")
	press()
	wait("bad variables", `document.getElementById("answer").textContent.startsWith("The variables are not JSON")`)
	if dir := os.Getenv("OCTAVO_SCREENSHOTS"); dir != "" {
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil || os.WriteFile(dir+"/graphql.png", shot, 0o600) != nil {
			t.Error("no screenshot", err)
		}
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](`console.log("the end")`)); err != nil {
		t.Fatal(err)
	}
	for m, err := range messages {
		if err != nil || m.Text == "the end" {
			break
		}
		t.Errorf("the browser says: %s", m)
	}
}
