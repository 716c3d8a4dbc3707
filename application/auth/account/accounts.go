package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// SignUpRequest is the input of Accounts.SignUp.
type SignUpRequest struct {
	Email, Password string
	Lang            user.Lang
	Profile         *user.Profile // of a student, for the marketplace; requires an address that Config.Campus admits
	ByLink          bool          // confirm with a link that is valid for 24 hours, not with a code
	From            user.ClientInfo
	// Request is that of an application to which the person goes on once the address is confirmed, sealed; may be empty.
	Request string
}

// ResendRequest is the input of Accounts.ResendVerification.
type ResendRequest struct {
	Email  string
	Lang   user.Lang
	ByLink bool
	From   user.ClientInfo
}

// Accounts creates accounts from sign-ups.
type Accounts struct{ *unit }

// Open reports whether people may sign up. If not, SignUp returns
// ErrRegistrationDisabled or, if they come through external services, ErrJoinExternally.
func (a *Accounts) Open() bool { return a.AllowRegistration }

// Closed is what a sign-up is answered if there are none.
func (a *Accounts) Closed() error {
	if a.ExternalRegistration || a.ExternalOnly {
		return auth.ErrJoinExternally
	}
	return auth.ErrRegistrationDisabled
}

// externally is ErrJoinExternally where newcomers come through external services alone: a sign-up of before then
// makes no account either.
func (a *Accounts) externally() error {
	if a.ExternalRegistration && !a.AllowRegistration || a.ExternalOnly {
		return auth.ErrJoinExternally
	}
	return nil
}

// SignUp stores a sign-up and mails a code or link to its address. For an address that
// has an account it returns the same result after the same work, and mails the owner a
// notice instead.
func (a *Accounts) SignUp(ctx context.Context, in SignUpRequest) error {
	if !a.Open() {
		return a.Closed()
	}
	r, password, err := a.newRegistration(in)
	if err != nil {
		return err
	}
	if err := a.AllowRequests(ctx, auth.RequestFrom("sign-ups", a.Rules.SignUps, in.From)); err != nil {
		return err
	}
	if r.Mailed, err = a.AllowMail(ctx, "sign-up mails", r.Email, a.Rules.SignUpMails); err != nil {
		return err
	}
	if err := a.hashPassword(ctx, &r, password); err != nil {
		return err
	}
	return a.WithAddressLock(ctx, []user.Email{r.Email}, func(ctx context.Context, st *tx) error {
		if err := st.AddRegistration(ctx, r); err != nil || !r.Mailed {
			return err
		}
		return a.sendVerification(ctx, st, r, in.ByLink)
	})
}

// hashPassword sets the hash that the account will get and the fingerprint by which
// sign-ups of the same address are compared. The fingerprint's salt depends on a key
// that is not in the database.
func (a *Accounts) hashPassword(ctx context.Context, r *user.Registration, p user.Password) error {
	salt := hmac.New(sha256.New, a.CodeKey[:])
	fmt.Fprintf(salt, "sign-up password of %s", r.Email)
	hash, err := a.Hasher.HashPassword(ctx, p)
	if err != nil {
		return err
	}
	r.PasswordHash = hash
	r.PasswordFingerprint, err = a.Hasher.FingerprintPassword(ctx, p, salt.Sum(nil))
	return err
}

// newRegistration validates the input of a sign-up.
func (a *Accounts) newRegistration(in SignUpRequest) (user.Registration, user.Password, error) {
	email, invalid := user.ParseEmail(in.Email)
	now := a.Now()
	r := user.Registration{
		ID: a.NextID(), Email: email, Lang: in.Lang.Or(user.EN),
		CreatedAt: now, ExpiresAt: now.Add(user.RegistrationLifetime), Request: in.Request,
	}
	if in.Profile != nil {
		if invalid == nil && !a.Campus.Admits(email) {
			invalid = a.Campus.Refusal("email")
		}
		p, err := a.onCampus(email, *in.Profile).Clean()
		r.Profile, invalid = &p, joinFaults(invalid, err)
	}
	password, err := user.NewPassword(in.Password, email)
	return r, password, joinFaults(invalid, err)
}

