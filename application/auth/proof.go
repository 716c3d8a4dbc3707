package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Authentication is a proof of identity that entitles a user to a session.
type Authentication struct {
	User     user.User
	Factors  int  // how many factors were proved: 1 or 2
	External bool // they were proved at another service, which replaces no second factor here
	Fresh    bool // the sign-in itself counts as a recent proof, see session.Session
	// ProvedAt is when an external proof was given; zero if nobody knows.
	ProvedAt time.Time
	Methods  session.Methods // with which the factors were proved
	Service  ServiceSignIn   // of an external sign-in: service, subject and SID
	// Strong says that a second factor is wanted: a remembered browser does not spare the user theirs.
	Strong   bool
	Remember bool
	From     user.ClientInfo

	Client, Scopes string        // of an OpenID client, see session.Session
	Target         Target        // of the first access token of a client
	AccessLifetime time.Duration // of that token; 0: the usual one
	FirstParty     bool
	SignIn         session.SignIn // of the user, for the session of a client
	Parent         user.SessionID // of the session of a client
	Expires        time.Duration  // the session ends then in any case; 0: after session.AbsoluteTimeout
}

// MustHaveProved returns user.ErrProofNeeded unless the caller has proved their identity
// within the last session.ProofLifetime.
func (d *Deps) MustHaveProved(ctx context.Context, by user.Caller) error {
	_, err := d.ProvedSession(ctx, by)
	return err
}

// ProvedSession is MustHaveProved, and returns the session of the caller.
func (d *Deps) ProvedSession(ctx context.Context, by user.Caller) (session.Session, error) {
	if err := errors.Join(by.MustNotBeToken(), by.MustBe(user.Regular)); err != nil {
		return session.Session{}, err
	}
	own, err := d.Sessions.FindSession(ctx, by.ID, by.Session)
	if errors.Is(err, session.ErrNotFound) {
		return own, user.ErrUnauthenticated // it was revoked in the meantime
	}
	if err == nil && !own.RecentlyProved(d.Now()) {
		err = user.ErrProofNeeded
	}
	return own, err
}

// PasswordCounts reports whether the password of a user proves who they are.
func (d *Deps) PasswordCounts(u user.User) bool {
	return u.PasswordHash != "" && (!d.ExternalOnly || u.BreaksGlass())
}

// MustKeepSignIn returns ErrLastSignIn if a locked account has no way to sign in: no password, no
// passkey and no identity at a service of the settings. Mailed codes do not count: they would leave
// the account to whoever reads the mailbox.
func (d *Deps) MustKeepSignIn(ctx context.Context, st Stores, u user.User) error {
	if d.PasswordCounts(u) {
		return nil
	}
	for _, signsIn := range d.Hooks.SignsIn {
		if found, err := signsIn(ctx, st, u.ID); err != nil || found {
			return err
		}
	}
	return ErrLastSignIn
}

// LockProved locks the account of a session that was found active, as by ProvedSession. The error is
// user.ErrUnauthenticated if the account ended its sessions in the meantime: a change that a
// thief has begun must not take effect after the owner has undone the others.
func (d *Deps) LockProved(ctx context.Context, st Stores, own session.Session) (user.User, error) {
	u, err := st.LockUser(ctx, own.User)
	if errors.Is(err, user.ErrNotFound) || err == nil && !own.Active(u.Epoch, d.Now()) {
		err = user.ErrUnauthenticated
	}
	return u, err
}

// KeepAccount undoes Leave for a locked account and tells its owner.
func (d *Deps) KeepAccount(ctx context.Context, st Stores, u user.User, by user.Caller) error {
	u.DeleteAt = time.Time{}
	if err := st.SaveUser(ctx, u); err != nil {
		return err
	}
	if err := st.DeleteChallenges(ctx, u.Email, 0, challenge.AccountDeletion); err != nil {
		return err
	}
	m := d.SecurityNotice(message.AccountDeletion, u, by.From)
	m.Params[message.ParamUndone] = "yes"
	return st.RecordSideEffects(ctx, SideEffects{
		AuditEntries: []audit.Entry{d.AuditEntry(by, "user.deletion_undone", u.ID, "")}, Messages: []message.Message{m},
	})
}

// VerifyToken verifies a token and returns the state of its session.
func (d *Deps) VerifyToken(ctx context.Context, token string, now time.Time) (Claims, SessionState, error) {
	c, err := d.Tokens.VerifyToken(token, now)
	return d.withState(ctx, c, err, now)
}

// VerifyTargetToken is VerifyToken for the token of a client that is for a resource.
func (d *Deps) VerifyTargetToken(ctx context.Context, token string, now time.Time) (Claims, SessionState, error) {
	c, err := d.Tokens.VerifyTargetToken(token, now)
	return d.withState(ctx, c, err, now)
}

func (d *Deps) withState(ctx context.Context, c Claims, err error, now time.Time) (Claims, SessionState, error) {
	if err != nil {
		return c, SessionState{}, err
	}
	s, err := d.Sessions.FindSessionState(ctx, c.User, c.Session)
	if errors.Is(err, session.ErrNotFound) || err == nil && !s.Lifetime.Active(s.UserEpoch, now) {
		err = user.ErrUnauthenticated
	}
	return c, s, err
}
