//go:build linux

package growth_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// campus is a demo campus that a program serves.
type campus struct {
	t        *testing.T
	books    int
	postgres bool
	env      []string
	dsn      string
	db       *sql.DB
	server   *e2e.Server
	tokens   map[string]string // by role
	values   map[string]string // what placeholders stand for; "busy order" is another value of order for a role
	cursors  map[string]string
}

// roles are the people who ask. The busy one is a student to whom a thirtieth of the campus belongs.
var roles = []string{"nobody", "student", "busy", "admin", "owner"}

const demoPassword = "octavo demo campus"

func openCampus(t *testing.T, engine string, books int) *campus {
	t.Helper()
	dir := servers.Dir(t)
	dsn := "sqlite:" + filepath.Join(dir, "octavo.db")
	if engine == "postgres" {
		dsn = database.PostgresURL(t)
	}
	c := newCampus(t, books, dir, dsn)
	c.load()
	c.serve()
	return c
}

func newCampus(t *testing.T, books int, dir, dsn string) *campus {
	c := &campus{t: t, books: books, postgres: !strings.HasPrefix(dsn, "sqlite:"), tokens: map[string]string{}, values: map[string]string{}, cursors: map[string]string{}}
	c.env = []string{"DATA_DIR=" + dir, "BCRYPT_COST=4", "ACCESS_TOKEN_TTL=5h", "LIMIT_STREAMS=1000", "LOG_LEVEL=error", "HANDOVER=both"}
	if c.postgres {
		c.env = append(c.env, "DATABASE_URL="+dsn)
	}
	c.dsn = dsn
	return c
}

func (c *campus) engine() string {
	if c.postgres {
		return "postgres"
	}
	return "sqlite"
}

// load fills the database.
func (c *campus) load() {
	c.t.Helper()
	if out, code := e2e.Octavo(c.t, c.env, "migrate", "up"); code != 0 {
		c.t.Fatalf("migrate up ends with %d: %s", code, out)
	}
	demo := e2e.Begin(c.t, c.env, "demo", "--books", fmt.Sprint(c.books), "--users", fmt.Sprint(c.books/3))
	for ; !demo.Ended(); <-time.After(20 * time.Millisecond) {
	}
	if code := demo.Wait(); code != 0 {
		c.t.Fatalf("the demo ends with %d: %s", code, demo.Output())
	}
	c.db, _ = database.Connect(c.t, c.dsn).SQL()
	c.addBusyPeople()
}

// serve starts the program.
func (c *campus) serve() {
	c.t.Helper()
	c.server = e2e.StartWith(c.t, c.env)
	c.findValues()
	c.signIn()
}

// signIn signs people in who were on the campus before.
func (c *campus) signIn() {
	c.t.Helper()
	for role, id := range map[string]int{"owner": 1, "admin": 2, "busy": busy, "student": student} {
		email := c.text("SELECT email FROM users WHERE id = %d", id)
		a := e2e.Client{URL: c.server.URL}.Must(c.t, http.StatusOK, "POST", "/api/auth/login", map[string]string{"email": email, "password": demoPassword})
		var session struct{ Token string }
		a.Data(c.t, &session)
		c.tokens[role] = session.Token
	}
}

// findValues finds what the placeholders in targets stand for.
func (c *campus) findValues() {
	c.values = map[string]string{
		"university": c.text("SELECT university FROM users WHERE id = %d", busy), "course": bigCourse, "isbn": bigISBN, "title": bigTitle,
		"email": c.text("SELECT email FROM users WHERE id = 50"),
		"book":  c.text("SELECT max(id) FROM books WHERE status = 0 AND seller_id > %d AND isbn = '%s'", student, bigISBN),
		// Nobody here has talked about it yet.
		"silent": c.text("SELECT max(id) FROM books WHERE status = 0 AND seller_id > %d AND id NOT IN (SELECT book_id FROM conversations)", student),
		"report": c.text("SELECT max(id) FROM reports WHERE resolved_at = 0"), "version": "1", "mail": "1", "person": "3", "application": "growth", "machine": "r1",
	}
	c.values["id"] = c.values["book"]
	for role, id := range map[string]int{"busy": busy, "student": student} {
		of := map[string]string{
			"own":          c.text("SELECT max(id) FROM books WHERE status = 0 AND seller_id = %d", id),
			"conversation": c.text("SELECT max(id) FROM conversations WHERE buyer_id = %d", id),
			"talked":       c.text("SELECT book_id FROM conversations WHERE buyer_id = %d ORDER BY id DESC LIMIT 1", id),
			"order":        c.text("SELECT max(id) FROM orders WHERE buyer_id = %d AND status > 0", id),
			"placed":       c.text("SELECT COALESCE(max(id), 0) FROM orders WHERE buyer_id = %d AND status = 1 AND handover = 0", id),
			"settle":       c.text("SELECT COALESCE(max(id), 0) FROM orders WHERE buyer_id = %d AND status = 1 AND handover <> 0", id),
			"verified":     c.text("SELECT COALESCE(max(id), 0) FROM orders WHERE buyer_id = %d AND status = 2", id),
			"delivered":    c.text("SELECT COALESCE(max(id), 0) FROM orders WHERE buyer_id = %d AND status = 3", id),
		}
		for _, stage := range []string{"placed", "settle", "verified"} {
			of[stage+"book"] = c.text("SELECT COALESCE(max(book_id), 0) FROM orders WHERE id = %s", of[stage])
		}
		for name, value := range of {
			c.values[role+" "+name] = value
			if role == "busy" {
				c.values[name] = value
			}
		}
	}
}

// next returns the address of the page after the first of a list; "" if there is none.
func (c *campus) next(r request, first string) string {
	c.t.Helper()
	key := r.role + " " + first
	if at, ok := c.cursors[key]; ok {
		return at
	}
	link, _, _ := strings.Cut(c.ask(r).header.Get("Link"), ">; rel=\"next\"")
	_, at, _ := strings.Cut(link, "<")
	if at != "" && !strings.HasPrefix(at, "http") {
		at = c.server.URL + at
	}
	c.cursors[key] = at
	return at
}

// exec executes a statement however long it takes.
func (c *campus) exec(statement string) {
	c.t.Helper()
	conn, err := c.db.Conn(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	if c.postgres {
		if _, err := conn.ExecContext(c.t.Context(), "SET statement_timeout = 0"); err != nil {
			c.t.Fatal(err)
		}
	}
	if _, err := conn.ExecContext(c.t.Context(), statement); err != nil {
		c.t.Fatalf("%s: %v", statement, err)
	}
}

func (c *campus) text(query string, args ...any) (found string) {
	c.t.Helper()
	query = fmt.Sprintf(query, args...)
	if err := c.db.QueryRowContext(c.t.Context(), query).Scan(&found); err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return found
}
