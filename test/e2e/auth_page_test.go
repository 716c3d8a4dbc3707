package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page shows the schema, fills in an operation after a click, signs in, uses the token for
// the next operation and reports invalid variables.
func TestTheGraphQLPageKeepsTheTokenOfASignIn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	s := startAuth(t)
	p := s.member(t, byBearer, "page")
	b := openBrowser(t, s.URL)
	set := func(field, value string) { b.do(chromedp.SetValue(chromedp.CSS(field), value)) }
	run := func() { b.do(chromedp.Click(chromedp.CSS("#run"))) }
	b.open("/graphql")
	b.text("revokeOtherSessions: Int!")

	b.do(chromedp.Click(chromedp.CSS(`#docs dt button`)))
	b.await(`document.getElementById("query").value`, "query me {")
	set("#query", `mutation In($e: String!, $p: String!) { signIn(email: $e, password: $p) { accessToken } }`)
	set("#variables", fmt.Sprintf(`{"e": %q, "p": %q}`, p.email, password))
	run()
	b.await(`document.getElementById("answer").textContent`, `"accessToken"`)
	set("#query", "{ me { email } }")
	set("#variables", "{}")
	run()
	b.await(`document.getElementById("answer").textContent`, p.email)
	set("#variables", "{")
	run()
	b.await(`document.getElementById("answer").textContent`, "The variables are not valid JSON")
}
