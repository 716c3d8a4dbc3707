package web_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

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

func TestPagesMatchTheirGoldenFiles(t *testing.T) {
	for name, path := range map[string]string{
		"front": "/", "found": "/?q=linear+%22algebra", "mails": "/dev/mail?to=ann@x.edu", "invitation": "/invitation?token=t0k%22en", "unsubscribe": "/unsubscribe?token=g00d",
		"approval": "/approve?token=g00d",
	} {
		for _, lang := range []string{"en", "fr"} {
			w := get(handler(t, example()), path, "Accept-Language", lang)
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d, want %d", path, w.Code, http.StatusOK)
			}
			golden(t, name+"."+lang+".html", w.Body.String())
		}
	}
}

func TestAnEmptyMarketDiffersFromAFailedSearch(t *testing.T) {
	h := handler(t, &services{})
	for path, name := range map[string]string{"/": "empty", "/?q=algebra": "notfound"} {
		for _, lang := range []string{"en", "fr"} {
			golden(t, name+"."+lang+".html", get(h, path, "Accept-Language", lang).Body.String())
		}
	}
}

func TestAnUnknownPathIsAPageForBrowsers(t *testing.T) {
	pages, err := webrooms.New(web.Services{}, web.Options{Service: "Octavo", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := http.HandlerFunc(pages.NotFound)
	for _, lang := range []string{"en", "fr"} {
		w := get(h, "/<b>nowhere", "Accept", "text/html,*/*;q=0.8", "Accept-Language", lang)
		if w.Code != http.StatusNotFound || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		golden(t, "missing."+lang+".html", w.Body.String())
	}
	for _, accept := range []string{"", "*/*", "application/json"} {
		w := get(h, "/nowhere", "Accept", accept)
		if w.Code != http.StatusNotFound || w.Body.String() != "Not Found\n" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%q: %d %v %s", accept, w.Code, w.Header(), w.Body)
		}
	}
}

var inline = regexp.MustCompile(`(?i)<script(?:>|\s+[^s])|<style|\sstyle=|\son[a-z]+=|javascript:`)

func TestNoPageHasAnythingInlineAndThePolicyIsConstant(t *testing.T) {
	h := handler(t, example())
	for _, w := range []*httptest.ResponseRecorder{
		get(h, "/"), get(h, "/?q=<script>alert(1)</script>"), get(h, "/dev/mail"), get(h, "/invitation"), get(h, `/invitation?token="><script>`),
		get(h, "/unsubscribe"), get(h, "/unsubscribe?token=g00d"), send(h, "POST", "/unsubscribe", "token=g00d"), send(h, "POST", "/invitation", "token=x"),
		get(h, "/approve"), get(h, "/approve?token=g00d"), send(h, "POST", "/approve", "token=g00d"), send(h, "POST", "/approve", "token=<script>"),
	} {
		if found := inline.FindString(w.Body.String()); found != "" {
			t.Errorf("found %q in %s", found, w.Body)
		}
		if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "unsafe") {
			t.Errorf("policy = %q", got)
		}
		if w.Header().Get("Referrer-Policy") != "same-origin" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("headers = %v", w.Header())
		}
	}
}

func TestTheFrontPageSearchesWhenAsked(t *testing.T) {
	s := example()
	h := handler(t, s)
	if get(h, "/"); s.asked != "list" {
		t.Errorf("asked %q, want \"list\"", s.asked)
	}
	if get(h, "/?q=+linear+"); s.asked != "search linear" {
		t.Errorf("asked %q, want \"search linear\"", s.asked)
	}
	s.err = fault.New(fault.Unavailable, "unavailable", "Down.").After(2 * time.Second)
	if w := get(h, "/"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "try again in a moment") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s.err = errors.New("password=hunter2")
	if w := get(h, "/"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheMailboxInJSONIsAsTheContractSays(t *testing.T) {
	s := example()
	w := get(handler(t, s), "/dev/mail.json?to=%20Ann@X.edu")
	if s.asked != "mails ann@x.edu" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("asked %q, %v", s.asked, w.Header())
	}
	want := `[{"id":"9","to":"ann@x.edu","kind":"verification","lang":"fr","subject":"Confirmez \u003cvotre\u003e adresse","text":"Bonjour","html":"\u003cp\u003eBonjour\u003c/p\u003e","code":"04815162","link":null,"sentAt":"2026-09-07T12:00:00Z"},` +
		`{"id":"8","to":"bob@x.edu","kind":"invitation","lang":"en","subject":"You are invited","text":"Hello","html":"\u003cp\u003eHello\u003c/p\u003e","code":null,"link":"https://octavo.example/i?token=a\u0026b","sentAt":"2026-09-07T12:00:00Z"}]` + "\n"
	if w.Body.String() != want {
		t.Errorf("got  %s\nwant %s", w.Body, want)
	}
	s.mails = nil
	if w = get(handler(t, s), "/dev/mail.json"); strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("an empty mailbox is %s", w.Body)
	}
	var all []any
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
		t.Error(err)
	}
}

