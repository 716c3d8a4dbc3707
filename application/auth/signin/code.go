package signin

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// CodeSignInRequest is the input of SignIns.SignInWithCode.
type CodeSignInRequest struct {
	Email, Code string
	Remember    bool
	Strong      bool // see auth.Authentication
	From        user.ClientInfo
}

// RequestCode mails a code for SignInWithCode to the owner of an account, as often as the
// limits allow. For any other text, valid address or not, and for a suspended account, it
// returns the same result after the same work.
func (s *SignIns) RequestCode(ctx context.Context, email string, lang user.Lang, from user.ClientInfo) error {
	if s.ExternalOnly {
		return auth.ErrExternalOnly
	}
	return s.MailCode(ctx, auth.SignInCode, email, lang, from)
}

// RequestProof mails a code for Reauthenticate to the caller, also where such codes sign nobody in.
func (s *SignIns) RequestProof(ctx context.Context, by user.Caller) error {
	if err := by.MustBeInPerson(); err != nil {
		return err
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	return s.MailCode(ctx, auth.SignInCode, string(u.Email), u.Lang, by.From)
}

// SignInWithCode starts a session with a mailed code. Any wrong input is
// challenge.ErrCodeInvalid after the same work, and counts like a wrong password; it is
// limit.ErrExceeded after too many failures for one address from one client. For an account without
// a password it is a recent proof, as for Reauthenticate.
func (s *SignIns) SignInWithCode(ctx context.Context, in CodeSignInRequest) (auth.TokenPair, error) {
	if s.ExternalOnly {
		return auth.TokenPair{}, auth.ErrExternalOnly
	}
	email, err := user.ParseEmail(in.Email)
	if err != nil {
		if err := s.AllowRequests(ctx, auth.RequestFrom("codes", s.Rules.Codes, in.From)); err != nil {
			return auth.TokenPair{}, err
		}
		return auth.TokenPair{}, challenge.ErrCodeInvalid
	}
	u, err := s.verifySignInCode(ctx, email, in.Code, in.From)
	if err != nil {
		return auth.TokenPair{}, err
	}
	return s.Hooks.SignIn(ctx, auth.Authentication{
		User: u, Factors: 1, Fresh: u.PasswordHash == "", Methods: session.MailedCode,
		Strong: in.Strong, Remember: in.Remember, From: in.From,
	})
}

// verifySignInCode uses up the code of a sign-in mail and returns the account that it was
// sent to. Any wrong code is challenge.ErrCodeInvalid and counts like a wrong password
// before it is compared, so that concurrent guesses cannot exceed the limit.
func (s *SignIns) verifySignInCode(ctx context.Context, email user.Email, typed string, from user.ClientInfo) (user.User, error) {
	name := auth.FailuresKey(email, from)
	err := s.AllowRequests(ctx, auth.RequestFrom("codes", s.Rules.Codes, from), limit.Request{Name: name, Rule: s.Rules.SignInFailures})
	if err != nil {
		s.RecordLimited(ctx, err, email, from)
		return user.User{}, err
	}
	code, err := challenge.ParseCode(typed)
	if err != nil {
		return user.User{}, err
	}
	g, err := s.NewCodeAttempt(ctx, challenge.SignInCode, email, code, from)
	if err != nil {
		return user.User{}, err
	}
	u, err := s.useSignInCode(ctx, g)
	if err != nil {
		return user.User{}, err
	}
	if err := s.RateLimiter.ResetLimit(ctx, name); err != nil { // the code is used up; the owner may have to wait next time
		s.Log.WarnContext(ctx, "could not clear the failed sign-ins after a sign-in code", "user", u.ID.String(), "error", err)
	}
	return u, nil
}

// useSignInCode counts the attempt and uses up the code if it is right. Of concurrent
// calls with one code one succeeds. It also deletes the account's other code.
func (s *SignIns) useSignInCode(ctx context.Context, g auth.CodeAttempt) (u user.User, err error) {
	var used bool
	err = s.Storage.WithAddressLock(ctx, []user.Email{g.Email}, func(ctx context.Context, st auth.Stores) error {
		u, used = user.User{}, false
		c, ok, err := s.VerifyCode(ctx, st, g)
		if err != nil || !ok {
			return err // a wrong attempt is not an error, so that its count commits
		}
		if u, _, err = auth.Optional(st.LockUserByEmail(ctx, g.Email)); err != nil || !u.Verified {
			return err
		}
		if used, err = st.UseChallenge(ctx, c, s.Now()); err != nil || !used {
			return err
		}
		return st.DeleteChallenges(ctx, g.Email, 0, challenge.SignInCode)
	})
	if err == nil && !used {
		err = challenge.ErrCodeInvalid
	}
	return u, err
}
