package e2e_test

import (
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// visitor is a person with cookies who follows links and sends forms.
type visitor struct {
	t      *testing.T
	client *http.Client
}

func newVisitor(t *testing.T) visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return visitor{t, &http.Client{Jar: jar}}
}

func (b visitor) open(address string) (int, string) {
	b.t.Helper()
	return b.read(b.client.Get(address))
}

func (b visitor) send(address string, form url.Values) (int, string) {
	b.t.Helper()
	return b.read(b.client.PostForm(address, form))
}

func (b visitor) read(resp *http.Response, err error) (int, string) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(page)
}

var hidden = regexp.MustCompile(`name="token" value="([^"]+)"`)

func TestAnInvitationIsAcceptedInABrowserWithoutAPassword(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	admin := s.Student("head@campus.edu", "Head")
	s.Promote("head@campus.edu", "admin")
	if _, code := admin.GraphQL(t, `mutation { inviteUser(email: "guest@campus.edu", lang: FR) }`, nil); code != "" {
		t.Fatal(code)
	}
	mail := s.Mail("guest@campus.edu", "invitation")
	if mail.Link == nil || !strings.HasPrefix(*mail.Link, s.URL+"/invitation?token=") || mail.Lang != "fr" {
		t.Fatalf("the mail is %+v", mail)
	}
	guest := newVisitor(t)
	for range 3 { // mail scanners open the link, too
		if status, page := guest.open(*mail.Link); status != http.StatusOK || !hidden.MatchString(page) {
			t.Fatalf("%d %s", status, page)
		}
	}
	_, page := guest.open(*mail.Link)
	form := url.Values{"token": {hidden.FindStringSubmatch(page)[1]}}
	if status, page := guest.send(s.URL+"/invitation", url.Values{"token": form["token"], "password": {"short"}}); status != http.StatusBadRequest || !hidden.MatchString(page) {
		t.Errorf("a bad password: %d %s", status, page)
	}
	if status, page := guest.send(s.URL+"/invitation", form); status != http.StatusOK || !strings.Contains(page, "signed in") {
		t.Fatalf("%d %s", status, page)
	}
	answer, err := guest.client.Post(s.URL+"/graphql", "application/json", strings.NewReader(`{"query":"{ me { email verified } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, body := guest.read(answer, nil); !strings.Contains(body, `"email":"guest@campus.edu"`) || !strings.Contains(body, `"verified":true`) {
		t.Errorf("not signed in: %s", body)
	}
	if status, _ := newVisitor(t).send(s.URL+"/invitation", form); status != http.StatusNotFound {
		t.Errorf("a second time: %d, want %d", status, http.StatusNotFound)
	}
}

var stopLink = regexp.MustCompile(`http://\S+/unsubscribe\?token=\S+`)

func TestUnsubscribingStopsMailsAboutMatchesOnly(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ann, bob, seller := s.Student("ann@campus.edu", "Ann"), s.Student("bob@campus.edu", "Bob"), s.Student("sel@campus.edu", "Sel")
	for _, c := range []e2e.Client{ann, bob} {
		c.Must(t, http.StatusCreated, "POST", "/api/books/requestBook", map[string]any{"name": "Topology", "course": "MATH 440"})
	}
	seller.Post(t, "Topology", "MATH 440")
	link := stopLink.FindString(s.Mail("ann@campus.edu", "match_found").Text)
	if !strings.HasPrefix(link, s.URL) {
		t.Fatalf("the mail has no unsubscribe link: %q", link)
	}
	reader := newVisitor(t)
	if status, page := reader.open(link); status != http.StatusOK || !hidden.MatchString(page) {
		t.Fatalf("%d %s", status, page)
	}
	if status, page := reader.send(link, url.Values{"List-Unsubscribe": {"One-Click"}}); status != http.StatusOK || !strings.Contains(page, "no longer receive emails") {
		t.Fatalf("%d %s", status, page)
	}
	first := s.Mail("bob@campus.edu", "match_found")
	anHourLater(t, s)
	second := seller.Post(t, "Topology, second copy", "MATH 440")
	s.MailAfter("bob@campus.edu", "match_found", first.ID) // by then the mail to Ann would have arrived
	ann.Must(t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{second}})
	s.Mail("ann@campus.edu", "purchase_placed")
	matches := 0
	for _, m := range s.Mailbox("ann@campus.edu") {
		if m.Kind == "match_found" {
			matches++
		}
	}
	if matches != 1 {
		t.Errorf("%d mails about matches, want 1", matches)
	}
}

// anHourLater lets mails of gathered kinds be sent again at once.
func anHourLater(t *testing.T, s *e2e.Server) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.DataDir, "octavo.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "DELETE FROM mail_digests"); err != nil {
		t.Fatal(err)
	}
}

func TestTheMailboxHasAPage(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	s.Student("ann@campus.edu", "Ann")
	mail := s.Mail("ann@campus.edu", "verification")
	b := newVisitor(t)
	if status, page := b.open(s.URL + "/dev/mail?to=ann@campus.edu"); status != http.StatusOK || !strings.Contains(page, mail.Subject) || !strings.Contains(page, *mail.Link) {
		t.Errorf("%d %s", status, page)
	}
	if status, page := b.open(s.URL + "/dev/mail.html?id=" + mail.ID); status != http.StatusOK || page != mail.HTML {
		t.Errorf("%d %s", status, page)
	}
	if status, page := b.open(s.URL + "/"); status != http.StatusOK || !strings.Contains(page, `role="search"`) {
		t.Errorf("%d %s", status, page)
	}
	_, raw := b.open(s.URL + "/dev/mail.json")
	var all []map[string]any
	if err := json.Unmarshal([]byte(raw), &all); err != nil || len(all) == 0 {
		t.Fatalf("%v %s", err, raw)
	}
	for _, m := range all {
		for name, value := range m {
			if _, text := value.(string); !text && (value != nil || name != "code" && name != "link") || len(m) != 10 {
				t.Errorf("%s is %v in %v", name, value, m)
			}
		}
	}
}
