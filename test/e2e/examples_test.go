package e2e_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/servers"
)

const examples = "../../docs/examples"

// pythonWith finds a Python with some modules. The first one in the PATH may not be the system's.
func pythonWith(t *testing.T, modules, packages string) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import "+modules).Run() == nil {
			return python
		}
	}
	servers.Missing(t, "Python with "+modules, "apt-get install "+packages)
	return ""
}

func TestTheExamplesOfApplicationsSignPeopleInAndOut(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	for language, command := range map[string]func(*testing.T) []string{
		"go": func(t *testing.T) []string {
			program := filepath.Join(t.TempDir(), "app")
			if err := gobuild.Program(t.Context(), filepath.Join(examples, "go"), program, "."); err != nil {
				t.Fatal(err)
			}
			return []string{program}
		},
		"python": func(t *testing.T) []string {
			return []string{
				pythonWith(t, "flask, authlib, requests, jwt, cryptography", "python3-flask python3-authlib python3-requests python3-jwt python3-cryptography"),
				filepath.Join(examples, "python/app.py"),
			}
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			run, address := command(t), servers.Address(t)
			_, port, _ := net.SplitHostPort(address)
			app := s.partyAt(t, "http://"+address+"/callback")
			start(t, []string{
				"OCTAVO_URL=" + s.URL, "CLIENT_ID=" + app.id, "CLIENT_SECRET=" + app.secret,
				"APP_URL=http://" + address, "LISTEN=" + address, "PORT=" + port, "SECRET_KEY=one for the test",
			}, run[0], run[1:]...)
			deliver(t, through(t, "GET", "http://"+address+"/", "")) // waits until it listens
			e := example{t, s, "http://" + address}
			e.answersAccessTokens()
			e.signsInAndOut()
		})
	}
}

// example is a running application of docs/examples.
type example struct {
	t   *testing.T
	s   service
	url string
}

// api asks for /api/me with a token.
func (e example) api(token string) (status int, body string) {
	e.t.Helper()
	req := through(e.t, "GET", e.url+"/api/me", "")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return resp.StatusCode, string(content)
}

func (e example) answersAccessTokens() {
	e.t.Helper()
	ann := e.s.member(e.t, byBearer, "ann")
	status, body := e.api(ann.access)
	var got struct{ User, Role string }
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.User != ann.id || got.Role != "USER" {
		e.t.Errorf("/api/me: %d %s", status, body)
	}
	other := e.s.party(e.t)
	parts := strings.Split(ann.access, ".")
	for what, token := range map[string]string{
		"no token": "", "not a token": "x", "a forged one": parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
		"one of another application": other.exchange(ann.as(byCookie).authorize(other)).access,
	} {
		if status, body := e.api(token); status != http.StatusUnauthorized {
			e.t.Errorf("%s: %d %s", what, status, body)
		}
	}
}

func (e example) signsInAndOut() {
	e.t.Helper()
	ann := e.s.member(e.t, byCookie, "ann")
	out := func(when string) {
		e.t.Helper()
		if shown := ann.open("GET", e.url+"/", nil); shown.left == nil || shown.left.Path != "/sign-in" {
			e.t.Errorf("%s the app shows %d: %s", when, shown.status, shown.body)
		}
	}
	in := func() {
		e.t.Helper()
		ann.passes(e.url+"/sign-in", true)
		if shown := ann.open("GET", e.url+"/", nil); shown.status != http.StatusOK || !strings.Contains(shown.body, "Hello "+ann.email) {
			e.t.Fatalf("after the sign-in the app shows %d: %s", shown.status, shown.body)
		}
	}
	out("before the sign-in")
	if shown := ann.open("GET", e.url+"/callback?code=stolen&state=of-somebody-else", nil); shown.status != http.StatusBadRequest {
		e.t.Errorf("an answer that nobody asked for: %d %s", shown.status, shown.body)
	}
	in()
	ann.must(others, nil)
	out("after the session was ended at Octavo")
	in()
	if shown := ann.open("POST", e.url+"/sign-out", nil); shown.status != http.StatusOK || !strings.HasPrefix(shown.at.String(), e.s.URL+"/") {
		e.t.Errorf("signing out shows %d at %s: %s", shown.status, shown.at, shown.body)
	}
	out("after the sign-out")
	ann.assertSignedOut("the application has signed out of Octavo, too")
}

func TestTheExampleWithNextSignsPeopleInAndOut(t *testing.T) {
	t.Parallel()
	deep.Only(t, "installs and builds with Next.js; the sign-in and the hooks run in a browser as well")
	node := servers.Need(t, "Node", "apt-get install nodejs", "node")
	folder := filepath.Join(t.TempDir(), "app")
	for from, to := range map[string]string{filepath.Join(examples, "nextjs"): folder, filepath.Join(typeScriptClient(t), "dist"): filepath.Join(folder, "octavo-client/dist")} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"package.json", "sign-in.css"} {
		content, err := os.ReadFile(filepath.Join("../../docs/clients/typescript", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "octavo-client", name), string(content))
	}
	s := startAuth(t)
	runIn(t, folder, "", "npm", "ci", "--no-audit", "--no-fund")
	runIn(t, folder, "", "npm", "run", "build")
	address := servers.Address(t)
	host, port, _ := net.SplitHostPort(address)
	start(t, []string{"OCTAVO_URL=" + s.URL, "NEXT_TELEMETRY_DISABLED=1"}, node, filepath.Join(folder, "node_modules/next/dist/bin/next"), "start", folder, "-H", host, "-p", port)
	deliver(t, through(t, "GET", "http://"+address+"/", "")) // waits until it listens
	n := nextApp{openBrowser(t, "http://"+address), s.member(t, byBearer, "ann")}
	n.signsIn()
	n.isOutAfterTheEndOfTheSession()
	n.renewsTheSession()
	n.signsOut()
}

// nextApp is a browser at the example for Next.js.
type nextApp struct {
	*tab
	ann *person
}

func (n nextApp) signsIn() {
	n.t.Helper()
	n.open("/account")
	n.await("location.pathname", "/sign-in")
	n.typed("email", n.ann.email, "password", password+"\r")
	n.text("You are number " + n.ann.id)
	n.text(n.ann.email)
}

// api is the status of the route for those who are signed in.
func (n nextApp) api(want string) {
	n.t.Helper()
	n.evaluate("fetch('/api/me').then((r) => { document.title = 'api ' + r.status }), ''")
	n.await("document.title", "api "+want)
}

func (n nextApp) isOutAfterTheEndOfTheSession() {
	n.t.Helper()
	n.api("200")
	n.ann.must(others, nil)
	n.open("/account")
	n.await("location.pathname", "/sign-in")
	n.signsIn()
}

// renewsTheSession loses the access token, as after 20 minutes.
func (n nextApp) renewsTheSession() {
	n.t.Helper()
	if _, err := chromedp.Call(n.ctx, network.DeleteCookies, network.DeleteCookiesParams{Name: "octavo_access", URL: n.url}); err != nil {
		n.t.Fatal(err)
	}
	n.open("/account")
	n.text("You are number " + n.ann.id)
	n.api("200")
}

func (n nextApp) signsOut() {
	n.t.Helper()
	n.presses("header button")
	n.await("location.pathname + document.querySelector('header').innerText", "/Sign in")
	n.open("/account")
	n.await("location.pathname", "/sign-in")
}
