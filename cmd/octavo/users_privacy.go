package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

type usersExport struct {
	Email string `arg:"" help:"Address of the account."`
	Out   string `placeholder:"FILE" help:"A new file for the data, which only you can read. Default: standard output."`
}

func (e usersExport) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return assembly.WithExisting(ctx, *s, config.Components{Auth: true}, c.Err, func(a *authrooms.Auth) error {
		data, err := a.Exports.OfAddress(ctx, e.Email)
		if err != nil {
			return howToFind(err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, "", "  "); err != nil {
			return err
		}
		indented.WriteByte('\n')
		if e.Out == "" {
			_, err = c.Out.Write(indented.Bytes())
			return err
		}
		f, err := os.OpenFile(e.Out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return config.Errorf("--out", "%v", err)
		}
		_, err = f.Write(indented.Bytes())
		return errors.Join(err, f.Close())
	})
}

type usersDelete struct {
	Email string `arg:"" optional:"" help:"Address of the account; or --again."`
	Again string `placeholder:"FILE" help:"What users deleted has printed before a restore; - is standard input."`
	Yes   bool   `short:"y" help:"Do not ask."`
}

func (d usersDelete) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if (d.Email == "") == (d.Again == "") {
		return terminal.Misused("users delete: name one address, or --again FILE")
	}
	what := d.Email
	if d.Again != "" {
		what = "every account that " + d.Again + " lists"
	}
	if !d.Yes && !agrees(c, "Delete "+what+" for good?", d.Again == "-") {
		return terminal.Misused("users delete: nothing was deleted; --yes does it without a question")
	}
	return withPeople(ctx, s, c, func(people *account.Users) error {
		if d.Again != "" {
			return d.again(ctx, people, c)
		}
		u, err := people.DeleteByOperator(ctx, d.Email)
		if err != nil {
			return howToFind(err)
		}
		_, err = fmt.Fprintf(c.Out, "%s is deleted.\n", u.Email)
		return err
	})
}

// agrees asks on a terminal. Elsewhere nobody agrees.
func agrees(c terminal.Console, question string, inputTaken bool) bool {
	in, isFile := c.In.(*os.File)
	if inputTaken || !isFile || !config.IsTerminal(in) {
		return false
	}
	_, _ = fmt.Fprintf(c.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(in).ReadString('\n') // an end of the input is a no
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

// again deletes the accounts of a list, of which many have never come back.
func (d usersDelete) again(ctx context.Context, people *account.Users, c terminal.Console) error {
	in := c.In
	if d.Again != "-" {
		f, err := os.Open(d.Again)
		if err != nil {
			return config.Errorf("--again", "%v", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	n := 0
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		first, _, _ := strings.Cut(strings.TrimSpace(lines.Text()), "\t")
		number, valid := id.Parse(first)
		if first == "" {
			continue
		}
		if !valid {
			return config.Errorf("--again", "%q is not the ID of an account", first)
		}
		deleted, err := people.DeleteAgain(ctx, user.ID(number))
		if err != nil {
			return err
		}
		if deleted {
			n++
		}
	}
	_, err := fmt.Fprintf(c.Out, "%s deleted again.\n", terminal.Count(n, "account was", "accounts were"))
	return errors.Join(lines.Err(), err)
}

type usersDeleted struct {
	Since string `placeholder:"DURATION" default:"400d" help:"How far back, such as 30d: longer ago than the oldest backup."`
}

// Run prints IDs alone: there is nothing else left of these accounts.
func (d usersDeleted) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	long, err := text.ParseDuration(d.Since)
	if err != nil {
		return config.Errorf("--since", "%q is not a duration such as 30d", d.Since)
	}
	return withPeople(ctx, s, c, func(people *account.Users) error {
		return people.Deletions(ctx, c.Clock.Now().Add(-long), func(one account.Deletion) error {
			_, err := fmt.Fprintf(c.Out, "%s\t%s\n", one.User, one.At.Format(time.RFC3339))
			return err
		})
	})
}