// joinFaults returns the first error, with the fields of both.
func joinFaults(first, second error) error {
	one, two := fault.As(first), fault.As(second)
	switch {
	case one == nil:
		return second
	case two != nil:
		for field, why := range two.Fields {
			one = one.WithField(field, why)
		}
	}
	return one
}

// sendVerification mails the code or link of a new sign-up. If the address has an account,
// or had one until a change that can be undone, it mails a notice to the owner instead. It
// stores a challenge in both cases, so that entering codes shows no difference; in the
// second case its code is sent to nobody.
func (a *Accounts) sendVerification(ctx context.Context, st *tx, r user.Registration, byLink bool) error {
	m, err := a.newVerification(ctx, st, r, byLink)
	if err != nil {
		return err
	}
	u, _, err := auth.Optional(st.LockUserByEmail(ctx, r.Email))
	if err != nil {
		return err
	}
	reserved, err := st.IsEmailReserved(ctx, r.Email, 0, a.Now())
	if err != nil {
		return err
	}
	if u.Verified || reserved {
		m = message.Message{ID: m.ID, Kind: message.AccountExists, To: r.Email, Lang: u.Lang.Or(r.Lang), CreatedAt: m.CreatedAt}
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{Messages: []message.Message{m}})
}

// newVerification stores a code or link for a sign-up, replacing an older one, and
// returns the mail with it.
func (a *Accounts) newVerification(ctx context.Context, st *tx, r user.Registration, byLink bool) (message.Message, error) {
	purpose, other := challenge.SignUpCode, challenge.SignUpLink
	draw := challenge.NewCode
	if byLink {
		purpose, other, draw = other, purpose, challenge.NewLink
	}
	secret, err := draw(a.Random)
	if err != nil {
		return message.Message{}, err
	}
	c := a.CodeKey.New(purpose, r.Email, r.ID, secret, a.Now())
	m := message.Message{
		ID: a.NextID(), Kind: message.Verification, To: r.Email, Lang: r.Lang, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
	}
	if byLink {
		m.Link = a.BaseURL + "/api/auth/confirm/" + secret
	} else {
		m.Code = secret
	}
	return m, st.PutChallenge(ctx, c, other)
}

// ResendVerification mails a new code or link for the newest sign-up of an address, as
// often as the limits allow. It invalidates that sign-up's older one and keeps the
// sign-up until the new one expires. The result and the work are the same if there is
// no sign-up or if the address has an account, or had one until a change that can be undone.
func (a *Accounts) ResendVerification(ctx context.Context, in ResendRequest) error {
	if err := a.externally(); err != nil {
		return err
	}
	email, err := user.ParseEmail(in.Email)
	if err != nil {
		return err
	}
	if err := a.AllowRequests(ctx, auth.RequestFrom("mail requests", a.Rules.MailRequests, in.From)); err != nil {
		return err
	}
	if ok, err := a.AllowMail(ctx, "resends", email, a.Rules.Mails); err != nil || !ok {
		return err
	}
	return a.WithAddressLock(ctx, []user.Email{email}, func(ctx context.Context, st *tx) error {
		return a.resendVerification(ctx, st, email, in)
	})
}

func (a *Accounts) resendVerification(ctx context.Context, st *tx, email user.Email, in ResendRequest) error {
	all, err := st.LockRegistrations(ctx, email, a.Now())
	if err != nil {
		return err
	}
	u, _, err := auth.Optional(st.LockUserByEmail(ctx, email))
	if err != nil {
		return err
	}
	newest := user.Registration{Email: email}
	if len(all) > 0 {
		newest = all[0]
	}
	newest.Lang = in.Lang.Or(newest.Lang.Or(user.EN))
	m, err := a.newVerification(ctx, st, newest, in.ByLink)
	if err != nil {
		return err
	}
	if err := st.MarkRegistrationMailed(ctx, newest.ID, m.ExpiresAt); err != nil {
		return err
	}
	reserved, err := st.IsEmailReserved(ctx, email, 0, a.Now())
	if err != nil {
		return err
	}
	effects := auth.SideEffects{Messages: []message.Message{m}}
	if newest.ID == 0 || u.Verified || reserved {
		return st.RecordDecoy(ctx, effects)
	}
	return st.RecordSideEffects(ctx, effects)
}
