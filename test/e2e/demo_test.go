package e2e_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

// demoRows are queries for everything in the rows of a demo that does not depend on the second in
// which it was made.
var demoRows = []string{
	"SELECT id, email, role, lang, first_name, last_name, university, campus_mailbox, payment_username FROM users",
	"SELECT id, seller_id, buyer_id, status, name, course, edition, price, condition, comments, isbn, university FROM books",
	"SELECT id, owner_id, name, course, isbn, edition, max_price, status, filled_by FROM requests",
	"SELECT key, request_id, words FROM request_keys",
	"SELECT id, book_id, request_id, owner_id, reason FROM matches",
	"SELECT id, book_id, buyer_id, seller_id, price, fee, status, reason, course_key FROM orders",
	"SELECT order_id, movement, account, amount FROM ledger",
	"SELECT user_id, id, kind, message, book_id FROM notifications",
	"SELECT term FROM terms", "SELECT spelling, term FROM spellings",
}

// demoSums returns the number of rows of each query and a digest.
func demoSums(t *testing.T, read *sql.DB) (sums []string) {
	t.Helper()
	for _, query := range demoRows {
		lines := queryLines(t, read, query)
		sums = append(sums, fmt.Sprintf("%s: %d, %x", query, len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n")))))
	}
	return sums
}

func queryLines(t *testing.T, db *sql.DB, query string) (lines []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(values...))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// batches is how many batches of a demo are in the database; 0 before it has begun.
func batches(t *testing.T, read *sql.DB) (n int) {
	_ = read.QueryRowContext(t.Context(), "SELECT batches FROM demo_campus").Scan(&n)
	return n
}

func TestAKilledDemoIsCompletedByTheSameCommand(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	settings := map[string]func(t *testing.T) (env []string, dsn string){
		"sqlite": func(t *testing.T) ([]string, string) {
			dir := t.TempDir()
			return []string{"DATA_DIR=" + dir, "BCRYPT_COST=4"}, "sqlite:" + filepath.Join(dir, "octavo.db")
		},
		"postgres": func(t *testing.T) ([]string, string) {
			deep.Only(t, "repeats what SQLite shows, and loads a campus twice")
			env := onPostgres(t)
			return append(env, "DATA_DIR="+t.TempDir(), "BCRYPT_COST=4"), strings.TrimPrefix(env[0], "DATABASE_URL=")
		},
	}
	for name, fresh := range settings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, dsn := fresh(t)
			_, read := database.Connect(t, dsn).SQL()
			today := time.Now().UTC().YearDay()
			killDemo(t, env, read, 1)
			killDemo(t, env, read, 4)
			aPartIsRefused(t, env)
			if out, code := e2e.Octavo(t, env, demo...); code != 0 {
				t.Fatalf("it is not completed: %d: %s", code, out)
			}
			if out, code := e2e.Octavo(t, env, "ledger", "check"); code != 0 {
				t.Errorf("ledger check: %d: %s", code, out)
			}
			whole, other := fresh(t)
			if out, code := e2e.Octavo(t, whole, demo...); code != 0 {
				t.Fatalf("%d: %s", code, out)
			}
			if time.Now().UTC().YearDay() != today {
				t.Skip("it is another day: the orders of the two differ")
			}
			_, readWhole := database.Connect(t, other).SQL()
			got, want := demoSums(t, read), demoSums(t, readWhole)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%s\nuninterrupted %s", got[i], want[i])
				}
			}
		})
	}
}

// demo is the command that is killed.
var demo = []string{"demo", "--books", "16000", "--users", "3000"}

// killDemo kills the command as soon as it has loaded n batches.
func killDemo(t *testing.T, env []string, read *sql.DB, n int) {
	t.Helper()
	p := e2e.Begin(t, env, demo...)
	for batches(t, read) < n {
		if p.Ended() {
			t.Fatalf("it ended before it was killed: %s", p.Output())
		}
		<-time.After(time.Millisecond)
	}
	p.Kill()
}

// aPartIsRefused requires that a part of a campus is neither served nor continued with other settings.
func aPartIsRefused(t *testing.T, env []string) {
	t.Helper()
	if out, code := e2e.Octavo(t, env, "serve", "market"); code != 1 || !strings.Contains(out, "octavo demo --books 16000 --users 3000 --seed 1") {
		t.Errorf("a part of a campus is served: %d: %s", code, out)
	}
	if out, code := e2e.Octavo(t, env, "demo", "--seed", "2"); code != 1 || !strings.Contains(out, "--books 16000 --users 3000 --seed 1") {
		t.Errorf("another demo continues it: %d: %s", code, out)
	}
}
