package account

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// SetStore says whether an account is that of a campus store, which may list far more than a
// person. It takes effect on the next request. Owners only.
func (s *Users) SetStore(ctx context.Context, by user.Caller, id user.ID, store bool) (u user.User, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return user.User{}, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = st.LockUser(ctx, id); err != nil || u.Store == store {
			return err
		}
		u.Store = store
		if err := st.SaveUser(ctx, u); err != nil {
			return err
		}
		detail := "no store"
		if store {
			detail = "store"
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{s.AuditEntry(by, "user.store_set", id, detail)}})
	})
	return u, err
}
