package authstore

import (
	"database/sql"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// userColumns is what scanUser reads, in its order.
const userColumns = `id, email, password_hash, role, lang, verified, epoch, created_at,
	first_name, last_name, university, campus_mailbox, payment_username`

// scanner is a row of database/sql.
type scanner interface{ Scan(...any) error }

// scanUser reads userColumns. The profile's columns are null together.
func scanUser(row scanner) (user.User, error) {
	var u user.User
	var created int64
	var verified int
	var profile [5]sql.NullString
	err := row.Scan(&u.ID, &u.Email, &u.PasswordHash, &u.Role, &u.Lang, &verified, &u.Epoch, &created,
		&profile[0], &profile[1], &profile[2], &profile[3], &profile[4])
	u.Verified, u.CreatedAt, u.Profile = verified == 1, instant(created), toProfile(profile)
	return u, err
}

func toProfile(c [5]sql.NullString) *user.Profile {
	if !c[0].Valid {
		return nil
	}
	return &user.Profile{
		FirstName: c[0].String, LastName: c[1].String, University: c[2].String,
		CampusMailbox: c[3].String, PaymentUsername: c[4].String,
	}
}

// profileValues are the profile's columns; all null for none.
func profileValues(p *user.Profile) []any {
	if p == nil {
		return []any{nil, nil, nil, nil, nil}
	}
	return []any{p.FirstName, p.LastName, p.University, p.CampusMailbox, p.PaymentUsername}
}

// flag is how a bool is stored.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// maybe is an instant that may be null; null is the zero time.
func maybe(micros sql.NullInt64) time.Time {
	if !micros.Valid {
		return time.Time{}
	}
	return instant(micros.Int64)
}
