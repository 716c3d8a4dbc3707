package web_test

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

func TestTheHeaderOfEveryPageFitsItsViewer(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	for _, path := range []string{"/invitation?token=x", "/invitation", "/unsubscribe?token=g00d", "/unsubscribe", "/approve", "/dev/mail", "/nowhere"} {
		for v, link := range map[*visit]string{ada: "/me", olga: "/dashboard", c.visitor(): "/login"} {
			p := v.open(path)
			if !strings.Contains(p.body, `<a class="brand" href="/">`) || !strings.Contains(p.body, `<a href="`+link+`"`) {
				t.Errorf("%s has no header with %s: %s", path, link, p.body)
			}
		}
	}
}

func TestAnAcceptedInvitationShowsASignedInHeader(t *testing.T) {
	c := newCampus(t)
	root := c.CreateCaller(t, "root@campus.edu", user.Owner)
	if _, err := c.Invitations.Invite(t.Context(), root, "ann@campus.edu", user.EN); err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(c.LastMail(t, message.Invitation, "ann@campus.edu").Link)
	if err != nil {
		t.Fatal(err)
	}
	v := c.visitor()
	v.open("/invitation?"+link.RawQuery).shows(200, "Accept the invitation", "Sign in")
	v.send("/invitation", "token", link.Query().Get("token")).shows(200, "you are signed in on this device", "Sign out", `href="/me"`)
}

func TestAnEmbeddedPageHasTheSameLayout(t *testing.T) {
	c := newCampus(t)
	w := httptest.NewRecorder()
	c.pages.RenderEmbedded(w, httptest.NewRequest(http.MethodGet, "/api/x", nil), web.EmbeddedPage{
		Status: http.StatusTeapot, Lang: user.FR, Title: "A <title>", Main: template.HTML("<h1>Theirs</h1>"),
	})
	for _, part := range []string{`<html lang="fr">`, "<title>A &lt;title&gt; · Octavo</title>", "Se connecter", "<h1>Theirs</h1>"} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page lacks %s: %s", part, w.Body)
		}
	}
	if w.Code != http.StatusTeapot || w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
