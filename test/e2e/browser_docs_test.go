package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// A violation of the Content-Security-Policy is logged to the console, which fails the test.
func TestTheDocsPageShowsEveryOperation(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	document := e2e.Client{URL: s.URL}.Must(t, 200, "GET", "/api/openapi.yaml", nil)
	operations := fmt.Sprintf("=%d=", strings.Count(string(document.Body), "operationId: "))
	b := openBrowser(t, s.URL)
	b.open("/api/docs")
	b.await(`"=" + document.querySelectorAll(".opblock").length + "="`, operations)
	b.picture("docs")
	for _, operation := range []string{"auth-signup", "books-postBook", "dashboard-getStatistics"} {
		b.presses("#operations-" + operation + " .opblock-summary-control")
	}
	for _, part := range []string{"For admins and owners.", "Also at /api/postBook.", `"password": "correct horse battery"`, `"code": "password_invalid"`} {
		b.text(part)
	}
	b.asksOnly(s.URL)
}

func TestLinesOfCodeStandBelowEachOtherInTheDocumentation(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "auth")
	b := openBrowser(t, s.URL)
	b.open("/docs/operations/backup")
	b.await(`String(document.querySelector("code.language-yaml").getClientRects().length >= 7)`, "true")
}

func TestTheDocsPageTriesAnOperationWithATokenAndWithASession(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada := s.Student("ada@campus.edu", "Ada")
	b := openBrowser(t, s.URL)
	b.open("/api/docs#/user/getUserData")
	b.presses(".btn.authorize")
	b.do(chromedp.SendKeys(chromedp.CSS(".auth-container input"), ada.Token))
	b.presses(".modal-btn.authorize")
	b.presses(".btn-done")
	b.triesOwnAccount()
	b.picture("docs-tried")
	b.asksOnly(s.URL)

	b.signIn("ada@campus.edu")
	b.open("/api/docs#/user/getUserData")
	b.triesOwnAccount()
}

// triesOwnAccount runs the operation that is open and waits for the response.
func (b *tab) triesOwnAccount() {
	b.t.Helper()
	b.presses("#operations-user-getUserData .try-out__btn")
	b.presses("#operations-user-getUserData .execute")
	b.await(`document.querySelector(".live-responses-table")?.innerText ?? ""`, `"lastName": "Tester"`)
	b.await(`document.querySelector(".live-responses-table .response .response-col_status").innerText`, "200")
}

// presses waits for a button and clicks it by script, because the page scrolls.
func (b *tab) presses(button string) {
	b.t.Helper()
	b.await(fmt.Sprintf("String(document.querySelector(%q) != null)", button), "true")
	b.evaluate(fmt.Sprintf("document.querySelector(%q).click()", button))
}

// asksOnly checks that the page loaded everything from one origin.
func (b *tab) asksOnly(origin string) {
	b.t.Helper()
	addresses := strings.Split(b.evaluate(`performance.getEntriesByType("resource").map(r => r.name).join("\n")`), "\n")
	if len(addresses) < 5 {
		b.t.Errorf("the page loaded only %v", addresses)
	}
	for _, address := range addresses {
		if !strings.HasPrefix(address, origin+"/") && !strings.HasPrefix(address, "data:") {
			b.t.Errorf("the page asked for %s", address)
		}
	}
}

// evaluate runs an expression on the page and returns it as text.
func (b *tab) evaluate(expression string) string {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}
