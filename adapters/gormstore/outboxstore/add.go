package outboxstore

import (
	"cmp"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/message"
	"gorm.io/gorm"
)

// rowsPerInsert bounds the variables of one statement.
const rowsPerInsert = 64

// topic is announced when messages have been added.
const topic = "outbox"

// Add puts messages into the outbox as part of tx, so that they wait if and only
// if what they tell of has happened. The sealer encrypts their codes and links.
func Add(tx *gorm.DB, sealer Sealer, messages ...message.Message) error {
	if len(messages) == 0 {
		return nil
	}
	rows, cause := make([]row, len(messages)), gormstore.Traceparent(tx)
	for i, m := range messages {
		m.Trace = cmp.Or(m.Trace, cause)
		var err error
		if rows[i], err = toRow(m, sealer); err != nil {
			return fmt.Errorf("add %s to the outbox: %w", m.Kind, err)
		}
	}
	if err := tx.CreateInBatches(rows, rowsPerInsert).Error; err != nil {
		return fmt.Errorf("add to the outbox: %w", err)
	}
	for _, r := range rows {
		if err := hurry(tx, r); err != nil {
			return fmt.Errorf("add to the outbox: %w", err)
		}
	}
	gormstore.Announce(tx, topic)
	return nil
}

// hurry ends the wait of older messages of the kind to the same person after a try
// that failed. They are tried before the newer one, so that it arrives last. The sum
// keeps SQLite from looking through all that is due later.
func hurry(tx *gorm.DB, newer row) error {
	if newer.Priority != 0 {
		return nil
	}
	_, err := gorm.G[row](tx).Where("state = 0 AND priority = 0 AND recipient = ? AND kind = ?", newer.Recipient, newer.Kind).
		Where("id < ? AND error <> '' AND due_at + 0 > ?", newer.ID, newer.DueAt).Update(tx.Statement.Context, "due_at", newer.DueAt)
	return err
}
