package authstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// fillStep is how many names are folded in one transaction.
const fillStep = 1000

// fillNames folds the names of profiles that were stored before names were.
func fillNames(ctx context.Context, db *gormstore.DB) error {
	for {
		var done int
		err := db.Atomically(ctx, func(tx *gorm.DB) error {
			var unfolded []struct {
				ID                  int64
				FirstName, LastName string
			}
			err := tx.Raw(`SELECT id, first_name, last_name FROM users
				WHERE name_key IS NULL AND first_name IS NOT NULL LIMIT ?`, fillStep).Scan(&unfolded).Error
			done = len(unfolded)
			for _, u := range unfolded {
				if err != nil {
					break
				}
				key := user.Profile{FirstName: u.FirstName, LastName: u.LastName}.NameKey()
				err = tx.Exec(`UPDATE users SET name_key = ? WHERE id = ?`, key, u.ID).Error
			}
			return err
		})
		if err != nil || done < fillStep {
			return err
		}
	}
}

// nameKey is the column's value; null for no profile.
func nameKey(p *user.Profile) any {
	if p == nil {
		return nil
	}
	return p.NameKey()
}
