package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrAlreadySuspended answers the operator.
var ErrAlreadySuspended = fault.New(fault.Conflict, "bad_request", "This person is suspended already.")

// UnseenUser is somebody who has not signed in through a service for long.
type UnseenUser struct {
	User     user.User
	LastSeen time.Time // when they last did, or when the service was linked
}

// byOperator is the detail of audit entries without an actor.
const byOperator = "by the operator"

// SuspendByOperator is Suspend for the operator of the program, who needs no account. An owner is suspended, too,
// but not the last one.
func (s *Users) SuspendByOperator(ctx context.Context, email, reason string) (user.User, error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return user.User{}, err
	}
	if reason, err = user.CleanReason(reason); err != nil {
		return user.User{}, err
	}
	known, err := s.Storage.FindUserByEmail(ctx, address)
	if err != nil {
		return user.User{}, err
	}
	detail := byOperator + ": " + reason
	_, err = s.suspendIf(ctx, known, reason, detail, func(_ context.Context, _ *tx, u user.User, owners []user.ID) (bool, error) {
		switch {
		case u.SuspendedByPeople():
			return false, ErrAlreadySuspended
		case slices.Equal(owners, []user.ID{u.ID}):
			return false, ErrLastOwner
		}
		return true, nil
	})
	return known, err
}

// suspendIf suspends an account, for the operator, if decide says so once it is locked.
func (s *Users) suspendIf(
	ctx context.Context, known user.User, reason, detail string, decide func(context.Context, *tx, user.User, []user.ID) (bool, error),
) (done bool, err error) {
	ended, err := s.ActiveSessionsEnded(ctx, known, event.EndedByAdmin, 0)
	if err != nil {
		return false, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		done = false
		owners, err := st.LockOwners(ctx)
		if err != nil {
			return err
		}
		u, err := st.LockUser(ctx, known.ID)
		if err != nil {
			return err
		}
		if done, err = decide(ctx, st, u, owners); err != nil || !done {
			return err
		}
		u.Directory.Inactive = false // no directory lifts it
		_, err = s.suspendLocked(ctx, st, u, suspension{operator: true, reason: reason, detail: detail, ended: ended})
		return err
	})
	if err == nil && done {
		s.revokeSupersededSessions(ctx, known.ID)
	}
	return done && err == nil, err
}

// unseenBatch is how many people are looked up at once.
const unseenBatch = 200

// ListUnseen calls each for everybody who could sign in through a service but has not done so since a time, in the
// order of their ids. Owners are left out, and so are people who are suspended or have no sign-in there.
func (s *Users) ListUnseen(ctx context.Context, service string, since time.Time, each func(UnseenUser) error) error {
	if !slices.ContainsFunc(s.Providers, func(p identity.Provider) bool { return p.Name == service }) {
		return identity.ErrUnknownProvider
	}
	for after := user.ID(0); ; {
		all, err := s.reader.ListUnseen(ctx, service, since, after, unseenBatch)
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := each(one); err != nil {
				return err
			}
			after = one.User.ID
		}
		if len(all) < unseenBatch {
			return nil
		}
	}
}

// SuspendUnseen suspends somebody whom ListUnseen has listed, as by Suspend, and reports whether it did: not if
// they have signed in meanwhile, are suspended or have become an owner.
func (s *Users) SuspendUnseen(ctx context.Context, service string, since time.Time, one UnseenUser) (bool, error) {
	reason := fmt.Sprintf("You have not signed in through %s since %s.", service, one.LastSeen.Format(time.DateOnly))
	detail := fmt.Sprintf("%s: not seen at %s since %s", byOperator, service, one.LastSeen.Format(time.DateOnly))
	return s.suspendIf(ctx, one.User, reason, detail, func(ctx context.Context, st *tx, u user.User, _ []user.ID) (bool, error) {
		if u.Suspended() || u.Role == user.Owner {
			return false, nil
		}
		seen, err := st.LastSignInAt(ctx, u.ID, service)
		return err == nil && seen.Before(since), err
	})
}
