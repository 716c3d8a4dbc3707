package inboxstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

const pushRule = "push=http://127.0.0.1:9/"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// storePush stores a push with a job due at noon and returns its payload.
func storePush(t *testing.T, store *inboxstore.Inbox, seq int64, id string) []byte {
	t.Helper()
	payload, _ := sample.Payload("push")
	d := inbox.Delivery{Seq: seq, ID: id, Event: "push", ReceivedAt: noon, Payload: payload}
	d.Jobs = []inbox.Job{{ID: seq, Seq: seq, Rule: pushRule, DueAt: noon, ChangedAt: noon}}
	must.Get(store.CommitBatch(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}))(t)
	return payload
}

func claimed(t *testing.T, store *inboxstore.Inbox) []inbox.Task {
	t.Helper()
	return must.Get(store.ClaimJobs(t.Context(), inbox.Claim{Rule: pushRule, Now: noon, LeaseUntil: noon.Add(time.Minute), Limit: 10}))(t)
}

// overwrite replaces the row of a stored payload.
func overwrite(t *testing.T, db *gormstore.DB, seq int64, row []byte) {
	t.Helper()
	write, _ := db.SQL()
	must.Get(write.ExecContext(t.Context(), `UPDATE inbox_payloads SET payload = $1 WHERE seq = $2`, row, seq))(t)
}

func TestPayloadsAreStoredCompressedAndReturnedWhole(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			store := inboxstore.New(db)
			defer closed(t, store)
			payload := storePush(t, store, 10, "compressed")
			storePush(t, store, 20, "uncompressed")
			overwrite(t, db, 20, payload)
			var size int
			_, read := db.SQL()
			if err := read.QueryRowContext(t.Context(), `SELECT length(payload) FROM inbox_payloads WHERE seq = 10`).Scan(&size); err != nil || size > len(payload)/2 {
				t.Errorf("%d bytes are stored as %d, %v", len(payload), size, err)
			}
			for _, id := range []string{"compressed", "uncompressed"} {
				if d, err := store.FindDelivery(t.Context(), "", id); err != nil || !bytes.Equal(d.Payload, payload) {
					t.Errorf("%s: found %d bytes, %v", id, len(d.Payload), err)
				}
			}
			for _, task := range claimed(t, store) {
				if !bytes.Equal(task.Payload, payload) || task.Damaged {
					t.Errorf("%s: claimed with %d bytes", task.DeliveryID, len(task.Payload))
				}
			}
		})
	}
}

func TestADamagedPayloadDoesNotAffectOthers(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, inboxstore.Migrations)
			store := inboxstore.New(db)
			defer closed(t, store)
			storePush(t, store, 10, "damaged")
			payload := storePush(t, store, 20, "whole")
			overwrite(t, db, 10, []byte("\xff\xff\xff"))
			must.Refuse(t, must.Err(store.FindDelivery(t.Context(), "", "damaged")), inbox.ErrPayloadDamaged, "found with")
			tasks := claimed(t, store)
			if len(tasks) != 2 || !tasks[0].Damaged || tasks[0].Payload != nil || tasks[1].Damaged || !bytes.Equal(tasks[1].Payload, payload) {
				t.Errorf("claimed %+v", tasks)
			}
		})
	}
}

func TestABackupContainsEveryPayload(t *testing.T) {
	db := database.SQLite(t, inboxstore.Migrations)
	store := inboxstore.New(db)
	defer closed(t, store)
	payload := storePush(t, store, 10, "a")
	path := filepath.Join(t.TempDir(), "backup.db")
	must.Do(t, db.Backup(t.Context(), path))
	restored := must.Get(gormstore.Open(context.Background(), "sqlite:"+path, slog.New(slog.NewTextHandler(io.Discard, nil))))(t)
	defer restored.Close()
	copied := inboxstore.New(restored)
	defer closed(t, copied)
	if d, err := copied.FindDelivery(t.Context(), "", "a"); err != nil || !bytes.Equal(d.Payload, payload) {
		t.Errorf("found %d bytes, %v", len(d.Payload), err)
	}
}

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

func serve(t *testing.T, store contract.InboxStore, texts ...string) *serving.Service {
	t.Helper()
	var rules []inbox.Rule
	for _, text := range texts {
		rule := must.Get(inbox.ParseForward(text))(t)
		rule.OrderBy = "key"
		rules = append(rules, rule)
	}
	service := must.Get(serving.New(inbox.Ports{
		Store: store, Forwarder: invalidTextTarget{}, Meter: discardMeter{},
		Clock: realClock{}.Now, IDs: new(fake.IDs).Next, Random: rand.Reader,
	}, serving.DefaultConfig(), rules, "a secret", slog.New(slog.DiscardHandler)))(t)
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
					answers := ""
					for _, a := range d.Attempts { // the failed one may have been repeated
						answers += a.Answer
					}
					if answers != "a\uFFFD\uFFFD\uFFFD" {
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
