package clientcommands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

var (
	errNotForApplications = fault.New(fault.Invalid, "machine_flags", "--jwks, --resource and --scope are for machines: add one with --machine.")
	errNotForMachines     = fault.New(fault.Invalid, "application_flags", "A machine has no redirect URIs and none of the settings of applications that sign people in.")
)

// machineFlags are what a machine can be set to.
type machineFlags struct {
	JWKS     *string  `name:"jwks" placeholder:"FILE|URL" help:"Public keys of a machine, with which it signs (private_key_jwt) in place of sending a secret: a file, or the address where it publishes them."`
	Resource []string `placeholder:"ID" help:"Resource that a machine may call. Repeatable."`
	Scope    []string `placeholder:"SCOPE" help:"Scopes that a machine may ask for, separated by commas."`
}

func (f machineFlags) given() bool { return f.JWKS != nil || len(f.Resource)+len(f.Scope) > 0 }

// set returns what sets what was given. One empty text is the empty list, or a secret in place of keys.
func (f machineFlags) set() (func(*machine.Client), error) {
	keys, url := "", ""
	if f.JWKS != nil {
		if strings.HasPrefix(*f.JWKS, "https://") || strings.HasPrefix(*f.JWKS, "http://") {
			url = *f.JWKS
		} else if *f.JWKS != "" {
			text, err := readUpTo(*f.JWKS, machine.MaxKeys)
			if err != nil {
				return nil, err
			}
			keys = text
		}
	}
	return func(c *machine.Client) {
		setList(&c.Resources, f.Resource)
		setList(&c.Scopes, f.Scope)
		if f.JWKS != nil {
			c.Keys, c.KeysURL = keys, url
		}
	}, nil
}

// readUpTo returns a file, and a little more than n bytes of a longer one.
func readUpTo(path string, n int64) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return "", fmt.Errorf("--jwks: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, n+1))
	return string(text), err
}

func (a clientsAdd) addMachine(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if len(a.RedirectURI) > 0 || a.any() {
		return errNotForMachines
	}
	set, err := a.set()
	if err != nil {
		return err
	}
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		described := machine.Client{Name: a.Name}
		set(&described)
		added, secret, err := all.Machines.Add(ctx, terminal.Operator, described)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "client_id: %s\n", added.ID)
		return errors.Join(err, printSecret(c, secret))
	})
}

func (u clientsUpdate) updateMachine(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if len(u.RedirectURI) > 0 || u.Alg != nil || u.any() {
		return errNotForMachines
	}
	change, err := u.set()
	if err != nil {
		return err
	}
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		changed, secret, err := all.Machines.Update(ctx, terminal.Operator, u.ID, func(m *machine.Client) {
			set(&m.Name, u.Name)
			change(m)
		})
		if err != nil {
			return err
		}
		return errors.Join(printMachine(c, changed), printSecret(c, secret))
	})
}

func showMachine(ctx context.Context, s *config.Settings, c terminal.Console, client string) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		machines, err := all.Machines.List(ctx, terminal.Operator)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(machines, func(m machine.Client) bool { return m.ID == client })
		if at < 0 {
			return machine.ErrClientNotFound
		}
		return printMachine(c, machines[at])
	})
}

// printMachine prints what is set for a machine, by the names of the flags that set it.
func printMachine(c terminal.Console, m machine.Client) error {
	keys := m.KeysURL
	if m.Keys != "" {
		keys = "registered"
	}
	previous := ""
	if !m.Secret.PreviousUntil.IsZero() {
		previous = m.Secret.PreviousUntil.Format(time.RFC3339)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"client_id", m.ID}, {"name", m.Name}, {"kind", "machine"}, {"added", m.CreatedAt.Format(time.RFC3339)},
		{"previous secret works until", previous},
		{"jwks", keys}, {"resource", strings.Join(m.Resources, " ")}, {"scope", strings.Join(m.Scopes, ",")},
	} {
		if line[1] != "" {
			_, _ = fmt.Fprintf(w, "%s:\t%s\n", line[0], line[1])
		}
	}
	return w.Flush()
}

type clientsSessions struct {
	ID  string   `arg:"" help:"The client_id of a machine."`
	End []string `placeholder:"SESSION" help:"End a session. Repeatable; all ends all of them."`
}

// Run prints the sessions of a machine, or ends some.
func (o clientsSessions) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		if len(o.End) > 0 {
			return o.end(ctx, c, all)
		}
		sessions, err := all.Machines.ListSessions(ctx, terminal.Operator, o.ID)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "SESSION\tRESOURCE\tSTARTED\tEXPIRES\tADDRESS\tSCOPES")
		for _, one := range sessions {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", one.ID, one.Resource, one.CreatedAt.Format(time.RFC3339),
				one.ExpiresAt.Format(time.RFC3339), one.IP, one.Scopes)
		}
		return w.Flush()
	})
}

func (o clientsSessions) end(ctx context.Context, c terminal.Console, all *authrooms.Auth) error {
	var ids []user.SessionID
	for _, text := range o.End {
		if n, ok := id.Parse(text); ok {
			ids = append(ids, user.SessionID(n))
		} else if text != "all" {
			return machine.ErrSessionNotFound
		}
	}
	if slices.Contains(o.End, "all") {
		ids = nil
	}
	ended, err := all.Machines.EndSessions(ctx, terminal.Operator, o.ID, ids...)
	if err == nil {
		_, err = fmt.Fprintf(c.Out, "Sessions ended: %d.\n", ended)
	}
	return err
}

// any reports whether one of the flags was given.
func (f clientFlags) any() bool { return !reflect.ValueOf(f).IsZero() }
