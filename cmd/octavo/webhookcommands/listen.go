package webhookcommands

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

type webhooksListen struct {
	withSecret      `embed:""`
	terminal.AsJSON `embed:""`
	From            string   `required:"" help:"URL of the running service, without a path." placeholder:"URL"`
	Token           string   `help:"Its WEBHOOK_API_TOKEN. Default: that of these settings, which other users of this machine cannot see." placeholder:"TOKEN"`
	To              string   `required:"" help:"Where to relay to, for example http://127.0.0.1:9000/hook." placeholder:"URL"`
	Match           []string `help:"Only these events: an event, an event.action, or with * for any characters. Repeatable." placeholder:"MATCH" complete:"events"`
	Source          string   `help:"Only of this source; the one of WEBHOOK_PATH is default." placeholder:"NAME"`
	Sign            string   `enum:"standard,none" default:"standard" help:"none relays only the sender's signature; standard adds that of Standard Webhooks by the secret, which takes the place of headers with the same names."`
}

// Run relays until it is interrupted or the service refuses the request.
func (l *webhooksListen) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	client, err := l.client(tools)
	if err != nil {
		return err
	}
	forwarder := forward.New("Octavo-Webhooks/" + config.Version())
	defer forwarder.Close()
	relay, err := l.relay(tools, c, forwarder)
	if err != nil {
		return err
	}
	s := &listening{webhooksListen: l, console: c, client: client, relay: relay}
	err = s.run(ctx)
	if err == nil || s.relayed > 0 {
		s.say("%s relayed, %d of them not accepted", terminal.Count(s.relayed, "delivery", "deliveries"), s.failed)
	}
	return err
}

// client checks the flags about the service.
func (l *webhooksListen) client(tools Tools) (*inboxhttp.Client, error) {
	u, err := url.Parse(l.From)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, terminal.Misused("--from %q must begin with http:// or https:// and name a host", l.From)
	}
	if l.Token == "" {
		l.Token = tools.APIToken()
	}
	if l.Token == "" {
		return nil, terminal.Misused("the service's token is missing: set WEBHOOK_API_TOKEN, or give --token")
	}
	return &inboxhttp.Client{URL: strings.TrimSuffix(l.From, "/"), Token: l.Token, Source: l.Source, Events: l.Match}, nil
}

// relay signs with the secret of the flag or of the settings. Without one, only the sender's
// signature is relayed.
func (l *webhooksListen) relay(tools Tools, c terminal.Console, forwarder inbox.Forwarder) (*sending.Relay, error) {
	sign := map[string]string{"none": inbox.SignNone}[l.Sign]
	secret, err := l.secret(tools)
	if err != nil {
		secret, sign = rand.Text(), inbox.SignNone
		if _, err := fmt.Fprintln(c.Err, "WEBHOOK_SECRET is not set: deliveries have the sender's signature only, and those of the sender host one by a random secret. Give the secret of the target with --secret."); err != nil {
			return nil, err
		}
	}
	relay, err := sending.NewRelay(forwarder, system.Clock{}.Now, l.To, secret, sign)
	if f := fault.As(err); f != nil {
		for field, why := range f.Fields {
			if field == "secret" {
				return nil, terminal.Misused("the secret is a public key, which cannot sign: give another one with --secret")
			}
			return nil, terminal.Misused("--to %s", why)
		}
	}
	return relay, err
}

// The waits between two connections.
const (
	firstReconnect = 250 * time.Millisecond
	maxReconnect   = 10 * time.Second
)

// listening is one run of the command.
type listening struct {
	*webhooksListen
	console terminal.Console
	client  *inboxhttp.Client
	relay   *sending.Relay

	relayed, failed int
	disconnected    bool // the loss of the connection was reported
}

// run connects again and again.
func (s *listening) run(ctx context.Context) error {
	wait := firstReconnect
	for {
		err := s.client.Follow(
			ctx, func() { s.connected(); wait = firstReconnect }, func(d inboxhttp.Streamed) error { return s.pass(ctx, d) },
		)
		var refusal *inboxhttp.RefusalError
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the interrupt ended the connection
		case errors.As(err, &refusal), errors.Is(err, errPrinting):
			return err
		case !s.disconnected:
			s.disconnected = true
			s.say("no connection to %s: %v; trying again", s.client.URL, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, maxReconnect)
	}
}

func (s *listening) connected() {
	s.disconnected = false
	s.say("relaying what %s accepts to %s", s.client.URL, s.To)
}

// say prints a message to standard error, apart from the deliveries.
func (s *listening) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.console.Err, format+"\n", args...)
}

var errPrinting = errors.New("printing failed")

// relayedDelivery is a line of JSON.
type relayedDelivery struct {
	ID         string    `json:"id"`
	Source     string    `json:"source"`
	Event      string    `json:"event"`
	Action     *string   `json:"action"`
	ReceivedAt time.Time `json:"receivedAt"`
	Status     *int      `json:"status"` // null without a response
	Error      *string   `json:"error"`  // null if the target accepted the delivery
	DurationMs float64   `json:"durationMs"`
	Answer     *string   `json:"answer"`
}

// pass relays a delivery and prints it with the answer. It does not retry a delivery that the
// target does not accept.
func (s *listening) pass(ctx context.Context, d inboxhttp.Streamed) error {
	a := inbox.Attempt{Target: s.To, Error: inbox.ErrPayloadDamaged.Msg}
	if payload := d.Payload(); payload != nil {
		a = s.relay.Forward(ctx, inbox.Delivery{
			Source: d.Source, ID: cmp.Or(d.Name, d.ID), Event: webhook.EventName(d.Event), Header: d.Header, Payload: payload,
		})
	}
	if ctx.Err() != nil { // interrupted while it was sent
		return ctx.Err()
	}
	s.relayed++
	if a.Error != "" {
		s.failed++
	}
	if err := s.printOne(d, a); err != nil {
		return fmt.Errorf("%w: %w", errPrinting, err)
	}
	return nil
}

func (s *listening) printOne(d inboxhttp.Streamed, a inbox.Attempt) error {
	if s.JSON {
		v := inboxhttp.ViewAttempt(a)
		return json.NewEncoder(s.console.Out).Encode(
			relayedDelivery{d.ID, d.Source, d.Event, d.Action, d.ReceivedAt, v.Status, v.Error, v.DurationMs, v.Answer},
		)
	}
	name, from := d.Event, ""
	if d.Action != nil {
		name += "." + *d.Action
	}
	if d.Source != inbox.DefaultSource {
		from = "  from " + d.Source
	}
	_, err := io.WriteString(s.console.Out, fmt.Sprintf(
		"%s  %s  %s  %s in %s%s\n", d.ReceivedAt.Format(time.RFC3339), d.ID, name, s.answer(a), shortDuration(a.Duration), from,
	))
	return err
}

// answer returns the status with the beginning of the answer, or the reason why there is none,
// in green if the target accepted the delivery and otherwise in red.
func (s *listening) answer(a inbox.Attempt) string {
	if a.Status == 0 {
		return s.console.Style.Paint("31", attemptResult(a))
	}
	said := strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, text.Line(strings.TrimSpace(a.Answer), 100)))
	if a.Error != "" {
		return s.console.Style.Paint("31", said)
	}
	return s.console.Style.Paint("32", said)
}
