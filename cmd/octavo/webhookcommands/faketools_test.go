package webhookcommands

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/meminbox"
)

// fakeTools implements webhookTools over a store in memory.
type fakeTools struct {
	store   *meminbox.Inbox
	clock   *fake.Clock
	ids     *fake.IDs
	url     string
	secrets func() ([]receiver.Secret, error)
}

func newFakeTools() *fakeTools {
	return &fakeTools{store: meminbox.New(), clock: fake.NewClock(), ids: &fake.IDs{}}
}

func (w *fakeTools) WithAdmin(_ context.Context, do func(*inbox.Admin) error) error {
	return do(inbox.NewAdmin(inbox.Ports{Store: w.store, Compile: expression.Compile, Clock: w.clock.Now, IDs: w.ids.Next}))
}

func (w *fakeTools) Secret() (string, error) { return "the settings' secret", nil }

func (w *fakeTools) Secrets() ([]receiver.Secret, error) { return w.secrets() }

func (w *fakeTools) Source(name string) (sourcefile.Source, string, error) {
	sources, err := sourcefile.Parse([]byte(`
- {name: ci, path: /hooks/ci, sender: github, secrets: [the source secret, the second]}
- {name: shop, path: /hooks/shop, sender: stripe, secrets: [the source secret]}
- {name: sms, path: /hooks/sms, sender: twilio, secrets: [the source secret]}
- {name: crm, path: /hooks/crm, sender: hubspot, secrets: [the source secret]}
- {name: tasks, path: /hooks/tasks, sender: linear, secrets: [the source secret]}
`), "sources.yaml", 1)
	for _, source := range sources {
		if source.Name == name {
			return source, w.url, err
		}
	}
	return sourcefile.Source{}, "", terminal.Misused("--source %s is not in the file of WEBHOOK_SOURCES", name)
}

func (w *fakeTools) Sender() (*webhook.Sender, error) { return webhook.Host, nil }

func (w *fakeTools) URL() string { return w.url }

func (w *fakeTools) APIToken() string { return "the settings' token" }

// add stores a delivery with a job in each state.
func (w *fakeTools) add(t *testing.T, id string, event webhook.EventName, states ...inbox.JobState) {
	t.Helper()
	w.clock.Advance(time.Second)
	d := inbox.Delivery{Seq: w.ids.Next(), Source: inbox.DefaultSource, ID: id, Event: event, ReceivedAt: w.clock.Now(), Payload: []byte(`{"n":1}`)}
	for _, state := range states {
		d.Jobs = append(d.Jobs, inbox.Job{
			ID: w.ids.Next(), Seq: d.Seq, Rule: "push=http://127.0.0.1/", State: state, Attempts: 3, Error: "answered 500", ChangedAt: w.clock.Now(),
		})
	}
	if _, err := w.store.CommitBatch(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}); err != nil {
		t.Fatal(err)
	}
}

// serveBy sets the rules of the service.
func (w *fakeTools) serveBy(t *testing.T, rules ...inbox.Rule) {
	t.Helper()
	if err := w.store.SaveRules(t.Context(), rules); err != nil {
		t.Fatal(err)
	}
}

var pushRule = inbox.Rule{Match: "push", URL: "http://127.0.0.1/"}

// run runs a webhooks command with standard input.
func (w *fakeTools) run(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := w.runTo(t.Context(), t, &out, in, args...)
	return out.String(), err
}

func (w *fakeTools) runTo(ctx context.Context, t *testing.T, out io.Writer, in string, args ...string) error {
	t.Helper()
	var command Command
	parser, err := kong.New(&command, kong.Exit(func(int) { t.Error("the parser ended the program") }))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(w, (*Tools)(nil))
	parsed.Bind(terminal.Console{In: strings.NewReader(in), Out: out, Err: out, Clock: terminal.SystemClock{}})
	return parsed.Run()
}

// says runs a command that must succeed and checks its output.
func (w *fakeTools) says(t *testing.T, in, want string, args ...string) {
	t.Helper()
	if got, err := w.run(t, in, args...); err != nil || got != want {
		t.Errorf("%v prints %q, %v; want %q", args, got, err, want)
	}
}
