package web_test

import (
	"bytes"
	"errors"
	"html"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/qrcode"
	"github.com/octavo-books/octavo/adapters/readcache"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/webrooms"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/sent"
	"github.com/octavo-books/octavo/test/stores"
)

// campus is a complete marketplace with its pages.
type campus struct {
	*authkit.Fixture
	t       *testing.T
	pages   *web.Pages
	handler http.Handler
	blobs   *fake.Blobs // the photos
	log     *logBuffer
	broken  *error // what each transaction fails with
	db      *gormstore.DB
}

func newCampus(t *testing.T) *campus { return newCampusBehind(t, nil, nil) }

// newCampusBehind also lets change configure the accounts and wrap replace the
// Authenticator.
func newCampusBehind(t *testing.T, change func(*authrooms.Ports, *auth.Config), wrap func(httpx.Authenticator) httpx.Authenticator) *campus {
	t.Helper()
	return newSite(t, true, change, wrap)
}

// newAuthSite returns the pages of the auth service without a marketplace.
func newAuthSite(t *testing.T) *campus {
	t.Helper()
	return newSite(t, false, nil, nil)
}

func newSite(t *testing.T, withMarket bool, change func(*authrooms.Ports, *auth.Config), wrap func(httpx.Authenticator) httpx.Authenticator) *campus {
	t.Helper()
	return newSiteIn(t, meeting.Desk, withMarket, change, wrap)
}

// newSiteIn is newSite where books change hands in a mode.
func newSiteIn(t *testing.T, handover meeting.Mode, withMarket bool, change func(*authrooms.Ports, *auth.Config), wrap func(httpx.Authenticator) httpx.Authenticator) *campus {
	t.Helper()
	return newSiteWith(t, sales{handover: handover, fee: 500}, withMarket, change, wrap)
}

// sales is how books change hands, and who settles it at which fee.
type sales struct {
	handover   meeting.Mode
	settlement order.Settlement
	fee        order.FeeRate
}

