package auth

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// KnownDevices summarises earlier sign-ins of a user.
type KnownDevices struct {
	This bool // the user has signed in with this browser and system before
	Any  bool // the user has signed in before
}

// SessionEffects returns what to commit with a new session.
type SessionEffects struct {
	// Added is called for every session. known says with which browsers and systems the
	// user has signed in before.
	Added func(known KnownDevices) SideEffects
	// Evicted is called if other sessions were revoked because there were too many.
	Evicted func(revoked []user.SessionID) SideEffects
}

// SessionState is what Authenticator needs of a session and its user to decide about
// a request.
type SessionState struct {
	Lifetime       session.Lifetime
	NewestSeen     int64 // of the session's TokenFamily
	OtherUsedSince bool  // another session of the user was used at the same time or later
	UserEpoch      int64
	Role           user.Role
	Student        bool
	University     string // of the user's profile; empty without one
	AdminCampus    string // see user.User
	Factors        int    // see session.Session
	SignIn         session.SignIn
}

// SessionRef names a session and the user to whom it belongs.
type SessionRef struct {
	User    user.ID
	Session user.SessionID
}

// SessionLifetime is what decides whether a session is active.
type SessionLifetime struct {
	session.Lifetime
	UserEpoch int64
}

// PresentedToken is a refresh token whose tag was verified.
type PresentedToken struct {
	User      user.ID
	Session   user.SessionID
	Number    int64
	UserEpoch int64
	At        time.Time
}

// SessionUse is a request that was authenticated with an access token.
type SessionUse struct {
	TokenNumber int64 // of the refresh token that was issued with the access token
	At          time.Time
	IP          string
}

// SessionStore stores sessions, in the database or in Redis. authcontract.Sessions tests it.
type SessionStore interface {
	// AddSession stores a new session and revokes the user's least recently used ones of
	// the same Client, so that at most limit remain. A store outside the accounts' database
	// returns user.ErrNotFound for a deleted user.
	AddSession(ctx context.Context, s session.Session, limit int, effects SessionEffects) error
	// FindSession returns session.ErrNotFound for a session that was revoked or that
	// belongs to another user.
	FindSession(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error)
	// ListSessions returns a user's sessions that were not revoked, in any order.
	// They may have expired or belong to an older epoch.
	ListSessions(ctx context.Context, of user.ID) ([]session.Session, error)
	// ListDevices returns the browsers and systems with which a user has signed in, in any
	// order. FirstSeenAt is zero in a store that does not keep it.
	ListDevices(ctx context.Context, of user.ID) ([]RecordedDevice, error)

	// FindSessionState returns session.ErrNotFound for a revoked session, for one
	// that belongs to another user and for a deleted user. It takes one round trip.
	FindSessionState(ctx context.Context, of user.ID, id user.SessionID) (SessionState, error)
	// FindSessionLifetimes returns the lifetimes of any number of sessions. Those that
	// FindSessionState would not find are missing.
	FindSessionLifetimes(ctx context.Context, all []SessionRef) (map[user.SessionID]SessionLifetime, error)

	// RotateToken atomically applies session.Classify to the token and returns the
	// session after it. Of parallel callers one rotates. On session.ReuseDetected it
	// revokes the session and calls effects for what to commit with that. A session
	// that is gone is session.Inactive and is never recreated.
	RotateToken(ctx context.Context, p PresentedToken, effects func(session.Session) SideEffects) (session.Session, session.Outcome, error)
	// TouchSession records a use. It never moves a session's last use back and does
	// not bring back a revoked session.
	TouchSession(ctx context.Context, of user.ID, id user.SessionID, use SessionUse) error

	// RevokeSessions revokes those of the ids that belong to the user and were not
	// revoked before, and returns their number. It records the side effects unless
	// that is 0.
	RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, e SideEffects) (int, error)
	// ProveSession applies session.Prove; session.ErrNotFound if it was revoked.
	ProveSession(ctx context.Context, of user.ID, id user.SessionID, m session.Methods, at time.Time) error
	// AdoptSessions makes the sessions of applications that began in one session ones of another of the same user.
	AdoptSessions(ctx context.Context, of user.ID, from, to user.SessionID) error
	// RebindSession changes a session's epoch from one to another;
	// session.ErrNotFound if it was revoked or has a different epoch.
	RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error
}

// RecordedDevice is a browser and system with which a user has signed in.
type RecordedDevice struct {
	Name        string    `json:"name"`
	FirstSeenAt time.Time `json:"firstSeenAt,omitzero"`
}
