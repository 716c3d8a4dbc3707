package external

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// ServiceLogouts ends sessions that were begun at other services, when those say so.
type ServiceLogouts struct {
	*unit
	verifier LogoutVerifier
}

// End ends the sessions that a logout token of a service names (OpenID Connect Back-Channel Logout), and those
// of the applications that were signed in to from them. A token that ends nothing any more is not an error; one
// that was used before is identity.ErrLogoutInvalid.
func (l *ServiceLogouts) End(ctx context.Context, provider, token string, from user.ClientInfo) error {
	if err := l.AllowRequests(ctx, auth.RequestFrom("logouts of services", l.Rules.SignIns, from)); err != nil {
		return err
	}
	if l.verifier == nil || !l.hasProvider(provider) {
		return identity.ErrUnknownProvider
	}
	notice, err := l.verifier.VerifyLogout(ctx, provider, token)
	if err != nil {
		return err
	}
	_, err = l.end(ctx, provider, notice, from)
	return err
}

// EndNoticed is End for a notice that was verified already. It returns how many sessions the notice names.
func (l *ServiceLogouts) EndNoticed(ctx context.Context, provider string, notice identity.LogoutNotice, from user.ClientInfo) (int, error) {
	if err := l.AllowRequests(ctx, auth.RequestFrom("logouts of services", l.Rules.SignIns, from)); err != nil {
		return 0, err
	}
	return l.end(ctx, provider, notice, from)
}

func (l *ServiceLogouts) end(ctx context.Context, provider string, notice identity.LogoutNotice, from user.ClientInfo) (int, error) {
	digest := l.CodeKey.CeremonyDigest(challenge.ServiceLogout, provider+"\x00"+notice.ID)
	found, err := l.find(ctx, provider, notice, digest)
	if err != nil {
		return 0, err
	}
	ended := map[user.ID][]user.SessionID{}
	for _, one := range found {
		ended[one.User] = append(ended[one.User], one.Session)
	}
	for of, ids := range ended {
		if err := l.Hooks.EndSessions(ctx, user.Caller{ID: of, From: from}, ids); err != nil {
			return 0, err
		}
	}
	// The token is used up last: the service repeats one that was not acted upon.
	return len(found), l.Atomically(ctx, func(ctx context.Context, st *tx) error {
		now := l.Now()
		return st.PutCeremony(ctx, challenge.Ceremony{
			Purpose: challenge.ServiceLogout, Digest: digest, CreatedAt: now, ExpiresAt: now.Add(challenge.ServiceLogout.Lifetime()),
		})
	})
}

// find returns the sign-ins that a notice is about.
func (l *ServiceLogouts) find(
	ctx context.Context, provider string, n identity.LogoutNotice, digest [32]byte,
) (found []auth.ServiceSignIn, err error) {
	err = l.Atomically(ctx, func(ctx context.Context, st *tx) error {
		_, err := st.LockCeremony(ctx, challenge.ServiceLogout, digest, l.Now())
		if err == nil {
			return identity.ErrLogoutInvalid
		}
		if !errors.Is(err, challenge.ErrCeremonyInvalid) {
			return err
		}
		found, err = st.ListServiceSignIns(ctx, provider, n.Subject, n.Session)
		return err
	})
	return found, err
}
