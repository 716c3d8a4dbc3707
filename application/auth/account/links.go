package account

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Confirmation describes what a link confirms.
type Confirmation struct {
	Email user.Email
	Name  string // given at the sign-up; "" if it asked for none
	Done  bool   // the link was used before
	// Request is that of an application to which the person goes on, sealed; "" for none.
	Request string
}

// Pending returns what ConfirmLink would confirm and changes nothing. It returns
// challenge.ErrLinkInvalid where ConfirmLink would.
func (a *Accounts) Pending(ctx context.Context, token string) (Confirmation, error) {
	c, err := a.link(ctx, token)
	switch {
	case err != nil:
		return Confirmation{}, err
	case !c.UsedAt.IsZero():
		return Confirmation{Email: c.Email, Done: true}, nil
	}
	r, err := a.reader.FindRegistration(ctx, c.Subject, a.Now())
	if err != nil {
		return Confirmation{}, err
	}
	u, _, err := auth.Optional(a.Storage.FindUserByEmail(ctx, c.Email))
	if err == nil && u.Verified {
		err = challenge.ErrLinkInvalid
	}
	pending := Confirmation{Email: c.Email, Request: r.Request}
	if r.Profile != nil {
		pending.Name = r.Profile.FirstName + " " + r.Profile.LastName
	}
	return pending, err
}

// link returns the challenge of a sign-up link that has not expired, used or not.
func (a *Accounts) link(ctx context.Context, token string) (challenge.Challenge, error) {
	if !challenge.IsLink(token) {
		return challenge.Challenge{}, challenge.ErrLinkInvalid
	}
	c, err := a.Storage.FindLink(ctx, a.CodeKey.LinkDigest(challenge.SignUpLink, token))
	if err == nil && (c.Purpose != challenge.SignUpLink || !a.Now().Before(c.ExpiresAt)) {
		err = challenge.ErrLinkInvalid
	}
	return c, err
}

// ConfirmLink confirms an address by a link, as VerifyEmail does by a code. A password
// that is not empty replaces that of the sign-up, because the owner of the address may
// not be the person who signed up. Confirming twice is not an error, but setting a
// password with a used link is ErrAlreadyConfirmed. A link from which no account can be
// created is challenge.ErrLinkInvalid.
func (a *Accounts) ConfirmLink(ctx context.Context, token, password string, from user.ClientInfo) error {
	_, _, err := a.confirmLink(ctx, token, password, from)
	return err
}

// ConfirmInBrowser is ConfirmLink for a browser, which it signs in if that is the one that signed up with the
// address. Otherwise, and where the account has no password yet or must not be signed in to, the tokens are zero.
func (a *Accounts) ConfirmInBrowser(
	ctx context.Context, token, password string, from user.ClientInfo, signedUp func(user.Email) bool,
) (auth.TokenPair, error) {
	email, confirmed, err := a.confirmLink(ctx, token, password, from)
	if err != nil || !confirmed || !signedUp(email) {
		return auth.TokenPair{}, err
	}
	return a.signInConfirmed(ctx, email, from)
}

// VerifyInBrowser is VerifyEmail, and signs in as ConfirmInBrowser does.
func (a *Accounts) VerifyInBrowser(
	ctx context.Context, typed, code string, from user.ClientInfo, signedUp func(user.Email) bool,
) (auth.TokenPair, error) {
	if err := a.VerifyEmail(ctx, typed, code, from); err != nil {
		return auth.TokenPair{}, err
	}
	email, err := user.ParseEmail(typed)
	if err != nil || !signedUp(email) {
		return auth.TokenPair{}, err
	}
	return a.signInConfirmed(ctx, email, from)
}

// signInConfirmed signs the browser in that signed up, by the proof of its address that it has just given.
func (a *Accounts) signInConfirmed(ctx context.Context, email user.Email, from user.ClientInfo) (auth.TokenPair, error) {
	u, err := a.Storage.FindUserByEmail(ctx, email)
	if err != nil || u.PasswordHash == "" {
		return auth.TokenPair{}, err
	}
	tokens, err := a.Hooks.SignIn(ctx, auth.Authentication{User: u, Factors: 1, Methods: session.MailedCode, From: from})
	if err != nil { // the address is confirmed all the same: the sign-in page says what is missing
		return auth.TokenPair{}, nil //nolint:nilerr // see above
	}
	return tokens, nil
}

// confirmLink returns the address of the link, and whether this call has confirmed it.
func (a *Accounts) confirmLink(ctx context.Context, token, password string, from user.ClientInfo) (user.Email, bool, error) {
	if err := a.externally(); err != nil {
		return "", false, err
	}
	c, err := a.link(ctx, token)
	if err != nil {
		return "", false, err
	}
	if !c.UsedAt.IsZero() {
		return c.Email, false, alreadyConfirmed(password)
	}
	hash, err := a.ownPassword(ctx, c.Email, password)
	if err != nil {
		return "", false, err
	}
	var confirmed bool
	err = a.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st *tx) error {
		var err error
		confirmed, err = a.confirm(ctx, st, c, hash, from)
		return err
	})
	if confirmed || err != nil && !errors.Is(err, user.ErrEmailTaken) {
		return c.Email, confirmed && err == nil, err
	}
	// A concurrent request was faster, with this link or with another one.
	if c, err = a.link(ctx, token); err != nil {
		return "", false, err
	}
	if c.UsedAt.IsZero() {
		return "", false, challenge.ErrLinkInvalid
	}
	return c.Email, false, alreadyConfirmed(password)
}

// ownPassword hashes the password that the owner of the address chose; "" for none.
func (a *Accounts) ownPassword(ctx context.Context, email user.Email, typed string) (string, error) {
	if typed == "" {
		return "", nil
	}
	p, err := user.NewPassword(typed, email)
	if err != nil {
		return "", err
	}
	return a.Hasher.HashPassword(ctx, p)
}

// alreadyConfirmed returns an error if a used link was to set a password.
func alreadyConfirmed(password string) error {
	if password != "" {
		return ErrAlreadyConfirmed
	}
	return nil
}

// PasswordNeeded reports whether the account that a link confirmed has no password.
// That is so when several sign-ups had different passwords: none of them was stored, and
// a code to set one was mailed.
func (a *Accounts) PasswordNeeded(ctx context.Context, token string) (bool, error) {
	c, err := a.link(ctx, token)
	if err != nil {
		return false, err
	}
	u, exists, err := auth.Optional(a.Storage.FindUserByEmail(ctx, c.Email))
	return exists && u.Verified && u.PasswordHash == "", err
}
