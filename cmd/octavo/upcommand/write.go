package upcommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	octavo "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/cmd/envfile"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// serviceUser is the user as whom the program runs if root sets it up.
const serviceUser = "octavo"

// unitFolder is where an administrator's units are; those of a package are in another one.
const unitFolder = "/etc/systemd/system"

// units are the files that systemd gets.
var units = []string{"octavo.service", "octavo-backup.service", "octavo-backup.timer"}

// describe prints what would be done.
func (p *plan) describe(c terminal.Console) {
	say(c, "\nThis would be written to %s, besides keys and secrets:", p.env())
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		say(c, "  %s=%s", name, p.shown(name))
	}
	if p.root {
		say(c, "The program would be at %s, the data in %s, for the user %s.", p.program(), p.data, serviceUser)
	}
	switch {
	case p.systemd:
		say(c, "systemd would get %s, and start them.", strings.Join(units, ", "))
	default:
		say(c, "The program would run here, because there is no systemd or you are not root.")
	}
	if p.settings.SQLite() {
		say(c, "A backup would be made every night in %s; the last %d are kept.", p.backups, backupsKept)
	}
	say(c, "A link would be printed that opens the account of %s, the first owner.", p.owner)
}

// shown is a value without its secret.
func (p *plan) shown(name string) string {
	if slices.Contains(secretNames, name) && p.values[name] != noMailServer {
		return "(not shown)"
	}
	return envfile.Quote(p.values[name])
}

// write writes everything that is missing, and the settings that change.
func (p *plan) write(ctx context.Context, c terminal.Console) error {
	if p.root {
		if err := p.prepareSystem(ctx); err != nil {
			return err
		}
	}
	if err := p.makeFolders(); err != nil {
		return err
	}
	if !exists(p.env()) {
		args := []string{"init", p.dir, "--data-dir", p.data}
		if p.root {
			args = append(args, "--group", serviceUser)
		}
		if err := p.command(ctx, c, args...); err != nil {
			return err
		}
	}
	if err := p.writeSettings(); err != nil {
		return err
	}
	say(c, "Settings and keys are in %s.", p.dir)
	if p.systemd {
		return p.writeUnits()
	}
	return nil
}

// command runs this program with no settings at all, as who runs octavo up.
func (p *plan) command(ctx context.Context, c terminal.Console, args ...string) error {
	cmd := exec.CommandContext(ctx, p.program(), args...) //nolint:gosec // this program
	cmd.Env, cmd.Stdout, cmd.Stderr = basicEnvironment(), io.Discard, c.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("octavo %s: %w", args[0], err)
	}
	return nil
}

// prepareSystem makes the user of the service and puts the program where the unit finds it.
func (p *plan) prepareSystem(ctx context.Context) error {
	if _, err := user.Lookup(serviceUser); err != nil {
		//nolint:gosec // the operator runs this, as root
		cmd := exec.CommandContext(ctx, "useradd", "--system", "--user-group", "--home-dir", p.data,
			"--no-create-home", "--shell", "/usr/sbin/nologin", serviceUser)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("useradd %s: %w: %s", serviceUser, err, strings.TrimSpace(string(out)))
		}
	}
	own, err := os.Executable()
	if err != nil || own == p.program() {
		return err
	}
	return copyProgram(own, p.program())
}

// program is where the program is run from.
func (p *plan) program() string {
	own, err := os.Executable()
	if !p.root || err == nil && (own == "/usr/bin/octavo" || own == "/usr/local/bin/octavo") {
		return own
	}
	return "/usr/local/bin/octavo"
}

func copyProgram(from, to string) error {
	in, err := os.Open(from) //nolint:gosec // this program
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.CreateTemp(filepath.Dir(to), ".octavo-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Chmod(0o755), out.Close()); err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}

// writeSettings replaces octavo.env by one with the new values, which has the same owner and mode.
func (p *plan) writeSettings() error {
	before, err := os.ReadFile(p.env())
	if err != nil {
		return err
	}
	text := string(before)
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		text = envfile.Set(text, name, p.values[name])
	}
	if text == string(before) {
		return nil
	}
	out, err := os.CreateTemp(p.dir, ".octavo-*")
	if err != nil {
		return err
	}
	_, err = out.WriteString(text)
	if err = errors.Join(err, likeFile(out, p.env()), out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), p.env())
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	p.changed = true
	return nil
}

// writeUnits leaves those of a package alone.
func (p *plan) writeUnits() error {
	for _, name := range units {
		if exists(filepath.Join("/usr/lib/systemd/system", name)) {
			continue
		}
		text, err := octavo.Units.ReadFile("deploy/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(unitFolder, name), text, 0o644) //nolint:gosec // units are for everybody
		}
		if err != nil {
			return err
		}
	}
	return nil
}
