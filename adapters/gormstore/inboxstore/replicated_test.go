package inboxstore_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// No standby confirms anything, so neither a delivery nor its repetition may be acknowledged.
func TestADuplicateIsAcknowledgedOnlyOnceAStandbyHasIt(t *testing.T) {
	db := database.Connect(t, database.PostgresURL(t)+"&synchronous_commit=on")
	must.Do(t, db.Migrate(t.Context(), inboxstore.Migrations))
	store := inboxstore.New(db)
	seq := int64(0)
	deliver := func(id string) error {
		soon, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		seq++
		return must.Err(store.CommitBatch(soon, inbox.Batch{Deliveries: []inbox.Delivery{{Seq: seq, Source: "host", ID: id, Event: "push", Payload: []byte("{}"), ReceivedAt: time.Now()}}}))
	}
	// await delivers until the error is want: the server reads its settings a moment later.
	await := func(id func() string, want error) {
		t.Helper()
		var got error
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
			if got = deliver(id()); errors.Is(got, want) {
				return
			}
		}
		t.Errorf("error: %v, want %v", got, want)
	}
	one := func() string { return "one" }
	await(one, nil)
	database.WaitForStandby(t, "nobody")
	await(func() string { return "another " + strconv.FormatInt(seq, 10) }, gormstore.ErrUnavailable)
	must.Refuse(t, deliver("one"), gormstore.ErrUnavailable, "the repetition")
	database.WaitForStandby(t, "")
	await(one, nil)
}
