package servers

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/must"
)

// PassOctavosParameters is the line of settings that lets Octavo's parameters of a session through PgBouncer.
const PassOctavosParameters = "ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout"

// PgBouncer starts a PgBouncer in transaction mode in front of the Postgres at dsn, with four
// connections to each database, and returns the DSN through it. Lines are added to its settings.
func PgBouncer(t testing.TB, dsn string, lines ...string) string {
	t.Helper()
	u := must.Get(url.Parse(dsn))(t)
	port := strconv.Itoa(Port(t))
	runPgBouncer(t, append([]string{
		"[databases]",
		"* = " + target(u),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1", "listen_port = " + port, "unix_socket_dir =",
		"auth_type = any", "pool_mode = transaction", "default_pool_size = 4", "max_client_conn = 200",
	}, lines...))
	u.Host = net.JoinHostPort("127.0.0.1", port)
	until(t, "pgbouncer", func() error {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			return err
		}
		return c.Close()
	})
	return u.String()
}

// target are the parameters of PgBouncer's connections to Postgres.
func target(u *url.URL) string {
	all := fmt.Sprintf("host=%s port=%s user=%s", u.Hostname(), u.Port(), u.User.Username())
	if password, set := u.User.Password(); set {
		all += " password=" + password
	}
	return all
}

func runPgBouncer(t testing.TB, lines []string) {
	t.Helper()
	path := Need(t, "pgbouncer", "apt-get install pgbouncer", "pgbouncer", "/usr/sbin/pgbouncer")
	as := must.Get(Unprivileged())(t)
	dir := Dir(t)
	file := filepath.Join(dir, "pgbouncer.ini")
	must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	attr := child.KillWithParent()
	if as != nil {
		attr.Credential = as
		for _, name := range []string{dir, file} {
			must.Do(t, os.Chown(name, int(as.Uid), int(as.Gid)))
		}
	}
	p := &process{path: path, args: []string{"-q", file}, dir: dir, attributes: attr}
	p.start(t)
	t.Cleanup(p.kill)
}