// newSiteWith is newSite with other sales.
func newSiteWith(t *testing.T, by sales, withMarket bool, change func(*authrooms.Ports, *auth.Config), wrap func(httpx.Authenticator) httpx.Authenticator) *campus {
	t.Helper()
	s, blobs, log, broken := stores.SQLite(t), fake.NewBlobs(), &logBuffer{}, new(error)
	m := s.Market
	configure := func(p *authrooms.Ports, c *auth.Config) {
		p.Reported = m.ListReporting
		if change != nil {
			change(p, c)
		}
	}
	k := authkit.New(t, s.Auth(t), breakable(broken, configure))
	cache := readcache.New(k.Clock.Now, readcache.Keep)
	deps := market.Deps{Store: breakableMarket{m, broken}, Purger: cache, Clock: k.Clock.Now, IDs: k.IDs.Next, Notifier: market.NewNotifier(), Guard: new(market.CurrencyGuard), Handover: by.handover, Settlement: by.settlement, OrderLapses: 14 * 24 * time.Hour, Limits: market.Limits{Posts: 60, ImportLines: 500}}
	all := rooms.New(deps, readcache.Over(m, cache), rooms.Config{
		Fee: by.fee, Threshold: report.Threshold{Reports: 3}, Handovers: meeting.Secret("a secret of the tests"), Zone: time.UTC,
		Blobs: blobs, Pictures: &fake.Pictures{}, FindISBN: findStewart, Suspend: stores.Suspender{Stores: s, Deps: deps, People: k.Users}.SuspendAccount, Push: new(fake.Push).Config(k.Authenticator.EndedSessions),
	})
	var gate httpx.Authenticator = k.Authenticator
	if wrap != nil {
		gate = wrap(gate)
	}
	cookies := httpx.CookieConfig{SameSite: http.SameSiteLaxMode}
	served := web.Services{Discovery: all.Discovery, AcceptInvitation: k.Invitations.Accept, Approvals: k.SignIns, Unsubscriber: &services{}, Mailbox: &services{}, Work: work.NewBoard(workstore.New(s.DB), k.Clock.Now, slog.New(slog.DiscardHandler)), ExternalSignIn: &web.ExternalSignIn{Identities: k.Identities, Sealer: authkit.Sealer{}}, Identity: &web.Identity{Gate: gate, Auth: k.Auth}, Market: &web.Market{
		Market: all, Uploads: httpx.NewUploads(), Clock: k.Clock.Now,
	}}
	if !withMarket {
		served.Market, served.Discovery = nil, nil
	}
	pages, err := webrooms.New(served, web.Options{Service: "Octavo", BaseURL: "https://octavo.example", Clock: k.Clock, DrawQRCode: qrcode.Draw, Cookies: httpx.NewCookies(cookies), Log: slog.New(slog.NewTextHandler(io.MultiWriter(t.Output(), log), nil))})
	if err != nil {
		t.Fatal(err)
	}
	front, err := httpx.NewMiddleware(httpx.Config{Cookies: cookies}, httpx.Options{Auth: gate, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	site := mux(pages)
	site.HandleFunc("/nowhere", pages.NotFound)
	site.HandleFunc("/wrong-method", pages.MethodNotAllowed)
	return &campus{k, t, pages, front.Wrap(site), blobs, log, broken, s.DB}
}

// visit is a browser with cookies and a language.
type visit struct {
	*campus
	cookies map[string]string
	lang    string
	names   []string // of the cookies in order: browsers send the oldest first
}

func (c *campus) visitor() *visit { return &visit{campus: c, cookies: map[string]string{}, lang: "en"} }

// page is the response to a request, after all redirects.
type page struct {
	t      *testing.T
	status int
	at     string // its path
	body   string
	header http.Header
	sent   string // the requests that led to it
}

func (v *visit) open(path string) page {
	v.t.Helper()
	return v.request(http.MethodGet, path, nil)
}

func (v *visit) send(path string, pairs ...string) page {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return v.request(http.MethodPost, path, form)
}

// exchange sends one request and follows no redirect.
func (v *visit) exchange(method, path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	v.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return v.serve(r, header...)
}

// upload sends a form with files and follows no redirect.
func (v *visit) upload(path string, write func(form *multipart.Writer) error) *httptest.ResponseRecorder {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := errors.Join(write(form), form.Close()); err != nil {
		v.t.Fatal(err)
	}
	return v.serve(httptest.NewRequest(http.MethodPost, path, &body), "Content-Type", form.FormDataContentType())
}

// file adds a file to a form with files.
func file(form *multipart.Writer, field, name, content string) error {
	part, err := form.CreateFormFile(field, name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	return err
}

// serve sends a request with the cookies and the language of the browser, and keeps the cookies of the response.
func (v *visit) serve(r *http.Request, header ...string) *httptest.ResponseRecorder {
	r.Header.Set("Accept-Language", v.lang)
	r.Header.Set("Accept", "text/html")
	v.addCookies(r)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		v.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
		if !slices.Contains(v.names, c.Name) {
			v.names = append(v.names, c.Name)
		}
	}
	return w
}

// addCookies sends the cookies in the order in which they came, and those that a test has set.
func (v *visit) addCookies(r *http.Request) {
	v.names = slices.DeleteFunc(v.names, func(name string) bool { _, kept := v.cookies[name]; return !kept })
	for _, name := range slices.Sorted(maps.Keys(v.cookies)) {
		if !slices.Contains(v.names, name) {
			v.names = append(v.names, name)
		}
	}
	for _, name := range v.names {
		r.AddCookie(&http.Cookie{Name: name, Value: v.cookies[name]})
	}
}

func (v *visit) request(method, path string, form url.Values, header ...string) page {
	v.t.Helper()
	return v.arrives(path, sent.Request(method, path, form.Encode()), v.exchange(method, path, form, header...))
}

// arrives follows the redirects of a response to what was sent to a path.
func (v *visit) arrives(path, what string, w *httptest.ResponseRecorder) page {
	v.t.Helper()
	if w.Code == http.StatusSeeOther && !strings.HasPrefix(w.Header().Get("Location"), "/api/") {
		p := v.open(w.Header().Get("Location"))
		p.sent = what + ", then " + p.sent
		return p
	}
	if found := inline.FindString(w.Body.String()); found != "" {
		v.t.Errorf("%s has %q inline", path, found)
	}
	return page{v.t, w.Code, path, w.Body.String(), w.Header(), what}
}

// plainly leaves out what only says where lines may break.
var plainly = strings.NewReplacer("\u00a0", " ", "<wbr>", "")

// read is the page without escapes, as people read it.
func (p page) read() string { return plainly.Replace(html.UnescapeString(p.body)) }

// shows fails the test unless the page has this status and contains all texts.
func (p page) shows(status int, texts ...string) page {
	p.t.Helper()
	read := p.read()
	if p.status != status {
		p.t.Fatalf("%s\n%d, want %d: %s", p.sent, p.status, status, read)
	}
	for _, text := range texts {
		if !strings.Contains(read, plainly.Replace(text)) {
			p.t.Fatalf("%s\ndoes not show %q: %s", p.sent, text, read)
		}
	}
	return p
}

// lacks fails the test if the page contains one of the texts.
func (p page) lacks(texts ...string) page {
	p.t.Helper()
	for _, text := range texts {
		if strings.Contains(p.read(), plainly.Replace(text)) {
			p.t.Errorf("%s\nshows %q: %s", p.sent, text, p.read())
		}
	}
	return p
}

// hidden returns the first value of a hidden field.
func (p page) hidden(name string) string {
	p.t.Helper()
	found := regexp.MustCompile(`type="hidden" name="` + name + `" value="([^"]*)"`).FindStringSubmatch(p.body)
	if found == nil {
		p.t.Fatalf("%s\nkeeps no %q: %s", p.sent, name, p.body)
	}
	return html.UnescapeString(found[1])
}

// student signs a new student up and in, and returns the browser.
func (c *campus) student(name string) *visit {
	c.t.Helper()
	return c.studentAt("Campus", name)
}

// studentAt is student at another university.
func (c *campus) studentAt(university, name string) *visit {
	c.t.Helper()
	v, email := c.visitor(), strings.ToLower(name)+"@campus.edu"
	v.send("/signup", "email", email, "password", authkit.Password, "firstName", name, "lastName", "Doe",
		"university", university, "campusMailbox", "box-"+name, "paymentUsername", "pay-"+name).shows(200, "Check your email")
	c.confirm(email)
	v.send("/login", "email", email, "password", authkit.Password, "next", "/mine").shows(200, "My books", "Sign out")
	return v
}

// confirm confirms the address of a sign-up.
func (c *campus) confirm(email string) {
	c.t.Helper()
	token, ok := strings.CutPrefix(c.LastMail(c.t, message.Verification, email).Link, "https://octavo.example/api/auth/confirm/")
	if !ok {
		c.t.Fatal("the mail has no link")
	}
	if err := c.Accounts.ConfirmLink(c.t.Context(), token, "", authkit.Firefox); err != nil {
		c.t.Fatal(err)
	}
}

// promote gives an account a role.
func (c *campus) promote(email string, role user.Role) {
	c.t.Helper()
	if _, err := c.Users.Promote(c.t.Context(), email, role); err != nil {
		c.t.Fatal(err)
	}
}

// staff is student with a role.
func (c *campus) staff(name string, role user.Role) *visit {
	c.t.Helper()
	v := c.student(name)
	c.promote(strings.ToLower(name)+"@campus.edu", role)
	return v
}

// offers lists a book and returns its id.
func (v *visit) offers(name, price string) string {
	v.t.Helper()
	return v.send("/sell", "name", name, "course", "MATH 165", "edition", "3", "condition", "Good", "price", price, "date", "2026-09-07").
		shows(200, "Your book is listed", name).hidden("id")
}

// buys buys a book through the cart.
func (v *visit) buys(id string) {
	v.t.Helper()
	v.send("/cart/add", "id", id, "back", "/cart")
	cart := v.open("/cart")
	v.send("/cart/buy", "id", id, "key", cart.hidden("key"), "total", cart.hidden("total")).shows(200, "My purchases", "Your order is placed")
}
