package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// exchange sends a request unchanged and returns the response and its body.
func exchange(t *testing.T, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(b)
}

// Only the whole program has the middleware, the router and the handlers together.
func TestTheMarketFollowsTheRulesOfHTTP(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada := s.Student("ada@u.rochester.edu", "Ada")
	ada.Post(t, "The C/C++ Book", "CSC 172")
	bearer := "Bearer " + ada.Token
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		has                string
	}{
		"unknown route":             {"GET", "/api/nothing", "", nil, 404, `"code":"route_not_found"`},
		"encoded slashes":           {"GET", "/api/books/search/public/C%2FC%2B%2B", "", nil, 200, "The C/C++ Book"},
		"no token":                  {"GET", "/api/getUserData", "", nil, 401, "unauthenticated"},
		"a bad optional token":      {"GET", "/api/books/getAllBooks", "", []string{"Authorization", "Bearer x"}, 401, "unauthenticated"},
		"an admin's route":          {"GET", "/api/dashboard/getUsers", "", []string{"Authorization", bearer}, 403, "forbidden"},
		"another site's cookie":     {"POST", "/api/clearCart", "", []string{"Cookie", "octavo_access=" + ada.Token, "Origin", "https://evil.example"}, 403, "forbidden"},
		"a cookie from this site":   {"POST", "/api/clearCart", "", []string{"Cookie", "octavo_access=" + ada.Token}, 200, `"data":{}`},
		"the document":              {"GET", "/api/openapi.yaml", "", nil, 200, "openapi: 3.0.3"},
		"the page of the document":  {"GET", "/api/docs", "", nil, 200, "/api/docs/swagger-ui-bundle.js"},
		"webhooks have no envelope": {"GET", "/api/hosts", "", nil, 404, "route_not_found"},
	} {
		answer, body := exchange(t, c.method, s.URL+c.path, c.body, c.headers...)
		if answer.StatusCode != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s: %d %.300s", name, answer.StatusCode, body)
		}
		if answer.Header.Get("X-Request-Id") == "" || c.status == 401 && answer.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %v", name, answer.Header)
		}
	}
}

// follow opens a user's event stream and sends its lines until it ends.
func follow(t *testing.T, c e2e.Client, last string) <-chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", c.URL+"/api/user/notifications/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := (&http.Client{}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream answers %d %v", answer.StatusCode, answer.Header)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer func() { _ = answer.Body.Close() }()
		for in := bufio.NewScanner(answer.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// await reads up to a line with the text. It returns "" if the stream ends first.
func await(t *testing.T, lines <-chan string, text string) string {
	t.Helper()
	limit := time.After(poll.Limit)
	for {
		select {
		case line, open := <-lines:
			if !open || strings.Contains(line, text) {
				return line
			}
		case <-limit:
			t.Fatalf("no line with %q arrived", text)
		}
	}
}

func TestAStreamReportsWhatHappensAtAnotherReplica(t *testing.T) {
	t.Parallel()
	f := e2e.StartFleet(t, 2, nil, "market")
	ada := f.Student("ada@u.rochester.edu", "Ada")
	there := ada
	ada.URL, there.URL = f.Replicas[0].URL, f.Replicas[1].URL
	lines := follow(t, there, "")
	await(t, lines, "connected")
	for i := range 3 {
		title := fmt.Sprint("Book ", i)
		ada.Post(t, title, "CSC 172")
		await(t, lines, "“"+title+"”")
	}
}

func TestTheStreamResumesAcrossARestartAndEndsWithItsSession(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada := s.Student("ada@u.rochester.edu", "Ada")
	lines := follow(t, ada, "")
	await(t, lines, "connected")
	ada.Post(t, "First", "CSC 172")
	last := strings.TrimPrefix(await(t, lines, "id: "), "id: ")
	await(t, lines, "“First”")

	if code := s.Stop(); code != 0 {
		t.Errorf("a stream made the program exit with %d, want 0", code)
	}
	if strings.Contains(s.Log(), "open requests were cut off at shutdown") {
		t.Errorf("a stream held the program up until it was cut off:\n%s", s.Log())
	}
	await(t, lines, "no such line")
	s.Restart()
	ada.Post(t, "Second", "CSC 172")
	again := follow(t, ada, last)
	if line := await(t, again, "data: "); !strings.Contains(line, "“Second”") {
		t.Errorf("resumed with %q", line)
	}
	ada.Must(t, 200, "POST", "/api/auth/logout", nil)
	if line := await(t, again, "no such line"); line != "" {
		t.Errorf("the stream continued after its session had ended: %q", line)
	}
}
