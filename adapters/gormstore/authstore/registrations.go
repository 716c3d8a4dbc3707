package authstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// registrations keeps sign-ups within a transaction.
type registrations struct{ *transaction }

const registrationColumns = `id, email, password_hash, mark, contested, mailed, lang, created_at, expires_at,
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

// Registration finds a sign-up.
func (i *Identity) Registration(ctx context.Context, id int64, now time.Time) (user.Registration, error) {
	r, err := scanRegistration(i.bySignUp.QueryRowContext(ctx, id, now.UnixMicro()))
	if errors.Is(err, sql.ErrNoRows) {
		return user.Registration{}, challenge.ErrLinkInvalid
	}
	if err != nil {
		return user.Registration{}, gormstore.Explain(fmt.Errorf("find a sign-up: %w", err))
	}
	return r, nil
}

func scanRegistration(row scanner) (user.Registration, error) {
	var r user.Registration
	var created, expires int64
	var contested, mailed int
	var mark []byte
	var profile [5]sql.NullString
	err := row.Scan(&r.ID, &r.Email, &r.PasswordHash, &mark, &contested, &mailed, &r.Lang, &created, &expires,
		&profile[0], &profile[1], &profile[2], &profile[3], &profile[4])
	copy(r.Mark[:], mark)
	r.Contested, r.Mailed = contested == 1, mailed == 1
	r.CreatedAt, r.ExpiresAt, r.Profile = instant(created), instant(expires), toProfile(profile)
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
	if crowded := added.Crowded(all); len(crowded) > 0 {
		if _, err := r.exec(`DELETE FROM signups WHERE id IN ?`, crowded); err != nil {
			return err
		}
	}
	values := append([]any{
		added.ID, string(added.Email), added.PasswordHash, added.Mark[:], flag(added.Contested), flag(added.Mailed), string(added.Lang),
		added.CreatedAt.UnixMicro(), added.ExpiresAt.UnixMicro(),
	}, profileValues(added.Profile)...)
	_, err = r.exec(`INSERT INTO signups (`+registrationColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
	return err
}

func (r registrations) SetMailed(_ context.Context, id int64, until time.Time) error {
	at := until.UnixMicro()
	_, err := r.exec(`UPDATE signups SET mailed = 1, expires_at = CASE WHEN expires_at < ? THEN ? ELSE expires_at END WHERE id = ?`, at, at, id)
	return err
}

func (r registrations) Drop(_ context.Context, email user.Email) error {
	_, err := r.exec(`DELETE FROM signups WHERE email = ?`, string(email))
	return err
}
