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
	gormstore.Announce(tx, topic)
	return nil
}
