package e2e_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// visit requests a page of the inspector without following redirects, and returns the
// answer with its body.
func visit(t *testing.T, client *http.Client, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	once := *client
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := once.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// wantVisit requires the status of an answer and a text in its body or Location.
func wantVisit(t *testing.T, what string, resp *http.Response, body string, status int, text string) {
	t.Helper()
	if resp.StatusCode != status || !strings.Contains(body+resp.Header.Get("Location"), text) {
		t.Errorf("%s is answered %d %q, want %d with %q:\n%s", what, resp.StatusCode, resp.Header.Get("Location"), status, text, body)
	}
	if resp.Header.Get("Cache-Control") != "no-store" && status == http.StatusOK {
		t.Errorf("%s may be cached: %q", what, resp.Header.Get("Cache-Control"))
	}
}

func TestBesideTheMarketThePagesOfWebhooksNeedAnAdmin(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"WEBHOOK_API_TOKEN=token of the operator"})
	page := s.URL + "/webhooks"
	resp, body := visit(t, http.DefaultClient, page+"?state=dead")
	wantVisit(t, "nobody", resp, body, http.StatusSeeOther, "/login?next=%2Fwebhooks%3Fstate%3Ddead")
	student := s.Student("ben@campus.edu", "Ben")
	s.Student("root@campus.edu", "Root")
	resp, body = visit(t, http.DefaultClient, page, "Authorization", "Bearer "+student.Token)
	wantVisit(t, "a student", resp, body, http.StatusForbidden, "These pages are for admins")
	resp, body = visit(t, http.DefaultClient, page, "Authorization", "Bearer token of the operator")
	wantVisit(t, "the token of the API", resp, body, http.StatusSeeOther, "/login")
	s.Promote("root@campus.edu", "admin")
	root := s.Login("root@campus.edu")
	resp, body = visit(t, http.DefaultClient, page, "Authorization", "Bearer "+root.Token)
	wantVisit(t, "an admin", resp, body, http.StatusOK, "<option>octavo</option>")

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	signedIn, err := browser.PostForm(s.URL+"/login", url.Values{"email": {"root@campus.edu"}, "password": {e2e.Password}, "next": {"/webhooks"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = signedIn.Body.Close()
	if signedIn.StatusCode != http.StatusOK || signedIn.Request.URL.Path != "/webhooks" {
		t.Errorf("signing in leads to %s: %d", signedIn.Request.URL, signedIn.StatusCode)
	}
	resp, body = visit(t, browser, page)
	wantVisit(t, "an admin with cookies", resp, body, http.StatusOK, `href="/">Market`)
	resp, body = visit(t, browser, page+"/nothing")
	wantVisit(t, "another page", resp, body, http.StatusNotFound, "There is nothing at this address")
}

func TestBesideTheAuthServiceThePagesOfWebhooksNeedAnAdmin(t *testing.T) {
	t.Parallel()
	s := service{e2e.StartWith(t, []string{behindProxy}, "auth", "webhooks")}
	resp, body := visit(t, http.DefaultClient, s.URL+"/webhooks")
	wantVisit(t, "nobody", resp, body, http.StatusUnauthorized, "Sign in to the auth service")
	user, admin := s.member(t, byCookie, "user"), s.promoted(t, byCookie, "admin")
	resp, body = visit(t, user.http, s.URL+"/webhooks")
	wantVisit(t, "a user", resp, body, http.StatusForbidden, "These pages are for admins")
	resp, body = visit(t, admin.http, s.URL+"/webhooks")
	wantVisit(t, "an admin", resp, body, http.StatusOK, "<option>octavo</option>")
}

func TestAloneInDevelopmentThePagesOfWebhooksAreOpenOnThisMachineOnly(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.StartWith(t, []string{"BASE_URL=https://tunnel.example"}, "webhooks")
	x := &inboxRun{Server: s, t: t}
	x.until("the banner does not name the pages", func() bool { return strings.Contains(s.Log(), "deliveries    https://tunnel.example/webhooks\n") })
	resp, body := visit(t, http.DefaultClient, s.URL+"/webhooks")
	wantVisit(t, "this machine", resp, body, http.StatusOK, "octavo webhooks send push --to http://")
	for name, headers := range map[string][]string{
		"a proxy":               {"X-Forwarded-For", "127.0.0.1"},
		"another proxy":         {"Via", "1.1 proxy"},
		"a rebound name":        {"Host", "evil.example"},
		"the tunnel's name":     {"Host", "tunnel.example"},
		"another machine's try": {"Host", "127.0.0.1.evil.example"},
	} {
		resp, body := visit(t, http.DefaultClient, s.URL+"/webhooks", headers...)
		wantVisit(t, name, resp, body, http.StatusForbidden, "Set WEBHOOK_API_TOKEN")
	}
}

func TestAloneThePagesOfWebhooksAskForTheToken(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"WEBHOOK_API_TOKEN=token of the operator"}, "webhooks")
	resp, body := visit(t, http.DefaultClient, s.URL+"/webhooks/deliveries/a?source=b")
	wantVisit(t, "nobody", resp, body, http.StatusSeeOther, "/webhooks/sign-in?next=%2Fwebhooks%2Fdeliveries%2Fa%3Fsource%3Db")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	for token, status := range map[string]int{"token of the operato": http.StatusUnauthorized, "token of the operator": http.StatusOK} {
		resp, err := browser.PostForm(s.URL+"/webhooks/sign-in", url.Values{"token": {token}})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s is answered %d", token, resp.StatusCode)
		}
	}
	resp, body = visit(t, browser, s.URL+"/webhooks")
	wantVisit(t, "a request with the token", resp, body, http.StatusOK, "Sign out")
}

func TestAloneInProductionWithoutATokenThereAreNoPagesOfWebhooks(t *testing.T) {
	t.Parallel()
	const off = "The pages under /webhooks are off. Set WEBHOOK_API_TOKEN to open them."
	s := e2e.StartWith(t, []string{"OCTAVO_ENV=production", "BASE_URL=https://octavo.test", "WEBHOOK_SECRET=" + inboxSecret}, "webhooks")
	if strings.Count(s.Log(), off) != len(s.Each()) || strings.Contains(s.Log(), "  deliveries ") {
		t.Errorf("the log: %s", s.Log())
	}
	for _, path := range []string{"/webhooks", "/webhooks/sign-in", "/webhooks/static/inspector.css"} {
		resp, body := visit(t, http.DefaultClient, s.URL+path)
		wantVisit(t, path, resp, body, http.StatusNotFound, off)
	}
}

func TestThePathOfDeliveriesMayNotBeThatOfAForm(t *testing.T) {
	t.Parallel()
	out, code := e2e.Octavo(t, []string{"WEBHOOK_PATH=/webhooks/redeliver", "DATA_DIR=" + t.TempDir(), "PORT=0"}, "serve", "webhooks")
	if code != 2 || !strings.Contains(out, "WEBHOOK_PATH: /webhooks/redeliver belongs to the pages under /webhooks") {
		t.Errorf("it ended with %d: %s", code, out)
	}
	s := e2e.StartWith(t, []string{"WEBHOOK_PATH=/webhooks", "WEBHOOK_SECRET=" + inboxSecret}, "webhooks")
	if out, code := s.Octavo("webhooks", "send", "push", "--id", "one", "--to", s.URL+"/webhooks"); code != 0 {
		t.Errorf("sending to /webhooks: %d %s", code, out)
	}
}