func TestAMailPreviewIsShownInASandbox(t *testing.T) {
	h := handler(t, example())
	w := get(h, "/dev/mail.html?id=9")
	if w.Body.String() != "<p>Bonjour</p>" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	if w = get(h, "/dev/mail.html?id=1"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown mail: %d, want %d", w.Code, http.StatusNotFound)
	}
}

func TestWithoutAServiceItsPagesDoNotExist(t *testing.T) {
	pages, err := webrooms.New(web.Services{}, web.Options{Service: "Octavo", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	h := mux(pages)
	for _, path := range []string{"/dev/mail", "/dev/mail.json", "/dev/mail.html", "/invitation", "/unsubscribe"} {
		if w := get(h, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want %d", path, w.Code, http.StatusNotFound)
		}
	}
	if w := get(h, "/"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), `role="search"`) {
		t.Errorf("front page: %d %s", w.Code, w.Body)
	}
}

func TestOpeningAnInvitationDoesNotAcceptIt(t *testing.T) {
	s := example()
	h := handler(t, s)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if w := send(h, method, "/invitation?token=t", ""); w.Code != http.StatusOK || s.asked != "" {
			t.Errorf("%s: %d, asked %q", method, w.Code, s.asked)
		}
	}
}

func TestAnAcceptedInvitationSignsIn(t *testing.T) {
	s := example()
	h := handler(t, s)
	w := send(h, "POST", "/invitation", "token=t0ken&password=correct+horse")
	if w.Code != http.StatusOK || s.asked != "accept t0ken" || s.password == nil || *s.password != "correct horse" {
		t.Errorf("%d, asked %q", w.Code, s.asked)
	}
	if cookies := w.Result().Cookies(); len(cookies) != 2 || cookies[0].Value != "acc3ss" || !cookies[0].HttpOnly || strings.Contains(w.Body.String(), "acc3ss") {
		t.Errorf("cookies = %v", cookies)
	}
	if send(h, "POST", "/invitation", "token=t0ken&password="); s.password != nil {
		t.Error("an empty field became a password")
	}
}

func TestErrorsOfAnInvitationAreShown(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		says   string
	}{
		"used":         {challenge.ErrCodeInvalid, http.StatusNotFound, "replaced by a newer one"},
		"bad password": {user.ErrPasswordInvalid, http.StatusBadRequest, "cannot be used"},
		"busy":         {fault.New(fault.Unavailable, "unavailable", "Busy.").After(time.Second), http.StatusServiceUnavailable, "Busy."},
		"broken":       {errors.New("hunter2"), http.StatusInternalServerError, "Please try again"},
	} {
		s := example()
		s.err = c.err
		w := send(handler(t, s), "POST", "/invitation", "token=t0ken&password=s3cretpassword")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "hunter2") || strings.Contains(w.Body.String(), "s3cret") || len(w.Result().Cookies()) != 0 {
			t.Errorf("%s: the page reveals the cause or the password: %s", name, w.Body)
		}
		if c.status != http.StatusNotFound && !strings.Contains(w.Body.String(), `value="t0ken"`) {
			t.Errorf("%s: the page has no form to try again: %s", name, w.Body)
		}
	}
}

func TestASignInIsApprovedByTheButtonOnly(t *testing.T) {
	s := example()
	h := handler(t, s)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if w := send(h, method, "/approve?token=g00d", ""); w.Code != http.StatusOK || s.asked != "" {
			t.Errorf("%s: %d, asked %q", method, w.Code, s.asked)
		}
	}
	if w := get(h, "/approve?token=g00d"); !strings.Contains(w.Body.String(), "192.0.2.7") {
		t.Errorf("the page does not name the client: %s", w.Body)
	}
	if w := send(h, "POST", "/approve", "token=g00d", "Origin", "https://evil.example"); w.Code != http.StatusForbidden || s.asked != "" {
		t.Errorf("from another site: %d, asked %q", w.Code, s.asked)
	}
	if w := send(h, "POST", "/approve", "token=g00d"); w.Code != http.StatusOK || s.asked != "approve g00d" || !strings.Contains(w.Body.String(), "sign in again") || len(w.Result().Cookies()) != 0 {
		t.Errorf("the button: %d, asked %q, %s", w.Code, s.asked, w.Body)
	}
	for _, w := range []*httptest.ResponseRecorder{get(h, "/approve"), get(h, "/approve?token=bad"), send(h, "POST", "/approve", "token=bad")} {
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "This link is not valid") {
			t.Errorf("a bad link: %d, %s", w.Code, w.Body)
		}
	}
	s.err = errors.New("hunter2")
	if w := send(h, "POST", "/approve", "token=g00d"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("broken: %d, %s", w.Code, w.Body)
	}
}

