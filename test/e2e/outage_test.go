package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// skipOverReplicas skips a test over replicas if it is about the metrics, the exit or the parser of
// one process, or about a store that replicas do not use.
func skipOverReplicas(t *testing.T) {
	t.Helper()
	if e2e.OverReplicas() {
		t.Skip("tests a single program, or one with a store of its own")
	}
}

func ready(t *testing.T, url string) (status int, body string) {
	t.Helper()
	a, err := e2e.Client{URL: url}.Do("GET", "/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	return a.Status, string(a.Body)
}

// awaitReadiness waits until /readyz has a status.
func awaitReadiness(t *testing.T, url string, status int, part string) {
	t.Helper()
	got, body := 0, ""
	if !poll.Until(func() bool { got, body = ready(t, url); return got == status && strings.Contains(body, part) }) {
		t.Errorf("readiness is %d %s, want %d with %s", got, body, status, part)
	}
}

const signUpMutation = `mutation($email:String!,$password:String!){signUp(email:$email,password:$password)}`

func TestRequestsSucceedAndMailsWaitWhileTheBrokerIsDown(t *testing.T) {
	t.Parallel()
	type broker interface {
		Kill()
		Restart()
	}
	for name, start := range map[string]func(t *testing.T) (string, broker){
		"redis": func(t *testing.T) (string, broker) { s := servers.Redis(t); return s.URL, s },
		"nats":  func(t *testing.T) (string, broker) { s := servers.NATS(t); return s.URL, s },
	} {
		t.Run(name, func(t *testing.T) {
			url, broker := start(t)
			s := e2e.StartWith(t, []string{"QUEUE_URL=" + url}, "auth", "mailer")
			c := e2e.Client{URL: s.URL}
			who := func(email string) map[string]any { return map[string]any{"email": email, "password": e2e.Password} }
			if _, code := c.GraphQL(t, signUpMutation, who("ada@rit.edu")); code != "" {
				t.Fatal(code)
			}
			s.Mail("ada@rit.edu", "verification")

			broker.Kill()
			awaitReadiness(t, s.URL, http.StatusOK, `"queue":"degraded"`)
			if _, code := c.GraphQL(t, signUpMutation, who("ben@rit.edu")); code != "" {
				t.Errorf("signing up: %s", code)
			}
			broker.Restart()
			if m := s.Mail("ben@rit.edu", "verification"); m.Code == nil {
				t.Errorf("mail: %+v", m)
			}
			awaitReadiness(t, s.URL, http.StatusOK, `"queue":"up"`)
			if n := len(s.Mailbox("ben@rit.edu")); n != 1 {
				t.Errorf("%d mails, want 1", n)
			}
		})
	}
}

func TestRequestsWithoutASessionWorkWhileRedisIsDown(t *testing.T) {
	t.Parallel()
	redis := servers.Redis(t)
	s := e2e.StartWith(t, []string{"REDIS_URL=" + redis.URL}, "auth", "market")
	ada := s.Student("ada@rit.edu", "Ada")
	ada.Post(t, "Calculus", "MTH 161")
	anyone := e2e.Client{URL: s.URL}

	redis.Kill()
	a := ada.Must(t, http.StatusServiceUnavailable, "GET", "/api/user/getUserData", nil)
	if a.Header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	anyone.Must(t, http.StatusServiceUnavailable, "POST", "/api/auth/login", map[string]string{"email": "ada@rit.edu", "password": e2e.Password})
	if _, code := ada.GraphQL(t, `{me{id}}`, nil); code != "UNAVAILABLE" {
		t.Errorf("me: %q, want \"UNAVAILABLE\"", code)
	}
	anyone.Must(t, http.StatusOK, "GET", "/api/books/getBooksNoToken/20/0", nil)
	anyone.Must(t, http.StatusOK, "GET", "/", nil)
	anyone.Must(t, http.StatusOK, "GET", "/healthz", nil)
	awaitReadiness(t, s.URL, http.StatusServiceUnavailable, `"redis":"down"`)

	redis.Restart()
	awaitReadiness(t, s.URL, http.StatusOK, `"redis":"up"`)
	s.AwaitReady()
	ada.Must(t, http.StatusOK, "GET", "/api/user/getUserData", nil)
}

func TestTheMailerNeedsAQueue(t *testing.T) {
	t.Parallel()
	out, code := e2e.Octavo(t, []string{"DATA_DIR=" + t.TempDir()}, "serve", "mailer")
	if code != 2 || !strings.Contains(out, "QUEUE_URL") {
		t.Errorf("%d: %s", code, out)
	}
	for _, bad := range []string{"amqp://localhost", "redis://", "nats://", "kafka"} {
		if out, code := e2e.Octavo(t, []string{"DATA_DIR=" + t.TempDir(), "QUEUE_URL=" + bad}, "serve", "auth"); code != 2 || !strings.Contains(out, "QUEUE_URL") {
			t.Errorf("%s: %d: %s", bad, code, out)
		}
	}
	if out, code := e2e.Octavo(t, []string{"DATA_DIR=" + t.TempDir(), "REDIS_URL=http://:hushhush@x"}, "serve", "auth"); code != 2 || !strings.Contains(out, "REDIS_URL") || strings.Contains(out, "hushhush") {
		t.Errorf("REDIS_URL: %d: %s", code, out)
	}
}
