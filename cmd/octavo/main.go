// Command octavo is an auth service, a book marketplace and a webhook receiver,
// together or each alone.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/cmd/config"
)

// program is what the command line may say; its settings hold for every command.
type program struct {
	config.Settings `embed:""`

	Serve    serveCommand    `cmd:"" help:"Serve auth, market and webhooks, or those that are named."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database's schema up to date."`
	Keys     keysCommand     `cmd:"" help:"Make keys for signing access tokens."`
	Users    usersCommand    `cmd:"" help:"Promote, list and import users."`
	Demo     demoCommand     `cmd:"" help:"Fill an empty database with a made-up campus: people, books, requests and sales."`
	Ledger   ledgerCommand   `cmd:"" help:"Check the books of the marketplace."`
	Webhooks webhooksCommand `cmd:"" help:"Sign, send, inspect and redeliver webhooks."`
	Backup   backupCommand   `cmd:"" help:"Copy the embedded database and the generated keys while serving goes on."`
	Doctor   doctorCommand   `cmd:"" help:"Check settings and dependencies and say what to do."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// console is where a command reads and prints.
type console struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	// A second signal ends the program at once, should stopping take too long.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], console{os.Stdin, os.Stdout, os.Stderr}))
}

// run is the program without the process: 0 on success, 1 when the command
// failed, 2 when it was told something that it does not take.
func run(ctx context.Context, args []string, c console) (code int) {
	defer func() {
		if exit, ok := recover().(exited); ok {
			code = int(exit)
		}
	}()
	if err := config.PrepareEnvironment(); err != nil {
		return refuse(c, err)
	}
	var p program
	parser, err := kong.New(&p, kong.Name("octavo"), kong.Description(description), kong.Writers(c.out, c.err),
		kong.Exit(func(code int) { panic(exited(code)) }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return refuse(c, err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return refuse(c, err)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(settingsTools{&p.Settings}, (*webhookTools)(nil))
	parsed.Bind(&p.Settings, c)
	return finish(c, parsed.Run())
}

const description = "An auth service, a book marketplace and a webhook receiver. Every flag is also an environment variable; " +
	"a secret may be read from a file with NAME_FILE=path."

// exited carries an exit code out of the parser, as after --help.
type exited int

func refuse(c console, err error) int {
	fmt.Fprintln(c.err, "octavo:", config.OneLine(err))
	return 2
}

func finish(c console, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, config.ErrSetting):
		return refuse(c, err)
	case errors.Is(err, errSilent):
		return 1
	}
	fmt.Fprintln(c.err, "octavo:", config.OneLine(err))
	return 1
}

// errSilent ends a command that has said everything itself with exit code 1.
var errSilent = errors.New("failed")
