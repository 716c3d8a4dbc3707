package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// emailChanges implements auth.EmailChangeStore.
type emailChanges struct{ store *Store }

func (e emailChanges) all() map[int64]user.EmailChange { return e.store.tables.auth.emailChanges }

func (e emailChanges) PutEmailChange(_ context.Context, c user.EmailChange) error {
	e.all()[c.ID] = c
	return nil
}

func (e emailChanges) LockEmailChange(_ context.Context, id int64) (user.EmailChange, error) {
	c, ok := e.all()[id]
	if !ok {
		return user.EmailChange{}, challenge.ErrCodeInvalid
	}
	return c, nil
}

func (e emailChanges) DeleteEmailChanges(_ context.Context, of user.ID, from int64) (deleted []user.EmailChange, err error) {
	maps.DeleteFunc(e.all(), func(id int64, c user.EmailChange) bool {
		if c.User != of || id < from {
			return false
		}
		deleted = append(deleted, c)
		return true
	})
	slices.SortFunc(deleted, func(a, b user.EmailChange) int { return cmp.Compare(a.ID, b.ID) })
	return deleted, nil
}

func (e emailChanges) IsEmailReserved(_ context.Context, address user.Email, except user.ID, now time.Time) (bool, error) {
	for _, c := range e.all() {
		if c.From == address && c.User != except && !c.ConfirmedAt.IsZero() && now.Before(c.RequestedAt.Add(user.UndoPeriod)) {
			return true, nil
		}
	}
	return false, nil
}

func (e emailChanges) CopyOptOut(_ context.Context, from, to user.Email) error {
	optouts := e.store.tables.outbox.optouts
	if at, ok := optouts[from]; ok {
		if _, has := optouts[to]; !has {
			optouts[to] = at
		}
	}
	return nil
}

// eraseEmailChanges deletes a user's changes and the mails to addresses that nobody else has.
func (s *Store) eraseEmailChanges(of user.ID) {
	maps.DeleteFunc(s.tables.auth.emailChanges, func(_ int64, c user.EmailChange) bool {
		if c.User != of {
			return false
		}
		if holder, err := s.userByEmail(c.From); err != nil || holder.ID == of {
			s.eraseRecipients(c.From)
			maps.DeleteFunc(s.tables.auth.challenges, func(k challengeKey, _ challenge.Challenge) bool { return k.email == c.From })
		}
		return true
	})
}
