package factors

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// CompleteSignInRequest is the input of SecondFactors.CompleteSignIn.
type CompleteSignInRequest struct {
	Challenge string // from ErrSecondFactorRequired
	Code      string // of the authenticator app, or a recovery code
	Remember  bool   // the session, and the device
	From      user.ClientInfo
}

// pendingSignIn is the state of a sign-in that waits for the second factor.
type pendingSignIn struct {
	Epoch           int64 // of the user; a newer one ends the sign-in
	Fresh, Remember bool
	External        bool
	ProvedAt        time.Time // of an external sign-in
	Methods         session.Methods
	Service         auth.ServiceSignIn
}

// require is Hooks.RequireSecondFactor.
func (s *SecondFactors) require(ctx context.Context, a *auth.Authentication) error {
	needed, err := s.needsSecondFactor(ctx, a)
	if err == nil && needed {
		err = s.awaitSecondFactor(ctx, *a)
	}
	return err
}

// needsSecondFactor reports whether the user must still prove a second factor. A passkey and a
// remembered device count as one. Two factors at an external provider do not, because the
// provider could claim them for every user.
func (s *SecondFactors) needsSecondFactor(ctx context.Context, a *auth.Authentication) (bool, error) {
	if a.Factors >= 2 && !a.External {
		return false, nil
	}
	on, err := s.reader.HasSecondFactor(ctx, a.User.ID)
	if err != nil || !on {
		return false, err
	}
	if a.Strong {
		return true, nil
	}
	digests := s.deviceDigests(a.User.ID, a.From)
	if len(digests) == 0 {
		return true, nil
	}
	remembered, err := s.reader.IsRememberedDevice(ctx, a.User.ID, a.User.Epoch, digests, s.Now())
	if remembered { // nobody has entered a code
		a.Factors, a.Fresh = 2, false
	}
	return !remembered, err
}

// awaitSecondFactor stores the sign-in and returns ErrSecondFactorRequired with its
// challenge.
func (s *SecondFactors) awaitSecondFactor(ctx context.Context, a auth.Authentication) error {
	id, err := challenge.NewLink(s.Random)
	if err != nil {
		return err
	}
	state, err := json.Marshal(pendingSignIn{
		Epoch: a.User.Epoch, Fresh: a.Fresh, Remember: a.Remember, External: a.External,
		ProvedAt: a.ProvedAt, Methods: a.Methods, Service: a.Service,
	})
	if err != nil {
		return err
	}
	now := s.Now()
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if _, err := st.LockUser(ctx, a.User.ID); err != nil { // a deleted user leaves no ceremony
			return err
		}
		return st.PutCeremony(ctx, challenge.Ceremony{
			Purpose: challenge.SecondFactor, Digest: s.CodeKey.CeremonyDigest(challenge.SecondFactor, id), User: a.User.ID,
			Browser: a.From.UserAgent, State: state, CreatedAt: now, ExpiresAt: now.Add(challenge.SecondFactor.Lifetime()),
		})
	})
	switch {
	case errors.Is(err, user.ErrNotFound):
		return auth.ErrInvalidCredentials // deleted in the meantime
	case err != nil:
		return err
	}
	return auth.ErrSecondFactorRequired.WithDetail("challenge", id)
}

// CompleteSignIn starts the session of a sign-in that waited for the second factor. A wrong
// code is challenge.ErrCodeInvalid, and after five of them the challenge is over. A
// challenge that is unknown, expired, finished, begun by another browser or older than
// the account's password is challenge.ErrCeremonyInvalid.
func (s *SecondFactors) CompleteSignIn(ctx context.Context, in CompleteSignInRequest) (auth.TokenPair, error) {
	pending, err := s.findPendingSignIn(ctx, in)
	if err != nil {
		return auth.TokenPair{}, err
	}
	u, err := s.Storage.FindUser(ctx, pending.User)
	if errors.Is(err, user.ErrNotFound) {
		return auth.TokenPair{}, challenge.ErrCeremonyInvalid
	}
	if err != nil {
		return auth.TokenPair{}, err
	}
	attempt := secondFactorAttempt{u, in.Code, in.From}
	if err := s.allowSecondFactor(ctx, attempt); err != nil {
		return auth.TokenPair{}, err
	}
	a, device, err := s.finishPendingSignIn(ctx, pending, attempt, in.Remember)
	if err != nil {
		return auth.TokenPair{}, err
	}
	s.forgiveSecondFactor(ctx, attempt)
	g, err := s.Hooks.Admit(ctx, a)
	if err == nil {
		g.Device = device
	}
	return g, err
}

// findPendingSignIn returns the sign-in that a challenge belongs to. Guesses at challenges
// are limited by client.
func (s *SecondFactors) findPendingSignIn(ctx context.Context, in CompleteSignInRequest) (pending challenge.Ceremony, err error) {
	if !challenge.IsLink(in.Challenge) {
		return pending, challenge.ErrCeremonyInvalid
	}
	if err := s.AllowRequests(ctx, auth.RequestFrom("challenges", s.Rules.Codes, in.From)); err != nil {
		return pending, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		pending, err = st.LockCeremony(ctx, challenge.SecondFactor, s.CodeKey.CeremonyDigest(challenge.SecondFactor, in.Challenge), s.Now())
		return err
	})
	if err == nil && pending.Browser != in.From.UserAgent {
		err = challenge.ErrCeremonyInvalid
	}
	return pending, err
}

