package e2e_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// looks is a request for a page of the inspector, and what it is answered with.
type looks struct {
	who, path string
	headers   []string
	status    int
	says      string // in the body or where it leads
}

// wantLooks requires each response. What a page shows to whom in detail is in the tests of the inspector.
func wantLooks(t *testing.T, server string, all ...looks) {
	t.Helper()
	for _, c := range all {
		r, body := exchange(t, "GET", server+c.path, "", c.headers...)
		if r.StatusCode != c.status || !strings.Contains(body+r.Header.Get("Location"), c.says) {
			t.Errorf("%s at %s is answered %d %q, want %d with %q:\n%s", c.who, c.path, r.StatusCode, r.Header.Get("Location"), c.status, c.says, body)
		}
		if r.Header.Get("Cache-Control") != "no-store" && c.status == http.StatusOK {
			t.Errorf("%s may be cached: %q", c.path, r.Header.Get("Cache-Control"))
		}
	}
}

func TestBesideTheMarketThePagesOfWebhooksNeedAnAdmin(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"WEBHOOK_API_TOKEN=token of the operator"})
	student := s.Student("ben@campus.edu", "Ben")
	s.Student("root@campus.edu", "Root")
	s.Promote("root@campus.edu", "admin")
	b := surf(t, s)
	signedIn := b.do("POST", "/login", url.Values{"email": {"root@campus.edu"}, "password": {e2e.Password}, "next": {"/webhooks"}})
	if signedIn.status != http.StatusSeeOther || signedIn.location != "/webhooks" {
		t.Errorf("signing in leads to %s: %d", signedIn.location, signedIn.status)
	}
	admin := []string{"Cookie", "octavo_access=" + b.cookie("octavo_access")}
	wantLooks(t, s.URL,
		looks{"nobody", "/webhooks?state=dead", nil, http.StatusSeeOther, "/login?next=%2Fwebhooks%3Fstate%3Ddead"},
		looks{"a student", "/webhooks", []string{"Authorization", "Bearer " + student.Token}, http.StatusForbidden, "These pages are for admins"},
		looks{"the token of the API", "/webhooks", []string{"Authorization", "Bearer token of the operator"}, http.StatusSeeOther, "/login"},
		looks{"an admin", "/webhooks", admin, http.StatusOK, "<option>octavo</option>"},
		looks{"an admin", "/webhooks", admin, http.StatusOK, `href="/">Market`},
		looks{"an admin", "/webhooks/nothing", admin, http.StatusNotFound, "There is nothing at this address"},
	)
}

func TestBesideTheAuthServiceThePagesOfWebhooksNeedAnAdmin(t *testing.T) {
	t.Parallel()
	s := service{e2e.StartWith(t, []string{behindProxy}, "auth", "webhooks")}
	user, admin := s.member(t, byBearer, "user"), s.promoted(t, byBearer, "admin")
	wantLooks(t, s.URL,
		looks{"nobody", "/webhooks", nil, http.StatusUnauthorized, "Sign in to the auth service"},
		looks{"a user", "/webhooks", []string{"Authorization", "Bearer " + user.access}, http.StatusForbidden, "These pages are for admins"},
		looks{"an admin", "/webhooks", []string{"Authorization", "Bearer " + admin.access}, http.StatusOK, "<option>octavo</option>"},
	)
}

func TestAloneInDevelopmentThePagesOfWebhooksAreOpenOnThisMachineOnly(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.StartWith(t, []string{"BASE_URL=https://tunnel.example"}, "webhooks")
	awaitLog(t, s, "deliveries    https://tunnel.example/webhooks\n")
	wantLooks(t, s.URL,
		looks{"this machine", "/webhooks", nil, http.StatusOK, "octavo webhooks send push --to http://"},
		looks{"a proxy", "/webhooks", []string{"X-Forwarded-For", "127.0.0.1"}, http.StatusForbidden, "Set WEBHOOK_API_TOKEN"},
		looks{"another proxy", "/webhooks", []string{"Via", "1.1 proxy"}, http.StatusForbidden, "Set WEBHOOK_API_TOKEN"},
	)
}

func TestAloneThePagesOfWebhooksAskForTheToken(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"WEBHOOK_API_TOKEN=token of the operator"}, "webhooks")
	wantLooks(t, s.URL, looks{"nobody", "/webhooks/deliveries/a?source=b", nil, http.StatusSeeOther, "/webhooks/sign-in?next=%2Fwebhooks%2Fdeliveries%2Fa%3Fsource%3Db"})
	b := surf(t, s)
	for token, status := range map[string]int{"token of the operato": http.StatusUnauthorized, "token of the operator": http.StatusSeeOther} {
		if p := b.do("POST", "/webhooks/sign-in", url.Values{"token": {token}}); p.status != status {
			t.Errorf("%s is answered %d", token, p.status)
		}
	}
	if p := b.get("/webhooks"); p.status != http.StatusOK || !strings.Contains(p.body, "Sign out") {
		t.Errorf("with the token: %d %s", p.status, p.body)
	}
}

func TestAloneInProductionWithoutATokenThereAreNoPagesOfWebhooks(t *testing.T) {
	t.Parallel()
	const off = "The pages under /webhooks are off. Set WEBHOOK_API_TOKEN to open them."
	s := e2e.StartWith(t, []string{"OCTAVO_ENV=production", "BASE_URL=https://octavo.test", "WEBHOOK_SECRET=" + inboxSecret}, "webhooks")
	if strings.Count(s.Log(), off) != len(s.Each()) || strings.Contains(s.Log(), "  deliveries ") {
		t.Errorf("the log: %s", s.Log())
	}
	for _, path := range []string{"/webhooks", "/webhooks/sign-in", "/webhooks/static/inspector.css"} {
		wantLooks(t, s.URL, looks{"nobody", path, nil, http.StatusNotFound, off})
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
