package account

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// Update changes the caller's name and the language of the mails, unless they are nil. An
// empty name removes it.
func (s *Users) Update(ctx context.Context, by user.Caller, name *string, lang *user.Lang) (u user.User, err error) {
	if err := by.MustBe(user.Regular); err != nil {
		return user.User{}, err
	}
	var cleaned string
	if name != nil {
		if cleaned, err = user.CleanName(*name); err != nil {
			return user.User{}, err
		}
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = st.LockUser(ctx, by.ID); err != nil {
			return err
		}
		if name != nil {
			u.Name = cleaned
		}
		if lang != nil {
			u.Lang = lang.Or(u.Lang)
		}
		return st.SaveUser(ctx, u)
	})
	return u, err
}

// SetMetadata replaces a user's metadata, a JSON object. The user's next access token has a
// copy of it. An object without fields removes it. Admins only, within
// user.Caller.MustOutrank.
func (s *Users) SetMetadata(ctx context.Context, by user.Caller, id user.ID, metadata string) (u user.User, err error) {
	if err := by.MustBe(user.Admin); err != nil {
		return user.User{}, err
	}
	if metadata, err = user.ParseMetadata(metadata); err != nil {
		return user.User{}, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = lockOutranked(ctx, st, by, id); err != nil {
			return err
		}
		u.Metadata = metadata
		if err := st.SaveUser(ctx, u); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{s.AuditEntry(by, "user.metadata_set", id, "")}})
	})
	return u, err
}

// lockOutranked locks a user whom the caller may administrate.
func lockOutranked(ctx context.Context, st *tx, by user.Caller, id user.ID) (user.User, error) {
	u, err := st.LockUser(ctx, id)
	if err != nil {
		return user.User{}, err
	}
	if err := by.MustOutrank(u); err != nil {
		return user.User{}, err
	}
	return u, nil
}
