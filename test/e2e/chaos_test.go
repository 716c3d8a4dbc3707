package e2e_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver behind sql.Open("pgx")

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// chaosDuration is short by default; OCTAVO_CHAOS=10m is the long form.
func chaosDuration(t *testing.T) time.Duration {
	text := os.Getenv("OCTAVO_CHAOS")
	if text == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("OCTAVO_CHAOS: %v", err)
	}
	return d
}

func TestNothingAcknowledgedIsLostWhileEverythingBreaks(t *testing.T) {
	deep.Only(t, "breaks everything at once")
	t.Parallel()
	duration, post := chaosDuration(t), servers.SMTP(t)
	f := e2e.StartFleet(t, 3, []string{"SMTP_URL=" + post.URL, "MAIL_FROM=octavo@example.edu", "LIMIT_OPEN_PURCHASES=10000"}, "auth", "market")
	d := newJournal()
	traders := newTraders(t, f, d, 6)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, tr := range traders {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					tr.act(t)
				}
			}
		})
	}
	injectFaults(t, f, duration)
	close(stop)
	all.Wait()
	f.AwaitReady() // a replica may need a second to notice that Redis is back
	t.Logf("%d posted, %d bought, %d revoked, answers: %v", len(d.posted), len(d.buyer), len(d.revoked), d.statuses)
	checkAcknowledged(t, f, d, traders, post)
}

func newTraders(t *testing.T, f *e2e.Fleet, d *journal, n int) []*trader {
	t.Helper()
	var all []*trader
	for i := range n {
		tr := &trader{email: fmt.Sprintf("t%02d@mit.edu", i), journal: d}
		tr.client = f.Student(tr.email, "Terry")
		var ok bool
		if tr.tokens, ok = tr.signIn(); !ok {
			t.Fatalf("%s cannot sign in", tr.email)
		}
		all = append(all, tr)
	}
	return all
}

// injectFaults kills one process after another and restarts each.
func injectFaults(t *testing.T, f *e2e.Fleet, duration time.Duration) {
	t.Helper()
	faults := []func(){
		func() { p := f.Replicas[rand.IntN(len(f.Replicas))]; p.Kill(); pauseBriefly(); p.Restart() },
		func() { f.Redis.Kill(); pauseBriefly(); f.Redis.Restart() },
		func() { p := f.Mailers[rand.IntN(len(f.Mailers))]; p.Kill(); pauseBriefly(); p.Restart() },
		func() { refuseConnections(t, f.Database) },
	}
	for begun, n := time.Now(), 0; time.Since(begun) < duration || n < len(faults); n++ {
		if n < len(faults) {
			faults[n]() // each at least once
		} else {
			faults[rand.IntN(len(faults))]()
		}
		pauseBriefly()
	}
}

// away is how long a fault duration, and the time between faults.
func pauseBriefly() { <-time.After(time.Duration(200+rand.IntN(600)) * time.Millisecond) }

// refuseConnections has the effect of a restart of Postgres: the replicas' connections break, and new
// ones are refused for a while.
func refuseConnections(t *testing.T, database string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{
		"ALTER DATABASE " + name + " ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
		"",
		"ALTER DATABASE " + name + " ALLOW_CONNECTIONS true",
	} {
		if statement == "" {
			pauseBriefly()
		} else if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func checkAcknowledged(t *testing.T, f *e2e.Fleet, d *journal, traders []*trader, post *servers.MailServer) {
	t.Helper()
	for _, s := range d.unexpected {
		t.Errorf("unexpected response: %s", s)
	}
	if len(d.posted) == 0 || len(d.buyer) == 0 || len(d.revoked) == 0 {
		t.Error("the clients have not posted, bought and signed out")
	}
	anyone := e2e.Client{URL: f.URL}
	for _, tr := range traders {
		tr.client.Token = tr.tokens.AccessToken
		for id, seller := range d.seller {
			if seller == tr.email {
				tr.client.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+id, nil)
			}
		}
		checkPurchases(t, tr, d)
	}
	for _, r := range d.revoked {
		e2e.Client{URL: f.URL, Token: r.AccessToken}.Must(t, http.StatusUnauthorized, "GET", "/api/user/getUserData", nil)
		if _, code := anyone.GraphQL(t, `mutation($t:String!){refreshSession(refreshToken:$t){accessToken}}`, map[string]any{"t": r.RefreshToken}); code != "SESSION_INVALID" {
			t.Errorf("the refresh of a revoked session answers %q", code)
		}
	}
	if out, code := f.Octavo("ledger", "check"); code != 0 {
		t.Errorf("the ledger does not balance: %s", out)
	}
	checkMails(t, d, post)
}

func checkPurchases(t *testing.T, tr *trader, d *journal) {
	t.Helper()
	bought := map[string]bool{}
	for path := "/api/user/getPurchasedBooks?limit=100"; path != ""; {
		a := tr.client.Must(t, http.StatusOK, "GET", path, nil)
		var page []struct{ ID string }
		a.Data(t, &page)
		for _, b := range page {
			bought[b.ID] = true
		}
		path = nextPage(a)
	}
	for id, buyer := range d.buyer {
		if buyer == tr.email && !bought[id] {
			t.Errorf("the purchase of %s by %s is lost", id, buyer)
		}
	}
}

// nextPage returns the address in the answer's Link header, or "" on the last page.
func nextPage(a e2e.Answer) string {
	for link := range strings.SplitSeq(a.Header.Get("Link"), ",") {
		if target, rel, _ := strings.Cut(link, ";"); strings.Contains(rel, `rel="next"`) {
			u, err := url.Parse(strings.Trim(target, " <>"))
			if err == nil {
				return u.RequestURI()
			}
		}
	}
	return ""
}

// checkMails waits for a mail about each sale, and requires a second one to be a repetition
// of the first.
func checkMails(t *testing.T, d *journal, post *servers.MailServer) {
	t.Helper()
	missing := func() (missing []string) {
		told := map[string]bool{}
		for _, m := range post.Mails() {
			told[m.To+" "+m.Subject] = true
		}
		for id := range d.buyer {
			if line := d.seller[id] + " Sold: “" + d.posted[id] + "”"; !told[line] {
				missing = append(missing, line)
			}
		}
		return missing
	}
	// Messages that a killed mailer had leased are sent again after 40 s.
	for deadline := time.Now().Add(90 * time.Second); len(missing()) > 0 && time.Now().Before(deadline); {
		<-time.After(100 * time.Millisecond)
	}
	for _, line := range missing() {
		t.Errorf("this mail was not sent: %s", line)
	}
	ids, repeats := map[string]string{}, 0
	for _, m := range post.Mails() {
		if !strings.HasPrefix(m.Subject, "Sold: ") {
			continue
		}
		before, again := ids[m.Subject]
		if again && before != m.ID {
			t.Errorf("two messages with the subject %q", m.Subject)
		} else if again {
			repeats++
		}
		ids[m.Subject] = m.ID
	}
	t.Logf("%d mails about sales, %d repeats with the same Message-ID", len(ids), repeats)
}
