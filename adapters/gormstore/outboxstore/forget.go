package outboxstore

import (
	"fmt"

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
	for _, erase := range []*gorm.DB{
		tx.Exec(`DELETE FROM mail_optouts WHERE email IN ?`, who),
		tx.Exec(`DELETE FROM outbox WHERE recipient IN ? AND state = 0 AND priority IN (0, 1)`, who),
		tx.Exec(`DELETE FROM outbox WHERE recipient IN ? AND state <> 0 AND state <> ?`, who, dead),
		// What a mail server answers may quote the address.
		tx.Exec(`UPDATE outbox SET recipient = '', params = '{}', error = '' WHERE recipient IN ? AND state <> 0 AND state = ?`, who, dead),
	} {
		if erase.Error != nil {
			return fmt.Errorf("forget in the outbox: %w", erase.Error)
		}
	}
	return nil
}
