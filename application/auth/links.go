package auth

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// Confirmation is what a link is about to confirm, or has confirmed.
type Confirmation struct {
	Email user.Email
	Name  string // of the person who signed up; "" where nobody was asked for one
	Done  bool   // the link was used: there is nothing to confirm any more
}

// Pending tells what ConfirmLink would confirm, and changes nothing. It is
// challenge.ErrLinkInvalid where ConfirmLink would be.
func (a *Accounts) Pending(ctx context.Context, token string) (Confirmation, error) {
	c, err := a.link(ctx, token)
	switch {
	case err != nil:
		return Confirmation{}, err
	case !c.UsedAt.IsZero():
		return Confirmation{Email: c.Email, Done: true}, nil
	}
	r, err := a.Links.FindRegistration(ctx, c.Subject, a.Clock.Now())
	if err != nil {
		return Confirmation{}, err
	}
	u, _, err := findOptional(a.Users.FindUserByEmail(ctx, c.Email))
	if err == nil && u.Verified {
		err = challenge.ErrLinkInvalid
	}
	pending := Confirmation{Email: c.Email}
	if r.Profile != nil {
		pending.Name = r.Profile.FirstName + " " + r.Profile.LastName
	}
	return pending, err
}

func (a *Accounts) link(ctx context.Context, token string) (challenge.Challenge, error) {
	if !challenge.IsLink(token) {
		return challenge.Challenge{}, challenge.ErrLinkInvalid
	}
	c, err := a.Links.FindLink(ctx, a.CodeKey.LinkDigest(challenge.SignUpLink, token))
	if err == nil && (c.Purpose != challenge.SignUpLink || !a.Clock.Now().Before(c.ExpiresAt)) {
		err = challenge.ErrLinkInvalid
	}
	return c, err
}

// ConfirmLink does for a link what VerifyEmail does for a code. A password that is
// not empty is the account's instead of the sign-up's: who opens the mail need not
// be who signed up. Confirming twice is fine; setting a password by a used link is
// ErrAlreadyConfirmed. A link of which no account can come is challenge.ErrLinkInvalid.
func (a *Accounts) ConfirmLink(ctx context.Context, token, password string, from user.ClientInfo) error {
	c, err := a.link(ctx, token)
	if err != nil {
		return err
	}
	if !c.UsedAt.IsZero() {
		return alreadyConfirmed(password)
	}
	hash, err := a.ownPassword(ctx, c.Email, password)
	if err != nil {
		return err
	}
	var confirmed bool
	err = a.Database.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st Stores) error {
		var err error
		confirmed, err = a.confirm(ctx, st, c, hash, from)
		return err
	})
	if confirmed || err != nil && !errors.Is(err, user.ErrEmailTaken) {
		return err
	}
	// Somebody else was faster: with this link, or with another one.
	if c, err = a.link(ctx, token); err != nil {
		return err
	}
	if c.UsedAt.IsZero() {
		return challenge.ErrLinkInvalid
	}
	return alreadyConfirmed(password)
}

// ownPassword is the hash of a password that the owner of an address has typed; ""
// for none.
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

// alreadyConfirmed refuses to have confirmed an address with a password that was not set.
func alreadyConfirmed(password string) error {
	if password != "" {
		return ErrAlreadyConfirmed
	}
	return nil
}

// PasswordNeeded reports whether the account that a link has confirmed has no
// password: rivals had signed up with others, so none of them was kept and a code
// to set one was mailed.
func (a *Accounts) PasswordNeeded(ctx context.Context, token string) (bool, error) {
	c, err := a.link(ctx, token)
	if err != nil {
		return false, err
	}
	u, exists, err := findOptional(a.Users.FindUserByEmail(ctx, c.Email))
	return exists && u.Verified && u.PasswordHash == "", err
}
