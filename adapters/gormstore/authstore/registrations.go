package authstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// registrations keeps sign-ups within a transaction.
type registrations struct{ *transaction }

const registrationColumns = `id, email, password_hash, mark, contested, lang, created_at, expires_at,
	first_name, last_name, university, campus_mailbox, payment_username`

func (r registrations) Of(_ context.Context, email user.Email, now time.Time) ([]user.Registration, error) {
	var all []user.Registration
	err := r.query(func(row scanner) error {
		one, err := scanRegistration(row)
		all = append(all, one)
		return err
	}, `SELECT `+registrationColumns+` FROM signups WHERE email = ? AND expires_at > ? ORDER BY id DESC`+r.locking(),
		string(email), now.UnixMicro())
	return all, err
}

func scanRegistration(row scanner) (user.Registration, error) {
	var r user.Registration
	var created, expires int64
	var contested int
	var mark []byte
	var profile [5]sql.NullString
	err := row.Scan(&r.ID, &r.Email, &r.PasswordHash, &mark, &contested, &r.Lang, &created, &expires,
		&profile[0], &profile[1], &profile[2], &profile[3], &profile[4])
	copy(r.Mark[:], mark)
	r.Contested, r.CreatedAt, r.ExpiresAt, r.Profile = contested == 1, instant(created), instant(expires), toProfile(profile)
	return r, err
}

func (r registrations) Add(ctx context.Context, added user.Registration) error {
	all, err := r.Of(ctx, added.Email, added.CreatedAt)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		added.Follow(all[0])
	}
	if len(all) >= user.MaxRegistrations {
		if _, err := r.exec(`DELETE FROM signups WHERE email = ? AND id <= ?`, string(added.Email), all[user.MaxRegistrations-1].ID); err != nil {
			return err
		}
	}
	values := append([]any{
		added.ID, string(added.Email), added.PasswordHash, added.Mark[:], flag(added.Contested), string(added.Lang),
		added.CreatedAt.UnixMicro(), added.ExpiresAt.UnixMicro(),
	}, profileValues(added.Profile)...)
	_, err = r.exec(`INSERT INTO signups (`+registrationColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
	return err
}

func (r registrations) Drop(_ context.Context, email user.Email) error {
	_, err := r.exec(`DELETE FROM signups WHERE email = ?`, string(email))
	return err
}
