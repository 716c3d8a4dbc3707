package servers

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver behind sql.Open("pgx")
	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/must"
)

// PostgresServer is a Postgres of a test's own, which may be stopped.
type PostgresServer struct {
	URL string // of the database postgres

	t       testing.TB
	bin     string // folder of the programs
	dir     string
	port    string
	process *process
}

// PostgresPrograms returns the folder of Postgres' programs.
func PostgresPrograms() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	for i := len(found) - 1; i >= 0; i-- {
		if _, err := os.Stat(filepath.Join(found[i], "initdb")); err == nil {
			return found[i], nil
		}
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", ErrNoPostgres
}

// Postgres starts an empty server, from which standbys can stream.
func Postgres(t testing.TB) *PostgresServer {
	t.Helper()
	NotShort(t, "Postgres")
	bin, err := PostgresPrograms()
	if errors.Is(err, ErrNoPostgres) {
		Missing(t, "Postgres", "apt-get install postgresql")
	}
	must.Do(t, err)
	s := newPostgres(t, bin)
	s.run("initdb", "-D", s.data(), "-U", "octavo", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
	s.Start()
	return s
}

// Standby starts a standby that streams from the server.
func (s *PostgresServer) Standby() *PostgresServer {
	s.t.Helper()
	b := newPostgres(s.t, s.bin)
	b.run("pg_basebackup", "-h", "127.0.0.1", "-p", s.port, "-U", "octavo", "-D", b.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync")
	b.Start()
	return b
}

func newPostgres(t testing.TB, bin string) *PostgresServer {
	t.Helper()
	as := must.Get(Unprivileged())(t)
	s := &PostgresServer{t: t, bin: bin, dir: Dir(t), port: strconv.Itoa(Port(t))}
	s.URL = "postgres://octavo@127.0.0.1:" + s.port + "/postgres?sslmode=disable"
	attr := child.KillWithParent()
	if attr.Credential = as; as != nil {
		must.Do(t, os.Chown(s.dir, int(as.Uid), int(as.Gid)))
	}
	s.process = &process{path: filepath.Join(bin, "postgres"), dir: s.dir, attributes: attr, args: []string{
		"-D", s.data(), "-p", s.port, "-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=32MB",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "wal_retrieve_retry_interval=100ms",
	}}
	t.Cleanup(s.Stop)
	return s
}

func (s *PostgresServer) data() string { return filepath.Join(s.dir, "data") }

func (s *PostgresServer) run(program string, args ...string) {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.process.attributes.Credential}
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v: %s", program, err, out)
	}
}

// Start starts the server and waits until it answers.
func (s *PostgresServer) Start() {
	s.t.Helper()
	s.process.start(s.t)
	until(s.t, "postgres", func() error { return s.try("SELECT 1") })
}

// Stop ends the server as a crash would: it closes its connections without a word.
func (s *PostgresServer) Stop() {
	if s.process.cmd == nil {
		return
	}
	_ = s.process.signal(syscall.SIGQUIT)
	<-s.process.ended
	s.process.cmd = nil
}

// Freeze stops every process of the server from running, without closing a connection, until
// thaw is called.
func (s *PostgresServer) Freeze() (thaw func()) {
	s.t.Helper()
	all := []int{s.process.cmd.Process.Pid}
	_ = s.process.signal(syscall.SIGSTOP) // so that it starts no more of them
	children := must.Get(os.ReadFile("/proc/" + strconv.Itoa(all[0]) + "/task/" + strconv.Itoa(all[0]) + "/children"))(s.t)
	for text := range strings.FieldsSeq(string(children)) {
		pid, _ := strconv.Atoi(text)
		all = append(all, pid)
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	return func() {
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
}

// Exec executes a statement.
func (s *PostgresServer) Exec(statement string) {
	s.t.Helper()
	if err := s.try(statement); err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
}

func (s *PostgresServer) try(statement string) error {
	db, err := sql.Open("pgx", s.URL)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return must.Err(db.ExecContext(context.Background(), statement))
}
