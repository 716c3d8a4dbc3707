package authstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/user"
)

var userCopyColumns = []string{
	"id", "email", "password_hash", "role", "lang", "verified", "epoch", "created_at", "display_name", "metadata", "suspended_at", "delete_at", "campus_store",
	"name_key", "first_name", "last_name", "university", "campus_mailbox", "payment_username",
}

// CopyUsers is AddUsers with COPY, on Postgres.
func CopyUsers(ctx context.Context, tx pgx.Tx, all []user.User) error {
	return gormstore.CopyRows(ctx, tx, "users", userCopyColumns, all, func(u user.User) ([]any, error) {
		r := toUserRow(&u)
		values := []any{r.ID, r.Email, r.PasswordHash, r.Role, r.Lang, r.Verified, r.Epoch, r.CreatedAt, r.DisplayName, r.Metadata, r.SuspendedAt, r.DeleteAt, r.CampusStore, r.NameKey}
		if p := r.Profile; p != nil {
			return append(values, p.FirstName, p.LastName, p.University, p.CampusMailbox, p.PaymentUsername), nil
		}
		return append(values, nil, nil, nil, nil, nil), nil
	})
}
