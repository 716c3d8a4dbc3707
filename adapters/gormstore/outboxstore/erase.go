package outboxstore

import (
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// EraseRecipients erases people in the transaction tx: their messages and their opt-outs.
// Dead letters stay to be counted, without recipient and content. Each statement uses an
// index; only waiting messages that are not urgent are scanned.
func EraseRecipients(tx *gorm.DB, recipients ...user.Email) error {
	if len(recipients) == 0 {
		return nil
	}
	_, emails := rawsql.In(recipients)
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