// finishPendingSignIn uses up the challenge and the code, or counts a wrong code. It also
// remembers the device if that is wanted.
func (s *SecondFactors) finishPendingSignIn(
	ctx context.Context, pending challenge.Ceremony, attempt secondFactorAttempt, remember bool,
) (a auth.Authentication, device string, err error) {
	var refused error
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		locked, err := s.lockPendingSignIn(ctx, st, pending)
		if err != nil {
			return err
		}
		use, err := s.useSecondFactor(ctx, st, attempt)
		if errors.Is(err, auth.ErrSecondFactorOff) { // in the meantime
			err = challenge.ErrCeremonyInvalid
		}
		if err != nil {
			return err
		}
		if refused = nil; !use.right {
			refused = challenge.ErrCodeInvalid
			return s.countWrongFactor(ctx, st, locked.ceremony, attempt)
		}
		if err := st.DeleteCeremony(ctx, pending.Digest); err != nil {
			return err
		}
		if device = ""; remember {
			if device, err = s.rememberDevice(ctx, st, locked.user, attempt.from); err != nil {
				return err
			}
		}
		a = locked.authentication(attempt.from, remember)
		by := user.Caller{ID: a.User.ID, From: a.From}
		return st.RecordSideEffects(
			ctx, auth.SideEffects{AuditEntries: []audit.Entry{s.AuditEntry(by, "second_factor.used", by.ID, use.detail())}},
		)
	})
	return a, device, errors.Join(err, refused)
}

// lockedSignIn is a sign-in that waits, with its user, for the time of a transaction.
type lockedSignIn struct {
	user     user.User
	ceremony challenge.Ceremony
	pendingSignIn
}

// authentication returns the sign-in with the second factor.
func (l lockedSignIn) authentication(from user.ClientInfo, remember bool) auth.Authentication {
	return auth.Authentication{
		User: l.user, Factors: 2, Fresh: l.Fresh, External: l.External, ProvedAt: l.ProvedAt, Methods: l.Methods.WithSecondFactor(),
		Service: l.Service, Remember: l.Remember || remember, From: from,
	}
}

// lockPendingSignIn locks the user before anything else of theirs, as every transaction
// does, and then the sign-in, which another request may have finished.
func (s *SecondFactors) lockPendingSignIn(ctx context.Context, st *tx, pending challenge.Ceremony) (l lockedSignIn, err error) {
	l.user, err = st.LockUser(ctx, pending.User)
	if errors.Is(err, user.ErrNotFound) {
		err = challenge.ErrCeremonyInvalid
	}
	if err == nil {
		l.ceremony, err = st.LockCeremony(ctx, pending.Purpose, pending.Digest, s.Now())
	}
	if err == nil {
		err = json.Unmarshal(l.ceremony.State, &l.pendingSignIn)
	}
	if err == nil && l.Epoch != l.user.Epoch {
		err = challenge.ErrCeremonyInvalid
	}
	return l, err
}

// countWrongFactor counts a wrong code and ends the sign-in after the last one.
func (s *SecondFactors) countWrongFactor(ctx context.Context, st *tx, c challenge.Ceremony, attempt secondFactorAttempt) error {
	c.Attempts++
	if c.Attempts < challenge.MaxAttempts {
		return st.PutCeremony(ctx, c)
	}
	if err := st.DeleteCeremony(ctx, c.Digest); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{s.AuditEntry(user.Caller{From: attempt.from}, "second_factor.guessed", c.User, "")},
	})
}

// maxDeviceTokens limits how many accounts one browser is remembered for.
const maxDeviceTokens = 5

// deviceTokens returns the tokens in the cookie of a remembered device, one for each
// account.
func deviceTokens(from user.ClientInfo) []string {
	tokens := slices.DeleteFunc(strings.Split(from.Device, "."), func(t string) bool { return !challenge.IsLink(t) })
	return tokens[:min(len(tokens), maxDeviceTokens)]
}

func (s *SecondFactors) deviceDigests(of user.ID, from user.ClientInfo) (digests [][sha256.Size]byte) {
	for _, token := range deviceTokens(from) {
		digests = append(digests, s.CodeKey.DeviceDigest(of, token))
	}
	return digests
}

// rememberDevice remembers the browser for a user and returns the value of its cookie. The
// token is always a new one: a stranger may have planted the one that is there.
func (s *SecondFactors) rememberDevice(ctx context.Context, st *tx, u user.User, from user.ClientInfo) (string, error) {
	token, err := challenge.NewLink(s.Random)
	if err != nil {
		return "", err
	}
	others := deviceTokens(from)
	err = st.RememberDevice(ctx, RememberedDevice{
		User: u.ID, Digest: s.CodeKey.DeviceDigest(u.ID, token), Epoch: u.Epoch, ExpiresAt: s.Now().Add(session.DeviceLifetime),
	})
	return strings.Join(append([]string{token}, others[:min(len(others), maxDeviceTokens-1)]...), "."), err
}
