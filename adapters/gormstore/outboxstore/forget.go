package outboxstore

import (
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Forget erases people as part of tx: what waits for them, what was sent to them
// or declined, and that they declined it. What was given up stays to be counted,
// without saying whom or what it was about. Each statement has an index of its own;
// only what waits and is not urgent is looked at as a whole.
func Forget(tx *gorm.DB, who ...user.Email) error {
	if len(who) == 0 {
		return nil
	}
	_, emails := rawsql.In(who)
	for _, erase := range []*gorm.DB{
		tx.Where("email IN ?", emails).Delete(&optoutRow{}),
		tx.Where("recipient IN ? AND state = 0 AND priority IN (0, 1)", emails).Delete(&row{}),
		tx.Where("recipient IN ? AND state <> 0 AND state <> ?", emails, dead).Delete(&row{}),
		// What a mail server answers may quote the address.
		tx.Model(&row{}).Where("recipient IN ? AND state <> 0 AND state = ?", emails, dead).
			Updates(map[string]any{"recipient": "", "params": "{}", "error": ""}),
	} {
		if erase.Error != nil {
			return fmt.Errorf("forget in the outbox: %w", erase.Error)
		}
	}
	return nil
}
