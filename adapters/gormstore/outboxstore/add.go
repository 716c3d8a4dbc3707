package outboxstore

import (
	"cmp"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// topic is the topic of the loops that send messages.
const topic = "outbox"

// AddMessages adds messages to the outbox in the transaction of the change that they are
// about, so that a message is sent if and only if the change was committed. The sealer
// encrypts codes and links.
func AddMessages(tx *gorm.DB, sealer Sealer, messages ...message.Message) error {
	if len(messages) == 0 {
		return nil
	}
	rows, parent := make([]row, len(messages)), gormstore.Traceparent(tx)
	for i, m := range messages {
		m.Trace = cmp.Or(m.Trace, parent)
		var err error
		if rows[i], err = toRow(m, sealer); err != nil {
			return fmt.Errorf("add %s to the outbox: %w", m.Kind, err)
		}
	}
	if err := tx.CreateInBatches(rows, rawsql.RowsPerStatement).Error; err != nil {
		return fmt.Errorf("add to the outbox: %w", err)
	}
	for _, r := range rows {
		if err := makeOlderDue(tx, r); err != nil {
			return fmt.Errorf("add to the outbox: %w", err)
		}
	}
	gormstore.NotifyAfterCommit(tx, topic)
	return nil
}

// makeOlderDue makes older messages of the kind to the same person due at once if they
// wait for a retry. They are then tried before the newer one, which arrives last. The term
// "due_at + 0" stops SQLite from choosing the index on due_at, which would scan all
// messages that are due later.
func makeOlderDue(tx *gorm.DB, newer row) error {
	if newer.Priority != 0 {
		return nil
	}
	due := rawsql.Micros(newer.DueAt)
	_, err := table.Of[row](tx).Where("state = 0 AND priority = 0 AND recipient = ? AND kind = ?", newer.Recipient, newer.Kind).
		Where("id < ? AND error <> '' AND due_at + 0 > ?", newer.ID, due).Update(tx.Statement.Context, "due_at", due)
	return err
}

// EraseNames takes first names out of the mails that wait for others, in the transaction tx: their
// texts are complete without. Ended mails have none.
func EraseNames(tx *gorm.DB, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	for _, param := range []string{message.ParamFrom, message.ParamAbout} {
		statement := `UPDATE outbox SET params = json_remove(params, '$.` + param + `') WHERE state = 0 AND priority IN (0, 1) AND json_extract(params, '$.` + param + `') IN ?`
		if tx.Name() == string(gormstore.Postgres) {
			statement = `UPDATE outbox SET params = (params::jsonb - '` + param + `')::text WHERE state = 0 AND priority IN (0, 1) AND params::jsonb ->> '` + param + `' IN ?`
		}
		if err := tx.Exec(statement, rawsql.Padded(names)).Error; err != nil {
			return fmt.Errorf("erase names from the outbox: %w", err)
		}
	}
	return nil
}

// EraseRecipients erases people in the transaction tx: their messages and their opt-outs.
// Dead letters stay to be counted, without recipient and content. Each statement uses an
// index; only waiting messages that are not urgent are scanned.
func EraseRecipients(tx *gorm.DB, recipients ...user.Email) error {
	if len(recipients) == 0 {
		return nil
	}
	emails := rawsql.Padded(recipients)
	for _, erase := range []*gorm.DB{
		tx.Where("email IN ?", emails).Delete(&optOutRow{}),
		tx.Where("recipient IN ? AND state = 0 AND priority IN (0, 1)", emails).Delete(&row{}),
		tx.Where("recipient IN ? AND state <> 0 AND state <> ?", emails, dead).Delete(&row{}),
		// The error may quote the address.
		tx.Model(&row{}).Where("recipient IN ? AND state <> 0 AND state = ?", emails, dead).
			Updates(map[string]any{"recipient": "", "params": "{}", "error": ""}),
	} {
		if erase.Error != nil {
			return fmt.Errorf("erase recipients from the outbox: %w", erase.Error)
		}
	}
	return nil
}

// EraseKind erases the messages of one kind to recipients who may be others than those whom they are about. Each
// statement uses an index.
func EraseKind(tx *gorm.DB, k message.Kind, recipients ...user.Email) error {
	if len(recipients) == 0 {
		return nil
	}
	emails := rawsql.Padded(recipients)
	for _, which := range []string{"state = 0 AND priority IN (0, 1)", "state <> 0"} {
		if err := tx.Where("recipient IN ? AND kind = ? AND "+which, emails, string(k)).Delete(&row{}).Error; err != nil {
			return fmt.Errorf("erase %s from the outbox: %w", k, err)
		}
	}
	return nil
}
