package inboxstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// invalidTextTarget fails for one URL with an error that is not UTF-8, contains a NUL
// and is truncated within a character.
type invalidTextTarget struct{}

func (invalidTextTarget) ForwardDelivery(_ context.Context, s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	if strings.HasSuffix(s.URL, "/invalid") {
		return inbox.ForwardResponse{}, errors.New("malformed HTTP response \"\xff\x00" + strings.Repeat("€", 300))
	}
	return inbox.ForwardResponse{Status: 200, Answer: []byte("a\xff\x00\xc3")}, nil
}

type discardMeter struct{}

func (discardMeter) CountDelivery(string, string)                 {}
func (discardMeter) ObserveForward(string, string, time.Duration) {}
func (discardMeter) ObserveBacklog(inbox.Stats, time.Duration)    {}
func (discardMeter) ObservePausedRules(int)                       {}
func (discardMeter) CountUnmatched(string)                        {}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now().UTC() }

func serve(t *testing.T, store contract.InboxStore, texts ...string) *inbox.Service {
	t.Helper()
	var rules []inbox.Rule
	for _, text := range texts {
		rule := must.Get(inbox.ParseForward(text))(t)
		rule.OrderBy = "key"
		rules = append(rules, rule)
	}
	service := must.Get(inbox.New(inbox.Ports{
		Deliveries: store, Jobs: store, Waiter: store, Archive: store, Rules: store, RuleStates: store, Alerts: store, Maintenance: store, Feed: store, Forwarder: invalidTextTarget{}, Meter: discardMeter{},
		Clock: realClock{}, IDs: &fake.IDs{}, Random: rand.Reader,
	}, inbox.DefaultConfig(), rules, "a secret", slog.New(slog.DiscardHandler)))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); service.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return service
}

func TestInvalidTextFromSendersAndTargetsIsStored(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) {
			service := serve(t, open(t, engine), "issues=http://127.0.0.1/invalid", "issues=http://127.0.0.1/works", "issues.opened=http://127.0.0.1/opened")
			e := webhook.Event{ID: "a", Name: "issues", Payload: []byte(`{"action":"opened\u0000","key":"` + "\xff" + `"}`)}
			if err := service.Accept(t.Context(), e, e.Action()); err != nil {
				t.Fatalf("it is not accepted: %v", err)
			}
			for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
				d, err := service.FindDelivery(t.Context(), "", "a")
				if err != nil || len(d.Jobs) != 2 || time.Now().After(deadline) {
					t.Fatalf("it is %+v, %v", d, err)
				}
				if d.Jobs[1].State == inbox.Delivered && strings.HasPrefix(d.Jobs[0].Error, "malformed HTTP response") {
					if answer := d.Attempts[len(d.Attempts)-1].Answer; d.Attempts[0].Answer+answer != "a\uFFFD\uFFFD\uFFFD" {
						t.Errorf("the attempts are %+v", d.Attempts)
					}
					return
				}
			}
		})
	}
}

func TestAnImpossibleIDIsNotFound(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) {
			service := serve(t, open(t, engine))
			for _, id := range []string{"\x00", "a\xff", strings.Repeat("x", 5000)} {
				if _, err := service.FindDelivery(t.Context(), "", id); !errors.Is(err, inbox.ErrNotFound) {
					t.Errorf("finding %.10q: %v, want %v", id, err, inbox.ErrNotFound)
				}
				if _, err := service.Redeliver(t.Context(), "", id); !errors.Is(err, inbox.ErrNotFound) {
					t.Errorf("redelivering %.10q: %v, want %v", id, err, inbox.ErrNotFound)
				}
				if err := service.Accept(t.Context(), webhook.Event{ID: id, Name: "push", Payload: []byte("{}")}, ""); !errors.Is(err, inbox.ErrUnprintable) {
					t.Errorf("accepting %.10q: %v, want %v", id, err, inbox.ErrUnprintable)
				}
			}
		})
	}
}
