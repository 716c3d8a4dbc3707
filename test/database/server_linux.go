package database

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/servers"
)

// startPostgres creates a cluster in a temporary folder and serves it on a free loopback
// port until this process ends or is killed.
func startPostgres() (string, error) {
	bin, err := servers.PostgresPrograms()
	if err != nil {
		return "", err
	}
	as, err := servers.Unprivileged()
	if err != nil {
		return "", err
	}
	dir, err := clusterDir(as)
	if err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "octavo", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
	initdb.Dir, initdb.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, out)
	}
	number, _, err := servers.Reserve()
	if err != nil {
		return "", err
	}
	port := strconv.Itoa(number)
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300")
	server.Args = append(server.Args, settings()...)
	server.Dir = dir
	if err := startWithParent(server, as, dir); err != nil {
		return "", err
	}
	dsn := "postgres://octavo@127.0.0.1:" + port + "/postgres?sslmode=disable"
	return dsn, awaitPostgres(dsn)
}

// settings returns the server's flags: without durability, or after Durable those that suit a
// benchmark.
func settings() []string {
	if durable.Load() {
		return []string{"-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB"}
	}
	if cached.Load() {
		return []string{"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "shared_buffers=1GB"}
	}
	return []string{"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "shared_buffers=64MB"}
}

// startWithParent starts the server so that it ends with this process. A shell waits for the
// end of a pipe that this process holds open and then removes the folder.
func startWithParent(server *exec.Cmd, as *syscall.Credential, dir string) error {
	server.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	if _, err := child.Start(server); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	return removeAfterExit(server.Process.Pid, dir)
}

func removeAfterExit(pid int, dir string) error {
	cleaner := exec.Command("sh", "-c", `cat >/dev/null; while kill -0 "$0" 2>/dev/null; do sleep 0.1; done; rm -rf "$1"`, strconv.Itoa(pid), dir)
	cleaner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	held, err := cleaner.StdinPipe()
	if err != nil {
		return err
	}
	openPipes = append(openPipes, held)
	return cleaner.Start()
}

// openPipes prevents the garbage collector from closing the pipes.
var openPipes []any

func clusterDir(as *syscall.Credential) (string, error) {
	folder := ""
	if durable.Load() {
		folder = "/var/tmp" // TMPDIR may be in memory
	}
	dir, err := os.MkdirTemp(folder, "octavo-pg-")
	if err != nil || as == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(as.Uid), int(as.Gid))
}

func awaitPostgres(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres did not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
