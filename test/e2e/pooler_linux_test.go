package e2e_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

func TestReplicasShareAFewConnectionsThroughPgBouncer(t *testing.T) {
	t.Parallel()
	direct := database.PostgresURL(t)
	pooled := servers.PgBouncer(t, direct, servers.PassOctavosParameters)
	f := e2e.StartFleet(t, 2, []string{"DATABASE_URL=" + pooled + "&default_query_exec_mode=exec", "DATABASE_DIRECT_URL=" + direct})
	if out, code := f.Octavo("doctor"); code != 0 || strings.Contains(out, "FAIL") || !strings.Contains(out, "ALTER ROLE octavo SET statement_timeout") {
		t.Errorf("the doctor ends with %d: %s", code, out)
	}
	ada := f.Student("ada@u.rochester.edu", "Ada")
	buyers := make([]e2e.Client, 4)
	for i := range buyers {
		buyers[i] = f.Student(fmt.Sprintf("buyer%d@u.rochester.edu", i), "Buyer")
	}
	ada.URL = f.Replicas[0].URL
	lines := follow(t, e2e.Client{URL: f.Replicas[1].URL, Token: ada.Token}, "")
	await(t, lines, "connected")
	id := ada.Post(t, "Introduction to Algorithms", "CSC 172")
	await(t, lines, "“Introduction to Algorithms”")

	var sold atomic.Int32
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			a, err := buyers[i%len(buyers)].Do("POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
			if err != nil || a.Status != 201 && a.Status != 409 {
				t.Errorf("a checkout answers %d %s %v", a.Status, a.Body, err)
			}
			if a.Status == 201 {
				sold.Add(1)
			}
		})
	}
	all.Wait()
	if sold.Load() != 1 {
		t.Errorf("the book was sold %d times", sold.Load())
	}
	f.Mail("ada@u.rochester.edu", "book_sold")
	for _, command := range [][]string{{"ledger", "check"}, {"migrate", "up"}} {
		if out, code := f.Octavo(command...); code != 0 {
			t.Errorf("octavo %s: %s", strings.Join(command, " "), out)
		}
	}
}

func TestTheDoctorSaysWhatAPoolerBreaks(t *testing.T) {
	t.Parallel()
	direct := database.PostgresURL(t)
	pooled, strict := servers.PgBouncer(t, direct, servers.PassOctavosParameters), servers.PgBouncer(t, direct)
	if out, code := e2e.Octavo(t, []string{"DATABASE_URL=" + direct}, "migrate", "up"); code != 0 {
		t.Fatal(out)
	}
	for name, c := range map[string]struct {
		env  []string
		says []string
	}{
		"no settings of PgBouncer": {[]string{"DATABASE_URL=" + strict}, []string{
			"FAIL  database", "refuses the parameter", servers.PassOctavosParameters,
		}},
		"no settings of Octavo": {[]string{"DATABASE_URL=" + pooled}, []string{
			"prepared statements are lost", "default_query_exec_mode=exec", "the locks of migrations", "LISTEN hears nothing", "→ set DATABASE_DIRECT_URL",
		}},
		"no direct URL": {[]string{"DATABASE_URL=" + pooled + "&default_query_exec_mode=exec"}, []string{
			"schema up to date", "the locks of migrations", "LISTEN hears nothing", "→ set DATABASE_DIRECT_URL",
		}},
		"a direct URL through the pooler": {[]string{"DATABASE_URL=" + pooled + "&default_query_exec_mode=exec", "DATABASE_DIRECT_URL=" + pooled}, []string{
			"the locks of migrations", "LISTEN hears nothing", "→ DATABASE_DIRECT_URL has to lead to Postgres itself",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := e2e.Octavo(t, append(c.env, "DATA_DIR="+t.TempDir(), "PORT=0"), "doctor")
			if code != 1 {
				t.Errorf("the doctor ends with %d, want 1", code)
			}
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("the doctor does not say %q:\n%s", want, out)
				}
			}
		})
	}
	if out, code := e2e.Octavo(t, []string{"DATABASE_URL=" + direct, "DATA_DIR=" + t.TempDir(), "PORT=0"}, "doctor"); code != 0 || strings.Contains(out, "pooler") {
		t.Errorf("without a pooler the doctor ends with %d: %s", code, out)
	}
}
