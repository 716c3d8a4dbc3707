package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// explorer is the page with GraphiQL. An error in the console fails the test: also a violation
// of the Content-Security-Policy.
type explorer struct{ *tab }

func openExplorer(t *testing.T, url string) explorer {
	t.Helper()
	e := explorer{openBrowser(t, url)}
	e.open("/graphql")
	e.await(`String(document.querySelector(".graphiql-query-editor .CodeMirror") != null)`, "true")
	return e
}

// write puts a text into one of the editors: query or headers.
func (e explorer) write(editor, text string) {
	e.t.Helper()
	selector := map[string]string{"query": ".graphiql-query-editor .CodeMirror", "headers": ".graphiql-editor-tool .graphiql-editor:nth-of-type(2) .CodeMirror"}[editor]
	e.evaluate(fmt.Sprintf(`document.querySelector(%q).CodeMirror.setValue(%q)`, selector, text))
}

// run executes what is in the editors and waits for a part of the answer.
func (e explorer) run(want string) {
	e.t.Helper()
	e.presses(".graphiql-execute-button")
	e.await(`document.querySelector(".result-window .CodeMirror").CodeMirror.getValue()`, want)
}

func TestGraphiQLRunsOperationsWithCookiesAndWithAToken(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	p, other := s.member(t, byBearer, "page"), s.member(t, byBearer, "other")
	e := openExplorer(t, s.URL)
	e.write("query", "{ me { email } }")
	e.run(`"UNAUTHENTICATED"`)
	e.write("query", fmt.Sprintf(`mutation { signIn(email: %q, password: %q) { expiresIn } }`, p.email, password))
	e.run(`"expiresIn"`)
	e.write("query", "{ me { email } }")
	e.run(p.email)
	e.write("headers", fmt.Sprintf(`{"Authorization": "Bearer %s"}`, other.access))
	e.run(other.email)
	if kept := e.evaluate(`JSON.stringify(localStorage)`); strings.Contains(kept, other.access) {
		t.Error("the browser stores the token")
	}
	e.picture("graphql")
	e.asksOnly(s.URL)
}

func TestGraphiQLShowsTheSchemaAndItsDialogs(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	e := openExplorer(t, s.URL)
	e.presses(`[aria-label="Show Documentation Explorer"]`)
	e.text("Query")
	e.presses(`.graphiql-doc-explorer-root-type + a, .graphiql-doc-explorer-type-name`)
	e.text("The user who is signed in.")
	e.picture("graphql-docs")
	for button, shows := range map[string]string{
		"Show History":                  "History",
		"Open short keys dialog":        "Short Keys",
		"Open settings dialog":          "Theme",
		"Re-fetch GraphQL schema":       "",
		"Prettify query (Shift-Ctrl-P)": "",
	} {
		e.presses(fmt.Sprintf(`[aria-label=%q]`, button))
		e.text(shows)
		e.picture("graphql-" + strings.Fields(button)[1])
		e.evaluate(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))`)
	}
	e.asksOnly(s.URL)
}