func TestAnotherSiteCannotAcceptAnInvitationForAVisitor(t *testing.T) {
	s := example()
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		if w := send(handler(t, s), "POST", "/invitation", "token=t", header...); w.Code != http.StatusForbidden || s.asked != "" {
			t.Errorf("%v: %d, asked %q", header, w.Code, s.asked)
		}
	}
}

func TestFormsThatAreTooLargeOrBrokenAreRefused(t *testing.T) {
	for _, path := range []string{"/invitation", "/unsubscribe", "/approve"} {
		for form, want := range map[string]int{"token=" + strings.Repeat("x", 70<<10): http.StatusRequestEntityTooLarge, "token=%zz": http.StatusBadRequest} {
			s := example()
			if w := send(handler(t, s), "POST", path, form); w.Code != want || s.asked != "" {
				t.Errorf("%s: %d, asked %q", path, w.Code, s.asked)
			}
		}
	}
}

func TestUnsubscribingNeedsTheButtonOrAMailClient(t *testing.T) {
	s := example()
	h := handler(t, s)
	if w := get(h, "/unsubscribe?token=g00d"); w.Code != http.StatusOK || s.asked != "" {
		t.Errorf("opening it: %d, asked %q", w.Code, s.asked)
	}
	if w := send(h, "POST", "/unsubscribe", "token=g00d"); w.Code != http.StatusOK || s.asked != "unsubscribe g00d" {
		t.Errorf("the button: %d, asked %q", w.Code, s.asked)
	}
	if w := get(h, "/unsubscribe?token=s3arch"); !strings.Contains(w.Body.String(), "this saved search") {
		t.Errorf("the link of a search: %s", w.Body)
	}
	if w := send(h, "POST", "/unsubscribe", "token=s3arch"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "this saved search") {
		t.Errorf("stopping a search: %d %s", w.Code, w.Body)
	}
	s.asked = ""
	if w := send(h, "POST", "/unsubscribe?token=g00d", "List-Unsubscribe=One-Click"); w.Code != http.StatusOK || s.asked != "unsubscribe g00d" {
		t.Errorf("the mail client: %d, asked %q", w.Code, s.asked)
	}
	for _, w := range []*httptest.ResponseRecorder{get(h, "/unsubscribe"), get(h, "/unsubscribe?token=bad"), send(h, "POST", "/unsubscribe", "token=bad")} {
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "incomplete") {
			t.Errorf("a bad link: %d %s", w.Code, w.Body)
		}
	}
	s.err = errors.New("disk full")
	if w := send(h, "POST", "/unsubscribe", "token=g00d"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("trouble: %d %s", w.Code, w.Body)
	}
}

func TestStaticFilesAreServedAndCacheable(t *testing.T) {
	h := handler(t, example())
	for path, mediaType := range map[string]string{"/static/octavo.css": "text/css; charset=utf-8", "/static/icon.svg": "image/svg+xml"} {
		version := strings.Trim(get(h, path).Header().Get("ETag"), `W/"`)
		w := get(h, path+"?v="+version)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != mediaType || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		for _, other := range []string{path, path + "?v=older"} {
			if w = get(h, other); strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
				t.Errorf("%s would be cached for ever under a name that is not its own", other)
			}
		}
	}
}

func TestAStyleSheetIsSentSmallOnceAndNotAgain(t *testing.T) {
	h := handler(t, example())
	whole := get(h, "/static/octavo.css")
	small := get(h, "/static/octavo.css", "Accept-Encoding", "gzip, deflate, br, zstd")
	z, err := gzip.NewReader(small.Body)
	if err != nil || small.Header().Get("Content-Encoding") != "gzip" || small.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v, %v", small.Header(), err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != whole.Body.String() || small.Header().Get("Content-Length") == whole.Header().Get("Content-Length") {
		t.Errorf("%d bytes of %s, %v", len(text), whole.Header().Get("Content-Length"), err)
	}
	if again := get(h, "/static/octavo.css", "If-None-Match", small.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("sent again: %d", again.Code)
	}
	if icon := get(h, "/static/icon-192.png", "Accept-Encoding", "gzip"); icon.Header().Get("Content-Encoding") != "" {
		t.Error("a picture is compressed again")
	}
}

// assetVersion matches the versions of static files, which the golden files leave out: a
// new rule in the style sheet would change all of them.
var assetVersion = regexp.MustCompile(`(/static/[\w.]+)\?v=[\w-]+`)

func golden(t *testing.T, name, got string) {
	t.Helper()
	got = assetVersion.ReplaceAllString(got, "$1")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and run with -update:\n%s", path, got)
	}
}
