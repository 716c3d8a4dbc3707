package upcommand

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
	"github.com/octavo-books/octavo/cmd/envfile"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

const (
	startTimeout       = 90 * time.Second
	certificateTimeout = 90 * time.Second
	lookEvery          = 100 * time.Millisecond
	backupsKept        = 14
)

// secretNames are the settings whose values are not printed.
var secretNames = config.Secrets

// run starts the program, makes the first owner's link and the first backup, and says what to do next.
// Without systemd it returns when the program ends.
func (p *plan) run(ctx context.Context, c terminal.Console) error {
	if !p.settings.SQLite() { // which makes its schema itself
		if _, err := p.asService(ctx, c, "migrate", "up"); err != nil {
			return err
		}
	}
	server, err := p.start(ctx, c)
	if err != nil {
		return err
	}
	if err := p.welcome(ctx, c, server); err != nil {
		server.stop()
		return err
	}
	return server.wait(ctx, func() error { return p.backUp(ctx, c) })
}

func (p *plan) welcome(ctx context.Context, c terminal.Console, server *server) error {
	if err := p.awaitStart(ctx, server); err != nil {
		return err
	}
	secured := p.awaitCertificate(ctx)
	link, err := p.ownerLink(ctx, c)
	if err != nil {
		return err
	}
	if err := p.backUp(ctx, c); err != nil {
		say(c, "  note   backup       %v", err)
	}
	p.printNext(c, link, secured, server != nil)
	return nil
}

// awaitStart waits until the program is alive.
func (p *plan) awaitStart(ctx context.Context, server *server) error {
	deadline := time.Now().Add(startTimeout)
	for {
		err := doctor.CheckRunning(ctx, p.settings)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case server.ended():
			return fmt.Errorf("the program has ended: %w", terminal.ErrSilent) // it has said why
		case time.Now().After(deadline):
			return fmt.Errorf("the program does not answer: %w. See its log: %s", err, p.logCommand())
		}
		wait(ctx)
	}
}

// wait waits until it is time to look again, or until ctx ends.
func wait(ctx context.Context) {
	select {
	case <-time.After(lookEvery):
	case <-ctx.Done():
	}
}

// awaitCertificate reports whether the site has its certificate within some time.
func (p *plan) awaitCertificate(ctx context.Context) bool {
	// Whether browsers trust it is not asked here: that of an authority for tests is as good.
	d := tls.Dialer{Config: &tls.Config{
		ServerName: p.settings.Server.Domain, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12, //nolint:gosec // see above
	}}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.settings.Server.HTTPSPort))
	for deadline := time.Now().Add(certificateTimeout); ctx.Err() == nil && time.Now().Before(deadline); wait(ctx) {
		if conn, err := d.DialContext(ctx, "tcp", address); err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}

// ownerLink returns the link that opens the first owner's account; "" if there is that account.
func (p *plan) ownerLink(ctx context.Context, c terminal.Console) (string, error) {
	out, err := p.asService(ctx, c, "users", "owner", p.owner, "--json")
	if err != nil {
		return "", err
	}
	var answer struct{ Link string }
	return answer.Link, json.Unmarshal(out, &answer)
}

// backUp makes a backup, as the timer of systemd does every night. Postgres has ways of its own.
func (p *plan) backUp(ctx context.Context, c terminal.Console) error {
	if !p.settings.SQLite() {
		return nil
	}
	_, err := p.asService(ctx, c, "backup", p.backups, "--keep-last", strconv.Itoa(backupsKept))
	return err
}

// asService runs this program with the settings and the user of the service, and returns what it prints.
func (p *plan) asService(ctx context.Context, c terminal.Console, args ...string) ([]byte, error) {
	cmd, err := p.service(ctx, args...)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = c.Err
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("octavo %s: %w", strings.Join(args[:2], " "), err)
	}
	return out, nil
}

func (p *plan) service(ctx context.Context, args ...string) (*exec.Cmd, error) {
	text, err := os.ReadFile(p.env())
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.program(), args...) //nolint:gosec // this program
	cmd.Dir, cmd.Env = p.workingDir(), basicEnvironment()
	for name, value := range envfile.Parse(string(text)) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if p.root {
		err = runAs(cmd, serviceUser)
	}
	return cmd, err
}

// basicEnvironment is the environment without settings.
func basicEnvironment() (env []string) {
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LANG", "TZ"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// start starts the program: by systemd, which starts it again whenever the machine starts, or here.
func (p *plan) start(ctx context.Context, c terminal.Console) (*server, error) {
	if p.systemd {
		return nil, startUnits(ctx)
	}
	if doctor.CheckRunning(ctx, p.settings) == nil {
		if p.changed {
			return nil, errors.New("the settings have changed, and Octavo runs: stop it, and run this again")
		}
		return nil, nil //nolint:nilnil // another process has it
	}
	cmd, err := p.service(context.WithoutCancel(ctx), "serve")
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = io.Discard, c.Err
	return startServer(cmd)
}

// startUnits starts the service with the settings of now, and whenever the machine starts.
func startUnits(ctx context.Context) error {
	for _, args := range [][]string{
		{"daemon-reload"}, {"enable", "octavo.service", "octavo-backup.timer"},
		{"restart", "octavo.service"}, {"start", "octavo-backup.timer"},
	} {
		if out, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput(); err != nil { //nolint:gosec // the words above
			return fmt.Errorf("systemctl %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// server is the program that was started here; nil if systemd has it.
type server struct {
	cmd  *exec.Cmd
	done <-chan struct{}
}

func (s *server) ended() bool {
	if s == nil {
		return false
	}
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// stop ends the program as a signal does.
func (s *server) stop() {
	if s != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		<-s.done
	}
}

// wait waits for the end of the program, or of ctx, and makes a backup every night.
func (s *server) wait(ctx context.Context, backUp func() error) error {
	if s == nil {
		return nil
	}
	for {
		select {
		case <-s.done:
			return fmt.Errorf("the program has ended (%s): %w", s.cmd.ProcessState, terminal.ErrSilent)
		case <-ctx.Done():
			s.stop()
			return nil
		case <-time.After(time.Until(nextNight(time.Now()))):
			_ = backUp() // it has said why it failed, and the metric shows its age
		}
	}
}

// nextNight returns when the next nightly backup is due.
func nextNight(now time.Time) time.Time {
	due := time.Date(now.Year(), now.Month(), now.Day(), 3, 15, 0, 0, now.Location())
	if !due.After(now) {
		due = due.AddDate(0, 0, 1)
	}
	return due
}
