package inspector_test

import (
	"context"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// site is the pages with their inbox, and a browser's cookies.
type site struct {
	*testing.T
	store   *meminbox.Inbox
	pages   *inspector.Pages
	now     time.Time
	last    int64
	cookies map[string]*http.Cookie
	sent    []string // source and event of each sample
	refusal error    // of samples
}

// Now makes the site a clock that a test sets.
func (s *site) Now() time.Time { return s.now }

// Next makes the site a source of ids.
func (s *site) Next() int64 { s.last += 10; return s.last }

// openSite opens the pages to everybody on this machine.
func openSite(t *testing.T) *site {
	return newSite(t, func(*site) inspector.Access {
		return inspector.ForThisMachine(func(*http.Request) bool { return true })
	})
}

func newSite(t *testing.T, access func(*site) inspector.Access) *site {
	t.Helper()
	s := &site{T: t, store: meminbox.New(), now: noon, cookies: map[string]*http.Cookie{}}
	pages, err := inspector.New(newAdmin(s), inspector.Options{
		Access: access(s), Sources: func() []string { return []string{inbox.DefaultSource, "ci"} },
		Send: func(_ context.Context, source, event string) (string, error) {
			s.sent = append(s.sent, source+" "+event)
			return "sample-1", s.refusal
		},
		Example: "octavo webhooks send push --to http://127.0.0.1:3000/api/host/webhooks", Clock: s, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.pages = pages
	return s
}

// add stores a delivery that was received so long before noon.
func (s *site) add(d inbox.Delivery, before time.Duration, states ...inbox.JobState) inbox.Delivery {
	s.Helper()
	d.Seq, d.ReceivedAt = s.Next(), noon.Add(-before)
	if d.Source == "" {
		d.Source = inbox.DefaultSource
	}
	if d.Event == "" {
		d.Event = "push"
	}
	if d.Payload == nil {
		d.Payload = []byte(`{"a":1}`)
	}
	for i, state := range states {
		d.Jobs = append(d.Jobs, inbox.Job{ID: d.Seq + int64(i) + 1, Seq: d.Seq, Rule: "deploy", State: state, DueAt: noon, ChangedAt: noon})
	}
	if _, err := s.store.CommitBatch(s.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}); err != nil {
		s.Fatal(err)
	}
	return d
}

// send sends a request with the cookies and keeps those of the answer.
func (s *site) send(method, path string, form url.Values, edit ...func(*http.Request)) *http.Response {
	s.Helper()
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range s.cookies {
		r.AddCookie(c)
	}
	for _, e := range edit {
		e(r)
	}
	w := httptest.NewRecorder()
	s.pages.ServeHTTP(w, r)
	answer := w.Result()
	for _, c := range answer.Cookies() {
		if s.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(s.cookies, c.Name)
		}
	}
	return answer
}

// get returns the body of a page with the wanted status.
func (s *site) get(status int, path string) string {
	s.Helper()
	return s.body(s.send("GET", path, nil), status)
}

func (s *site) body(answer *http.Response, status int) string {
	s.Helper()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		s.Errorf("answered %d, want %d: %v\n%s", answer.StatusCode, status, err, body)
	}
	return string(body)
}

// wants requires texts on a page, and none of those after "but not".
func (s *site) wants(body string, texts ...string) {
	s.Helper()
	wanted := true
	for _, text := range texts {
		if text == "but not" {
			wanted = false
			continue
		}
		if strings.Contains(body, text) != wanted {
			s.Errorf("%q is on the page: %v\n%s", text, !wanted, body)
		}
	}
}

var idField = regexp.MustCompile(`name="id" value="([^"]*)"`)

// idOf returns the id that the form of a delivery sends.
func idOf(body string) string {
	found := idField.FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

var idLink = regexp.MustCompile(`class="id"><a href="([^"]+)"`)

// linksOf returns the links of a list to its deliveries.
func linksOf(body string) (links []string) {
	for _, found := range idLink.FindAllStringSubmatch(body, -1) {
		links = append(links, html.UnescapeString(found[1]))
	}
	return links
}

func (s *site) saveRules(rules []inbox.Rule) {
	s.Helper()
	if err := s.store.SaveRules(s.Context(), rules); err != nil {
		s.Fatal(err)
	}
}
