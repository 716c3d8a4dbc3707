package outboxstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// plainSealer encodes instead of encrypting. adapters/seal tests the encryption.
type plainSealer struct{}

func (plainSealer) Seal(plain []byte) ([]byte, error) {
	return []byte("sealed:" + fmt.Sprintf("%x", plain)), nil
}

func (plainSealer) Open(sealed []byte) ([]byte, error) {
	var plain []byte
	if _, err := fmt.Sscanf(string(sealed), "sealed:%x", &plain); err != nil {
		return nil, errors.New("not sealed here")
	}
	return plain, nil
}

func onEach(t *testing.T, test func(*testing.T, *gormstore.DB)) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) { test(t, open(t, outboxstore.Migrations)) })
	}
}

func code(id int64) message.Message {
	return message.Message{
		ID: id, Kind: message.Verification, To: "ann@rochester.edu", Lang: "fr", Code: "48151623",
		Link: "https://octavo.example/confirm/tok3n", CreatedAt: time.UnixMicro(1_750_000_000_000_000),
	}
}

func TestAMessageIsAddedOnlyIfItsTransactionCommits(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		boom := errors.New("boom")
		err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
			return errors.Join(outboxstore.AddMessages(tx, plainSealer{}, code(1)), boom)
		})
		if !errors.Is(err, boom) {
			t.Fatal(err)
		}
		if n := rows(t, db); n != 0 {
			t.Errorf("%d messages of a rolled back transaction wait", n)
		}
		many := make([]message.Message, 150)
		for i := range many {
			many[i] = code(int64(i + 1))
		}
		add(t, db, many...)
		if n := rows(t, db); n != 150 {
			t.Errorf("%d of 150 messages wait", n)
		}
	})
}

func TestNoCodeAndNoLinkCanBeReadInTheDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		add(t, db, code(1))
		var all map[string]any
		must.Do(t, db.Read.Raw("SELECT * FROM outbox").Scan(&all).Error)
		if dump := fmt.Sprintf("%s", all); strings.Contains(dump, "48151623") || strings.Contains(dump, "tok3n") {
			t.Errorf("readable in %s", dump)
		}
	})
}

func add(t *testing.T, db *gormstore.DB, messages ...message.Message) {
	t.Helper()
	must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error { return outboxstore.AddMessages(tx, plainSealer{}, messages...) }))
}

func rows(t *testing.T, db *gormstore.DB) (n int) {
	t.Helper()
	must.Do(t, db.Read.Raw("SELECT count(*) FROM outbox").Scan(&n).Error)
	return n
}

func TestCodesAndLinksAreErasedWhenAMessageIsSettled(t *testing.T) {
	for _, outcome := range []mailer.Outcome{mailer.Sent, mailer.Dead, mailer.OptedOut} {
		onEach(t, func(t *testing.T, db *gormstore.DB) {
			add(t, db, code(1))
			o := outboxstore.NewOutbox(db, plainSealer{})
			now := time.UnixMicro(1_750_000_000_000_000)
			claimed, _, err := o.ClaimMessages(t.Context(), now, now.Add(time.Minute), 1)
			if err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %v, %v", claimed, err)
			}
			must.Do(t, o.SettleMessages(t.Context(), now, []mailer.Result{{Message: claimed[0], Outcome: outcome}}))
			var secrets int
			if err := db.Read.Raw("SELECT count(*) FROM outbox WHERE secret IS NOT NULL").Scan(&secrets).Error; err != nil || secrets != 0 {
				t.Errorf("%s: %d secrets are left, %v", outcome, secrets, err)
			}
		})
	}
}

func TestAMessageSealedWithALostKeyIsReportedAsUnreadable(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		add(t, db, code(1))
		now := time.UnixMicro(1_750_000_000_000_000)
		claimed, _, err := outboxstore.NewOutbox(db, otherSealer{}).ClaimMessages(t.Context(), now, now.Add(time.Minute), 1)
		if err != nil || len(claimed) != 1 || claimed[0].Err == nil || claimed[0].To != "ann@rochester.edu" {
			t.Errorf("claimed %+v, %v", claimed, err)
		}
	})
}

// otherSealer cannot open what plainSealer has sealed.
type otherSealer struct{ plainSealer }

func (otherSealer) Open([]byte) ([]byte, error) { return nil, errors.New("another key") }
