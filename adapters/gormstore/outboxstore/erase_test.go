package outboxstore_test

import (
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

func TestNothingInTheOutboxNamesAnErasedRecipient(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		now := time.UnixMicro(1_750_000_000_000_000)
		o := outboxstore.NewOutbox(db, plainSealer{})
		for i, outcome := range []mailer.Outcome{mailer.Dead, mailer.Sent} {
			m := code(int64(i + 1))
			m.Params = map[string]string{message.ParamIP: "192.0.2.7"}
			add(t, db, m)
			claimed, _, err := o.ClaimMessages(t.Context(), now, now.Add(time.Minute), 1)
			if err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %v, %v", claimed, err)
			}
			must.Do(t, o.SettleMessages(t.Context(), now, []mailer.Result{{Message: claimed[0], Outcome: outcome, Reason: "550 no ann@rochester.edu here"}}))
		}
		must.Do(t, outboxstore.NewOptOuts(db).AddOptOut(t.Context(), "ann@rochester.edu", now))
		must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error { return outboxstore.EraseRecipients(tx, "ann@rochester.edu") }))
		for _, table := range []string{"outbox", "mail_optouts"} {
			var all []map[string]any
			must.Do(t, db.Read.Raw("SELECT * FROM "+table).Scan(&all).Error)
			if dump := fmt.Sprint(all); strings.Contains(dump, "ann@") || strings.Contains(dump, "192.0.2.7") {
				t.Errorf("%s: %s", table, dump)
			}
		}
	})
}
