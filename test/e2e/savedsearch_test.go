package e2e_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestASavedSearchLeadsToASale(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ann, bob, seller := s.Student("ann@campus.edu", "Ann"), s.Student("bob@campus.edu", "Bob"), s.Student("sel@campus.edu", "Sel")
	for _, c := range []e2e.Client{ann, bob} {
		c.Must(t, http.StatusCreated, "POST", "/api/user/saveSearch", map[string]any{"query": "topolog", "maxPrice": 100, "mail": true})
	}
	ann.Must(t, http.StatusCreated, "POST", "/api/user/saveSearch", map[string]any{"course": "math440", "mail": true})
	id := seller.Post(t, "Topology\u00a0<script>", "MATH 440")
	mail := s.Mail("ann@campus.edu", "search_hit")
	link := stopLink.FindString(mail.Text)
	if !strings.HasPrefix(link, s.URL) || !strings.Contains(mail.Text, s.URL+"/searches") {
		t.Fatalf("the mail is %q", mail.Text)
	}
	ann.Must(t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
	s.Mail("sel@campus.edu", "book_sold")

	reader := newVisitor(t)
	if status, _ := reader.open(link + "x"); status != http.StatusNotFound {
		t.Errorf("a forged link: %d", status)
	}
	if status, page := reader.send(link, url.Values{"List-Unsubscribe": {"One-Click"}}); status != http.StatusOK || !strings.Contains(page, "this saved search") {
		t.Fatalf("%d %s", status, page)
	}
	searches := ann.Must(t, http.StatusOK, "GET", "/api/user/getSavedSearches", nil)
	if text := string(searches.Body); strings.Count(text, `"mail":true`) != 1 || strings.Count(text, `"mail":false`) != 1 {
		t.Errorf("after one link was used: %s", text)
	}
}
