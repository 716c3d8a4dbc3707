// Command octavo is an auth service, a book marketplace and a webhook receiver,
// together or each alone.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"slices"
	"syscall"
	_ "time/tzdata" // an image, and Windows, have no time zones of their own

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/adapters/picture"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/archivecommands"
	"github.com/octavo-books/octavo/cmd/octavo/backupcommands"
	"github.com/octavo-books/octavo/cmd/octavo/beside"
	"github.com/octavo-books/octavo/cmd/octavo/clientcommands"
	"github.com/octavo-books/octavo/cmd/octavo/statuscommand"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/cmd/octavo/upcommand"
	"github.com/octavo-books/octavo/cmd/octavo/webhookcommands"
)

// program is the grammar of the command line. Its settings apply to every command.
type program struct {
	config.Settings `embed:""`

	Serve      serveCommand             `cmd:"" help:"Serve auth, market and webhooks, or only the named ones."`
	Up         upcommand.Command        `cmd:"" help:"Set up and start a market on this machine: certificate, service, first owner, backups."`
	Init       initCommand              `cmd:"" help:"Write a first configuration to edit: settings, generated keys and secrets."`
	Status     statuscommand.Command    `cmd:"" help:"Show how the server on this machine is: health, queues, certificate, backup, faults."`
	Migrate    migrateCommand           `cmd:"" help:"Migrate the database's schema: up, status."`
	Keys       keysCommand              `cmd:"" help:"Generate keys that sign access tokens."`
	Users      usersCommand             `cmd:"" help:"Find, list, promote, export, delete and import users."`
	Clients    clientcommands.Clients   `cmd:"" help:"Add, list and remove the applications that sign people in here."`
	Resources  clientcommands.Resources `cmd:"" help:"Add, list and remove the APIs that machine clients call."`
	Mail       mailCommand              `cmd:"" help:"Write the templates of the mails to a folder."`
	Demo       demoCommand              `cmd:"" help:"Fill an empty database with a made-up campus: people, books, requests and sales."`
	Ledger     ledgerCommand            `cmd:"" help:"Check that the marketplace's ledger balances."`
	Work       workCommand              `cmd:"" help:"List, retry or drop background work that has failed."`
	Webhooks   webhookcommands.Command  `cmd:"" help:"Sign, send, inspect and redeliver webhooks."`
	Backup     backupcommands.Backup    `cmd:"" help:"Copy the embedded database, photos and generated keys to a folder or a bucket while serving goes on."`
	Restore    backupcommands.Restore   `cmd:"" help:"Download a backup from a bucket to a new folder, or list the backups."`
	Export     archivecommands.Export   `cmd:"" help:"Write an archive of everything that the databases hold, with the photos, to move it to another engine or machine."`
	Import     archivecommands.Import   `cmd:"" help:"Read such an archive into empty databases."`
	Doctor     doctorCommand            `cmd:"" help:"Check settings and dependencies and say what to do."`
	Completion completionCommand        `cmd:"" help:"Print a script that completes commands in a shell."`
	Docs       docsCommand              `cmd:"" help:"Print the documentation: the list of its pages, or one page."`
	Version    versionCommand           `cmd:"" help:"Print the version."`
	Help       helpCommand              `cmd:"" help:"Explain a command, or list the settings."`
	Man        manCommand               `cmd:"" hidden:"" help:"Print the manual page."`
	Complete   completeCommand          `cmd:"" hidden:"" name:"__complete"`

	VersionFlag kong.VersionFlag `name:"version" short:"v" help:"Print the version."`
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == assembly.PhotoWorker {
		os.Exit(picture.Work(os.Stdin, os.Stdout, os.Stderr))
	}
	// A crash ends with SIGABRT and not with Go's exit code 2, which says that a restart does not help.
	debug.SetTraceback("crash")
	// A second signal ends the program at once, if stopping takes too long.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	c := terminal.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Style: terminal.StyleFor(os.Stdout), Clock: terminal.SystemClock{}}
	if err := beside.Join(os.Args[1:], c.Err); err != nil {
		os.Exit(finish(ctx, c, err))
	}
	os.Exit(run(ctx, os.Args[1:], c))
}

// run runs the program and returns its exit code: 0 on success, 1 if the command failed or its output was lost, 2
// for an invalid command line or setting.
func run(ctx context.Context, args []string, c terminal.Console) (code int) {
	out := &output{to: c.Out}
	c.Out = out
	defer func() { code = out.exitCode(c, code) }()
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case exited:
			code = int(fault)
		default: // not 2, with which Go ends: a restart may help
			fmt.Fprintf(c.Err, "octavo: a fault in the program: %v\n%s", fault, debug.Stack())
			code = 1
		}
	}()
	unprepared := config.PrepareEnvironment()
	var p program
	parser, err := kong.New(&p, kong.Name("octavo"), kong.Vars{"version": config.VersionLine()}, kong.Writers(c.Out, c.Err), kong.Bind(c),
		kong.Exit(func(code int) { panic(exited(code)) }), kong.Help(func(_ kong.HelpOptions, ctx *kong.Context) error {
			printHelp(c, ctx.Model, ctx.Selected())
			return nil
		}))
	if err != nil {
		return refuse(c, err)
	}
	unprepared = config.Together(unprepared, dropUnreadable(parser.Model))
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return refuse(c, config.Together(unprepared, withHelp(err)))
	}
	p.Unreadable = config.EachProblem(unprepared)
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(webhookcommands.ToolsOf(&p.Settings), (*webhookcommands.Tools)(nil))
	parsed.Bind(&p.Settings)
	if !slices.Contains(settingsCheckers, parsed.Selected().Name) {
		if err := p.Validate(); err != nil {
			return refuse(c, err)
		}
	}
	return finish(ctx, c, parsed.Run())
}

// settingsCheckers are the commands that report what is wrong with the settings together with
// what they miss.
var settingsCheckers = []string{"serve", "doctor", "up"}

// dropUnreadable unsets the variables whose values do not fit their settings, such as PORT=abc,
// so that the parser does not stop at the first one, and returns an error for each.
func dropUnreadable(app *kong.Application) error {
	var errs []error
	for _, f := range app.Flags {
		if len(f.Envs) == 0 {
			continue
		}
		value, set := os.LookupEnv(f.Envs[0])
		if !set {
			continue
		}
		scan := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: value})
		if err := f.Mapper.Decode(&kong.DecodeContext{Value: f.Value, Scan: scan}, reflect.New(f.Target.Type()).Elem()); err != nil {
			errs = append(errs, config.Errorf(f.Envs[0], "%v", err), os.Unsetenv(f.Envs[0]))
		}
	}
	return config.Together(errs...)
}

// exited carries an exit code out of the parser, as after --help.
type exited int

func refuse(c terminal.Console, err error) int {
	for _, line := range config.Lines(err) {
		fmt.Fprintln(c.Err, "octavo:", line)
	}
	return 2
}

func finish(ctx context.Context, c terminal.Console, err error) int {
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(c.Err, "octavo: interrupted")
		return 1
	case errors.Is(err, terminal.ErrReported):
		return 2
	case errors.Is(err, config.ErrSetting):
		return refuse(c, err)
	case errors.Is(err, terminal.ErrSilent):
		return 1
	}
	fmt.Fprintln(c.Err, "octavo:", config.OneLine(err))
	return 1
}
