package e2e_test

import (
	"bufio"
	"bytes"
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
		r.Header.Set(headers[i], headers[i+1])
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
	bearer, json := "Bearer "+ada.Token, "application/json"
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		has                string
	}{
		"unknown route":             {"GET", "/api/nothing", "", nil, 404, `"code":"route_not_found"`},
		"another method":            {"DELETE", "/api/books/postBook", "", nil, 405, `"method":"/api/books/postBook"`},
		"a trailing slash":          {"GET", "/api/books/getAllBooks/", "", nil, 200, `"method":"/api/books/getAllBooks"`},
		"an alias":                  {"GET", "/api/getUserData", "", []string{"Authorization", bearer}, 200, `"method":"/api/user/getUserData"`},
		"encoded slashes":           {"GET", "/api/books/search/public/C%2FC%2B%2B", "", nil, 200, "The C/C++ Book"},
		"an encoded slash alone":    {"GET", "/api/books/search/public/%2F", "", nil, 200, `"data":[]`},
		"decoded once":              {"GET", "/api/books/getBook/%2531", "", nil, 404, "book_not_found"},
		"no token":                  {"GET", "/api/getUserData", "", nil, 401, "unauthenticated"},
		"a bad optional token":      {"GET", "/api/books/getAllBooks", "", []string{"Authorization", "Bearer x"}, 401, "unauthenticated"},
		"no JSON":                   {"POST", "/api/postBook", "{", []string{"Authorization", bearer, "Content-Type", json}, 400, "invalid_json"},
		"a form":                    {"POST", "/api/postBook", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
		"a POST without a body":     {"POST", "/api/clearCart", "", []string{"Authorization", bearer}, 200, `"data":{}`},
		"missing fields":            {"POST", "/api/postBook", "{}", []string{"Authorization", bearer, "Content-Type", json}, 400, `"name":"This field is missing."`},
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
		if answer.Header.Get("X-Request-Id") == "" || c.status == 401 && answer.Header.Get("WWW-Authenticate") != "Bearer" || c.status == 405 && answer.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %v", name, answer.Header)
		}
	}
}

func TestABodyAboveOneMebibyteIsRefused(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	for name, body := range map[string]io.Reader{
		"declared": bytes.NewReader(make([]byte, 1<<20+1)),
		"chunked":  io.LimitReader(zeros{}, 1<<20+1),
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/postBook", body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != 413 {
			t.Errorf("%s: %d, want 413", name, answer.StatusCode)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

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

func TestASaleGoesThroughAllStages(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada, ben, root := s.Student("ada@u.rochester.edu", "Ada"), s.Student("ben@rit.edu", "Ben"), s.Student("root@rit.edu", "Root")
	if out, code := s.Octavo("users", "promote", "root@rit.edu", "--role", "owner"); code != 0 {
		t.Fatalf("promote: %s", out)
	}
	one := map[string]any{"bookId": ada.Post(t, "=cmd|' /C calc'!A0", "CSC 172")}
	ben.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []any{one["bookId"]}})
	ben.Must(t, 403, "POST", "/api/dashboard/confirmBook", one)
	root.Must(t, 200, "POST", "/api/dashboard/confirmBook", one)
	root.Must(t, 409, "POST", "/api/dashboard/confirmBook", one)
	root.Must(t, 200, "POST", "/api/dashboard/cancelTransaction", map[string]any{"bookId": one["bookId"], "reason": "A page is missing."})
	s.Mail("ben@rit.edu", "order_cancelled")
	ben.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []any{one["bookId"]}})
	root.Must(t, 200, "POST", "/api/dashboard/confirmBook", one)
	root.Must(t, 200, "POST", "/api/dashboard/setBookPaid", one)
	s.Mail("ada@u.rochester.edu", "payment_sent")

	var made, spent struct{ MoneyMade, MoneySpent float64 }
	ada.Must(t, 200, "GET", "/api/user/getUserStatistics", nil).Data(t, &made)
	ben.Must(t, 200, "GET", "/api/user/getUserStatistics", nil).Data(t, &spent)
	if made.MoneyMade != 42.5 || spent.MoneySpent != 44.63 {
		t.Errorf("made %v, spent %v", made, spent)
	}
	csv := string(root.Must(t, 200, "GET", "/api/dashboard/exportTransactions", nil).Body)
	if strings.Count(csv, "\n") != 3 || !strings.Contains(csv, "'=cmd|") || !strings.Contains(csv, `,"cancelled",`) || !strings.Contains(csv, `,"delivered",`) {
		t.Errorf("exported %s", csv)
	}
	if out, code := s.Octavo("ledger", "check"); code != 0 {
		t.Errorf("ledger check: %s", out)
	}
}
