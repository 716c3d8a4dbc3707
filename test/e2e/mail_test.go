package e2e_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

var hidden = regexp.MustCompile(`name="token" value="([^"]+)"`)

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
	if r, page := exchange(t, "GET", link, ""); r.StatusCode != http.StatusOK || !hidden.MatchString(page) {
		t.Fatalf("%d %s", r.StatusCode, page)
	}
	if r, page := exchange(t, "POST", link, "List-Unsubscribe=One-Click", "Content-Type", "application/x-www-form-urlencoded"); r.StatusCode != http.StatusOK || !strings.Contains(page, "no longer receive emails") {
		t.Fatalf("%d %s", r.StatusCode, page)
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
	db := openBesideTheProgram(t, filepath.Join(s.DataDir, "octavo.db"))
	if _, err := db.ExecContext(t.Context(), "DELETE FROM mail_digests"); err != nil {
		t.Fatal(err)
	}
}
