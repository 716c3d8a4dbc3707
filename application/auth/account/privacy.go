package account

import (
	"context"
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// Of is Mine of somebody else, for a person who cannot sign in and asks. Owners only, who have proved their
// identity recently. The audit log records it.
func (e *Exports) Of(ctx context.Context, by user.Caller, of user.ID) (json.RawMessage, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	if err := e.MustHaveProved(ctx, by); err != nil {
		return nil, err
	}
	return e.recorded(ctx, of, e.AuditEntry(by, "user.exported", of, ""))
}

// OfAddress is Of for the operator of the program, who needs no account.
func (e *Exports) OfAddress(ctx context.Context, email string) (json.RawMessage, error) {
	u, err := e.find(ctx, email)
	if err != nil {
		return nil, err
	}
	return e.recorded(ctx, u.ID, e.AuditEntry(user.Caller{}, "user.exported", u.ID, byOperator))
}

func (e *Exports) recorded(ctx context.Context, of user.ID, entry audit.Entry) (json.RawMessage, error) {
	data, err := e.all(ctx, of)
	if err != nil {
		return nil, err
	}
	err = e.Atomically(ctx, func(ctx context.Context, st *tx) error {
		return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{entry}})
	})
	return data, err
}

// find returns the account with an address.
func (u *unit) find(ctx context.Context, email string) (user.User, error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return user.User{}, err
	}
	return u.Storage.FindUserByEmail(ctx, address)
}

// FindByAddress returns the account with an address, for the operator of the program.
func (s *Users) FindByAddress(ctx context.Context, email string) (user.User, error) {
	return s.find(ctx, email)
}

// DeleteByOperator is Delete of one account for the operator of the program, who needs no account.
func (s *Users) DeleteByOperator(ctx context.Context, email string) (user.User, error) {
	u, err := s.find(ctx, email)
	if err != nil {
		return user.User{}, err
	}
	return u, s.deleteForOperator(ctx, u)
}

func (s *Users) deleteForOperator(ctx context.Context, u user.User) error {
	operator := user.Caller{ID: user.OperatorID, Role: user.Owner}
	locked := []user.Email{u.Email}
	err := s.WithAddressLock(ctx, locked, func(ctx context.Context, st *tx) error {
		return s.erase(ctx, st, operator, []user.ID{u.ID}, locked, func(id user.ID) audit.Entry {
			return s.AuditEntry(user.Caller{}, "user.deleted", id, byOperator)
		})
	})
	if err == nil {
		s.revokeSupersededSessions(ctx, u.ID)
	}
	return err
}

// Deletion is an account that was deleted.
type Deletion struct {
	User user.ID
	At   time.Time
}

// maxDeletions limits one page of deletions.
const maxDeletions = 1000

// Deletions calls each with every account that was deleted since a time, for the operator of the program.
func (s *Users) Deletions(ctx context.Context, since time.Time, each func(Deletion) error) error {
	for after := user.ID(0); ; {
		page, err := s.reader.ListDeleted(ctx, since, after, maxDeletions)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, d := range page {
			if err := each(d); err != nil {
				return err
			}
			after = d.User
		}
	}
}

// DeleteAgain deletes an account that had been deleted before an older state of the database was restored, and
// reports whether there was one.
func (s *Users) DeleteAgain(ctx context.Context, id user.ID) (bool, error) {
	u, exists, err := auth.Optional(s.Storage.FindUser(ctx, id))
	if err != nil || !exists {
		return false, err
	}
	return true, s.deleteForOperator(ctx, u)
}
