// Package webhookcommands has the commands for webhooks.
package webhookcommands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Command has them all. It works whether the service is running or not.
type Command struct {
	Events    webhooksEvents    `cmd:"" help:"Print the names that events are emitted under, one per line."`
	Senders   webhooksSenders   `cmd:"" help:"Print the senders that a source can have, and where each has event, ID and signature."`
	Sign      webhooksSign      `cmd:"" help:"Print the signature of the payload on standard input."`
	Verify    webhooksVerify    `cmd:"" help:"Check a signature or a saved request, name the secret that made it or say which part is wrong; exit 1 if it is not valid."`
	Send      webhooksSend      `cmd:"" help:"Send a signed sample delivery of an event."`
	List      webhooksList      `cmd:"" help:"Print the deliveries, newest first: ID, time, event, state, targets."`
	Show      webhooksShow      `cmd:"" help:"Print a delivery with its targets and its payload."`
	Redeliver webhooksRedeliver `cmd:"" help:"Forward deliveries again, by the rules that the service has now or had when it last ran."`
	Rules     webhooksRules     `cmd:"" help:"Print the forwarding rules with their state, or pause and resume one."`
	Tail      webhooksTail      `cmd:"" help:"Print deliveries as they arrive."`
	Listen    webhooksListen    `cmd:"" help:"Relay the deliveries that a running service accepts to a local port, and print each with the answer."`
}

// Tools is what the commands need from the settings.
type Tools interface {
	// WithAdmin opens the inbox while do runs.
	WithAdmin(ctx context.Context, do func(*inbox.Admin) error) error
	// Secret returns WEBHOOK_SECRET, or the secret that development has generated.
	Secret() (string, error)
	// Secrets returns all secrets that the service accepts, that of Secret first.
	Secrets() ([]receiver.Secret, error)
	// Sender returns WEBHOOK_SENDER.
	Sender() (*webhook.Sender, error)
	// Source returns a source of WEBHOOK_SOURCES and the address at which it receives.
	Source(name string) (source sourcefile.Source, url string, err error)
	// APIToken returns WEBHOOK_API_TOKEN, "" without one.
	APIToken() string
	// URL returns the address at which the service receives deliveries.
	URL() string
}

// withSecret is the flag of the commands that sign.
type withSecret struct {
	Secret string `help:"The secret to sign with. Default: WEBHOOK_SECRET, or the one that development has generated." placeholder:"SECRET"`
}

// secret returns the secret of the flag or of the settings.
func (w withSecret) secret(tools Tools) (string, error) {
	if w.Secret != "" {
		return w.Secret, nil
	}
	return tools.Secret()
}

// receiver makes a receiver for the secret.
func (w withSecret) receiver(tools Tools) (*receiver.Receiver, error) {
	secret, err := w.secret(tools)
	if err != nil {
		return nil, err
	}
	return receiver.New(secret)
}

// explain names the flag that makes a query invalid.
func explain(err error) error {
	if f := fault.As(err); f != nil {
		for field, why := range f.Fields {
			return terminal.Misused("--%s %s", field, why)
		}
	}
	return err
}

type webhooksEvents struct {
	Source          string `help:"octavo: those of Octavo's own events." placeholder:"NAME" complete:"octavo"`
	terminal.AsJSON `embed:""`
	Sender          string `default:"host" help:"Of this sender: host or github." placeholder:"NAME"`
}

func (e webhooksEvents) Run(c terminal.Console) error {
	names, err := e.names()
	if err != nil {
		return err
	}
	return e.Print(c.Out, names, func(out io.Writer) error {
		for _, name := range names {
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// names returns the events of the sender, or Octavo's own.
func (e webhooksEvents) names() (names []webhook.EventName, err error) {
	switch e.Source {
	case "", inbox.DefaultSource:
	case event.Source:
		for _, t := range event.Types() {
			names = append(names, webhook.EventName(t))
		}
		return names, nil
	default:
		return nil, terminal.Misused("--source %q has no list of events; only %s has one of its own", e.Source, event.Source)
	}
	sender, err := webhook.SenderNamed(e.Sender)
	if err != nil {
		return nil, terminal.Misused("--sender: %s", strings.TrimPrefix(err.Error(), "webhook: "))
	}
	if names = sender.EventNames(); names == nil {
		return nil, terminal.Misused("--sender: Octavo has no list of the events of %s, only of host and github", e.Sender)
	}
	return names, nil
}

// maxPayload bounds standard input as the service bounds a body.
const maxPayload = 25 << 20

func readPayload(in io.Reader) ([]byte, error) {
	payload, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the payload: %w", err)
	case len(payload) == 0:
		return nil, errors.New("there is no payload on standard input")
	case len(payload) > maxPayload:
		return nil, fmt.Errorf("the payload is larger than %d bytes", maxPayload)
	}
	return payload, nil
}

type webhooksSign struct {
	withSecret      `embed:""`
	terminal.AsJSON `embed:""`
}

func (s webhooksSign) Run(tools Tools, c terminal.Console) error {
	r, err := s.receiver(tools)
	if err != nil {
		return err
	}
	payload, err := readPayload(c.In)
	if err != nil {
		return err
	}
	signature, err := r.Sign(payload)
	if err != nil {
		return err
	}
	return s.Print(c.Out, map[string]string{"signature": signature}, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, signature)
		return err
	})
}
