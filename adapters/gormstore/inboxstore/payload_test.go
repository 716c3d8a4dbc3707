package inboxstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook/sample"
	"github.com/octavo-books/octavo/test/database"
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
			if _, err := store.FindDelivery(t.Context(), "", "damaged"); !errors.Is(err, inbox.ErrPayloadDamaged) {
				t.Errorf("found with %v, want %v", err, inbox.ErrPayloadDamaged)
			}
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
