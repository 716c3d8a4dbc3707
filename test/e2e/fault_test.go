package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// awaitRecovery waits until a request has the wanted answer.
func awaitRecovery(t *testing.T, c e2e.Client, method, path string) {
	t.Helper()
	var a e2e.Answer
	var err error
	if !poll.Until(func() bool { a, err = c.Do(method, path, nil); return err == nil && a.Status == http.StatusOK }) {
		t.Fatalf("%s did not recover: %d %s, %v", path, a.Status, a.Body, err)
	}
}

// unavailable requires a 503 with Retry-After.
func unavailable(t *testing.T, c e2e.Client, method, path string) {
	t.Helper()
	a := c.Must(t, http.StatusServiceUnavailable, method, path, nil)
	if a.Header.Get("Retry-After") == "" {
		t.Errorf("%s: 503 without Retry-After", path)
	}
}

func TestAfterARedisFailoverEverybodyIsStillSignedIn(t *testing.T) {
	deep.NotShort(t, "starts six servers")
	t.Parallel()
	for name, start := range map[string]func(testing.TB) *servers.RedisGroup{"cluster": servers.RedisCluster, "sentinel": servers.RedisSentinel} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			s := e2e.StartWith(t, []string{"REDIS_URL=" + g.URL, "QUEUE_URL=" + g.URL}, "auth", "market", "mailer")
			ada := s.Student("ada@rit.edu", "Ada")
			var me struct{ ID string }
			ada.Must(t, http.StatusOK, "GET", "/api/user/getUserData", nil).Data(t, &me)
			key := "octavo:{u" + me.ID + "}:test"
			g.Settle(key)
			g.Master(key).Kill()
			unavailable(t, ada, "GET", "/api/user/getUserData")
			for _, url := range s.Each() { // each replica finds the new master itself
				there := ada
				there.URL = url
				awaitRecovery(t, there, "GET", "/api/user/getUserData")
			}
			awaitReadiness(t, s.URL, http.StatusOK, `"redis":"up"`)
			s.Login("ada@rit.edu")
			s.Student("ben@rit.edu", "Ben") // uses the limits and the queue
		})
	}
}

func TestRequestsEndSoonWhileRedisHangs(t *testing.T) {
	t.Parallel()
	redis := servers.Redis(t)
	s := e2e.StartWith(t, []string{"REDIS_URL=" + redis.URL}, "auth", "market")
	ada := s.Student("ada@rit.edu", "Ada")
	resume := redis.Pause()
	defer resume()
	impatient := ada
	impatient.HTTP = &http.Client{Timeout: 20 * time.Second} // below the 30 s of a request: the timeouts of Redis apply first
	unavailable(t, impatient, "GET", "/api/user/getUserData")
	e2e.Client{URL: s.URL}.Must(t, http.StatusOK, "GET", "/api/books/getBooksNoToken/20/0", nil)
	awaitReadiness(t, s.URL, http.StatusServiceUnavailable, `"redis":"down"`)
	resume()
	awaitRecovery(t, ada, "GET", "/api/user/getUserData")
}

func TestRequestsEndInTimeWhilePostgresHangs(t *testing.T) {
	deep.NotShort(t, "takes half a minute: that is how long a request may")
	t.Parallel()
	dsn := strings.TrimPrefix(onPostgres(t)[0], "DATABASE_URL=")
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	proxy := servers.NewProxy(t, u.Host)
	s := e2e.StartWith(t, []string{"DATABASE_URL=" + proxy.Through(dsn)}, "auth", "market")
	ada := s.Student("ada@rit.edu", "Ada")
	anyone := e2e.Client{URL: s.URL}

	resume := proxy.Hang()
	defer resume()
	var all sync.WaitGroup
	for i := range 40 { // more than the pool has connections
		all.Go(func() {
			c, path := ada, "/api/user/getUserData"
			if i%2 == 0 {
				c, path = anyone, "/api/books/getBooksNoToken/20/0"
			}
			if a, err := c.Do("GET", path, nil); err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %d %s, %v", path, a.Status, a.Body, err)
			}
		})
	}
	awaitReadiness(t, s.URL, http.StatusServiceUnavailable, `"database":"down"`)
	anyone.Must(t, http.StatusOK, "GET", "/healthz", nil)
	anyone.Must(t, http.StatusOK, "GET", "/.well-known/jwks.json", nil)
	all.Wait()
	resume()
	awaitRecovery(t, ada, "GET", "/api/user/getUserData")
	ada.Post(t, "Calculus", "MTH 161")
}

func TestAHangingMailServerDelaysNoRequest(t *testing.T) {
	t.Parallel()
	post := servers.SMTP(t)
	u, err := url.Parse(post.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := servers.NewProxy(t, u.Host)
	s := e2e.StartWith(t, []string{"SMTP_URL=" + proxy.Through(post.URL), "MAIL_FROM=octavo@example.edu"}, "auth")
	resume := proxy.Hang()
	defer resume()
	for i := range 5 {
		who := map[string]any{"email": fmt.Sprintf("p%d@rit.edu", i), "password": e2e.Password}
		if _, code := (e2e.Client{URL: s.URL}).GraphQL(t, signUpMutation, who); code != "" {
			t.Errorf("signing up: %s", code)
		}
	}
	resume()
	arrive(t, post.Mails, 5)
}

// arrive waits for a number of mails and requires that none is repeated.
func arrive(t *testing.T, mails func() []servers.Mail, n int) {
	t.Helper()
	var got []servers.Mail
	poll.Until(func() bool { got = mails(); return len(got) >= n })
	ids := map[string]bool{}
	for _, m := range got {
		ids[m.ID] = true
	}
	if len(got) != n || len(ids) != n {
		t.Errorf("%d mails came with %d ids, want %d", len(got), len(ids), n)
	}
}

func TestAGreylistedMailArrivesOnce(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	office := &smtpServer{refuse: func(to string) error {
		if _, again := seen.LoadOrStore(to, true); again {
			return nil
		}
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted, try again"}
	}}
	address := servers.Address(t)
	office.open(t, address)
	s := e2e.StartWith(t, []string{"SMTP_URL=smtp://" + address + "?tls=off", "MAIL_FROM=octavo@example.edu"}, "auth")
	if _, code := (e2e.Client{URL: s.URL}).GraphQL(t, signUpMutation, map[string]any{"email": "ada@rit.edu", "password": e2e.Password}); code != "" {
		t.Fatal(code)
	}
	office.await(t, "To: <ada@rit.edu>")
	office.mu.Lock()
	defer office.mu.Unlock()
	if n := len(office.mails); n != 1 {
		t.Errorf("%d mails", n)
	}
}
