package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/webrooms"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// services returns the results that a test sets, and records its calls.
type services struct {
	books    []market.BookView
	mails    []mailer.Mail
	err      error
	asked    string
	password *string
}

func (s *services) Browse(_ context.Context, _ user.Caller, text string, _ finding.Filter, _ market.Page) (finding.TitlePage, error) {
	if s.asked = "list"; text != "" {
		s.asked = "search " + text
	}
	var page finding.TitlePage
	for _, b := range s.books {
		page.Titles = append(page.Titles, finding.TitleView{BookView: b, All: finding.TitleSummary{Copies: market.Count{N: 1}, Lowest: b.Price}})
	}
	page.Count.N = len(page.Titles)
	return page, s.err
}

func (s *services) Suggest(context.Context, user.Caller, finding.Filter) (finding.Suggestions, error) {
	return finding.Suggestions{Universities: []string{"University of Rochester"}, Courses: []string{"MATH 165"}}, nil
}

func (s *services) OwnUniversity(context.Context, user.Caller) (string, error) { return "", nil }

func (s *services) Accept(_ context.Context, token string, password *string, _ user.ClientInfo) (auth.TokenPair, error) {
	s.asked, s.password = "accept "+token, password
	return auth.TokenPair{AccessToken: "acc3ss", ExpiresIn: time.Minute, RefreshToken: "r3fresh", Session: session.Session{}}, s.err
}

func (s *services) PendingApproval(_ context.Context, token string) (string, error) {
	if token != "g00d" {
		return "", challenge.ErrLinkInvalid
	}
	return "192.0.2.7", s.err
}

func (s *services) ApproveClient(_ context.Context, token string, _ user.ClientInfo) error {
	s.asked = "approve " + token
	_, err := s.PendingApproval(context.Background(), token)
	return err
}

func (s *services) ReadToken(token string) (mailer.Stop, error) {
	switch token {
	case "g00d":
		return mailer.Stop{Email: "ann@x.edu"}, nil
	case "s3arch":
		return mailer.Stop{Subscription: "search:7"}, nil
	}
	return mailer.Stop{}, mailer.ErrInvalidLink
}

func (s *services) Unsubscribe(_ context.Context, token string) (mailer.Stop, error) {
	s.asked = "unsubscribe " + token
	stop, err := s.ReadToken(token)
	if err == nil {
		err = s.err
	}
	return stop, err
}

func (s *services) ListMails(_ context.Context, to user.Email, _ int) ([]mailer.Mail, error) {
	s.asked = "mails " + string(to)
	return s.mails, s.err
}

func (s *services) FindMail(_ context.Context, id int64) (mailer.Mail, bool, error) {
	i := slices.IndexFunc(s.mails, func(m mailer.Mail) bool { return m.ID == id })
	if i < 0 {
		return mailer.Mail{}, false, s.err
	}
	return s.mails[i], true, s.err
}

func handler(t *testing.T, s *services) http.Handler {
	t.Helper()
	pages, err := webrooms.New(web.Services{Discovery: s, AcceptInvitation: s.Accept, Approvals: s, Unsubscriber: s, Mailbox: s}, web.Options{
		Service: "Octavo", Cookies: httpx.NewCookies(httpx.CookieConfig{SameSite: http.SameSiteLaxMode}), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Links: []web.Link{{"/api/docs", "JSON API", "the marketplace for programs"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return mux(pages)
}

func mux(pages *web.Pages) *http.ServeMux {
	m := http.NewServeMux()
	for _, r := range pages.Routes() {
		path := r.Path
		if path == "/" {
			path = "/{$}"
		}
		path = parameter.ReplaceAllString(path, "{$1}")
		m.HandleFunc(r.Method+" "+path, r.Handler)
	}
	return m
}

// parameter is a parameter of a path as gin writes it.
var parameter = regexp.MustCompile(`:(\w+)`)

func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	return send(h, http.MethodGet, path, "", header...)
}

func send(h http.Handler, method, path, form string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(form))
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func example() *services {
	return &services{
		books: []market.BookView{{Book: book.Book{
			ID: 7, University: "University of Rochester", Status: book.ForSale, CreatedAt: noon,
			Details: book.Details{Name: `Linear <b>Algebra</b> & "Friends"`, Course: "MATH 165", Edition: 3, Price: 4050, Condition: book.Good, ISBN: "9780306406157"},
		}}},
		mails: []mailer.Mail{
			{Message: message.Message{ID: 9, Kind: message.Verification, To: "ann@x.edu", Lang: user.FR, Code: "04815162"}, Subject: "Confirmez <votre> adresse", Text: "Bonjour", HTML: "<p>Bonjour</p>", SentAt: noon},
			{Message: message.Message{ID: 8, Kind: message.Invitation, To: "bob@x.edu", Lang: user.EN, Link: "https://octavo.example/i?token=a&b"}, Subject: "You are invited", Text: "Hello", HTML: "<p>Hello</p>", SentAt: noon},
		},
	}
}
