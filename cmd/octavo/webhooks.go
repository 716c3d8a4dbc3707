package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

// webhooksCommand works on a running service or beside it.
type webhooksCommand struct {
	Events    webhooksEvents    `cmd:"" help:"Print the names that events are emitted under, one a line."`
	Sign      webhooksSign      `cmd:"" help:"Print the signature of the payload on standard input."`
	Verify    webhooksVerify    `cmd:"" help:"Tell whether a signature is that of the payload on standard input, and which secret made it; exit 1 if not."`
	Send      webhooksSend      `cmd:"" help:"Send a signed sample delivery of an event."`
	List      webhooksList      `cmd:"" help:"Print the deliveries, newest first: id, event, state, when, targets."`
	Show      webhooksShow      `cmd:"" help:"Print a delivery with what became of it and its payload."`
	Redeliver webhooksRedeliver `cmd:"" help:"Send deliveries again by the rules that the service has now, or had when it last ran."`
	Tail      webhooksTail      `cmd:"" help:"Print deliveries as they come."`
}

// webhookTools are what the commands need of the settings.
type webhookTools interface {
	// WithAdmin opens the inbox for the time of do.
	WithAdmin(ctx context.Context, do func(*inbox.Admin) error) error
	// Secret is the secret of the settings, or the one that development has made.
	Secret() (string, error)
	// Secrets are all that the service accepts with the settings, that of Secret first.
	Secrets() ([]receiver.Secret, error)
	// URL is where the service receives deliveries.
	URL() string
}

// asJSON is the flag that every command has.
type asJSON struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// print prints v as one line of JSON, or else what text writes.
func (a asJSON) print(out io.Writer, v any, text func(io.Writer) error) error {
	if !a.JSON {
		return text(out)
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

// withSecret is the flag of the commands that sign.
type withSecret struct {
	Secret string `help:"The secret to sign with. Default: WEBHOOK_SECRET, or the one that development has made." placeholder:"SECRET"`
}

// receiver makes one for the secret.
func (w withSecret) receiver(tools webhookTools) (*receiver.Receiver, error) {
	secret := w.Secret
	if secret == "" {
		var err error
		if secret, err = tools.Secret(); err != nil {
			return nil, err
		}
	}
	return receiver.New(secret)
}

// misuse is a command line that cannot be; the program ends with 2.
type misuse struct{ text string }

func (m misuse) Error() string        { return m.text }
func (m misuse) Is(target error) bool { return target == config.ErrSetting }

func misused(format string, args ...any) error { return misuse{fmt.Sprintf(format, args...)} }

// explain says which flag of a refused query is at fault.
func explain(err error) error {
	if f := fault.As(err); f != nil {
		for field, why := range f.Fields {
			return misused("--%s %s", field, why)
		}
	}
	return err
}

type webhooksEvents struct {
	asJSON `embed:""`
}

func (e webhooksEvents) Run(c console) error {
	names := webhook.EventNames()
	return e.print(c.out, names, func(out io.Writer) error {
		for _, name := range names {
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxPayload is the most that is read from standard input, as by the service.
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
	withSecret `embed:""`
	asJSON     `embed:""`
}

func (s webhooksSign) Run(tools webhookTools, c console) error {
	r, err := s.receiver(tools)
	if err != nil {
		return err
	}
	payload, err := readPayload(c.in)
	if err != nil {
		return err
	}
	signature, err := r.Sign(payload)
	if err != nil {
		return err
	}
	return s.print(c.out, map[string]string{"signature": signature}, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, signature)
		return err
	})
}
