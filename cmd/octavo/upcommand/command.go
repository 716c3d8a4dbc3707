// Package upcommand has the command that sets up and starts a market on one machine.
package upcommand

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// Command is octavo up.
type Command struct {
	Domain string `arg:"" optional:"" help:"The name that people will type, such as books.example.edu. It must lead to this machine."`
	Owner  string `placeholder:"MAIL" help:"Address of the first owner."`
	SMTP   string `name:"smtp" placeholder:"URL" help:"The mail server, as SMTP_URL: smtp://user:password@host:587 or smtps://..."`
	Yes    bool   `short:"y" help:"Do not ask."`
	DryRun bool   `help:"Print what would be checked, written and started."`
}

// Run asks for what is missing, checks the machine, writes settings, keys and units, starts the program and
// prints what to do next. Running it again changes what was given, and nothing else.
func (u *Command) Run(ctx context.Context, s *config.Settings, c terminal.Console, parsed *kong.Context) error {
	ask := newQuestions(c, u.Yes)
	p, err := u.plan(s, ask, given(parsed))
	if err != nil {
		return err
	}
	say(c, "Checking this machine:")
	failed := p.check(ctx, c, u.DryRun)
	if u.DryRun {
		p.describe(c)
	}
	switch {
	case failed:
		say(c, "Nothing was changed. Mend what fails, and run this again.")
		return terminal.ErrSilent
	case u.DryRun:
		say(c, "Nothing was changed.")
		return nil
	case !ask.agree("Write the settings to " + p.dir + " and start?"):
		return errors.New("up: nothing was changed")
	}
	if err := p.write(ctx, c); err != nil {
		return err
	}
	return p.run(ctx, c)
}

// say prints a line. A console that cannot be written to is no reason to stop half way.
func say(c terminal.Console, format string, args ...any) {
	_, _ = fmt.Fprintf(c.Out, format+"\n", args...)
}

// given returns the settings that the environment and the command line have.
func given(parsed *kong.Context) map[string]string {
	values := map[string]string{}
	for _, f := range parsed.Model.Flags {
		if len(f.Envs) > 0 {
			if name, value := fromEnvironment(f.Envs[0]); value != "" {
				values[name] = value
			}
		}
	}
	for _, p := range parsed.Path {
		if p.Flag == nil || len(p.Flag.Envs) == 0 {
			continue
		}
		value := fmt.Sprint(p.Flag.Target.Interface())
		if list, many := p.Flag.Target.Interface().([]string); many {
			value = strings.Join(list, ",")
		}
		delete(values, p.Flag.Envs[0]+"_FILE")
		values[p.Flag.Envs[0]] = value
	}
	return values
}
