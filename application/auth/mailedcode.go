package auth

import (
	"context"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// codeKind is a code that anybody may request for an address.
type codeKind struct {
	limit   string // name of the limit of its mails, which is counted apart from others
	purpose challenge.Purpose
	mail    message.Kind
}

var (
	resetCode  = codeKind{"resets", challenge.PasswordReset, message.PasswordReset}
	signInCode = codeKind{"sign-in codes", challenge.SignInCode, message.SignInCode}
)

// mailCode mails a code to the owner of an account, as often as the limits allow. For any
// other text, valid address or not, and for a suspended account, it returns the same
// result after the same work.
func (d *deps) mailCode(ctx context.Context, k codeKind, email string, lang user.Lang, from user.ClientInfo) error {
	address, err := user.ParseEmail(email)
	if err != nil {
		return nil //nolint:nilerr // the result is the same for every input
	}
	if err := d.allowRequests(ctx, requestFrom("mail requests", d.Rules.MailRequests, from)); err != nil {
		return err
	}
	by, err := d.challengeClient(ctx, address, from)
	if err != nil {
		return err
	}
	name, subject := k.limit, challenge.RequestedByUnknownClient
	if by.Known { // unknown clients cannot use up the mails of a known one
		name, subject = k.limit+" from "+by.Key, challenge.RequestedByKnownClient
	}
	mail, err := d.allowMail(ctx, name, address, d.Rules.Mails)
	if err != nil {
		return err
	}
	return d.Database.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st Stores) error {
		u, _, err := findOptional(st.Users.LockUserByEmail(ctx, address))
		if err != nil {
			return err
		}
		stored := k
		if !mail { // the same work, so that the time does not reveal whether this client is known
			stored.purpose = challenge.Decoy
		}
		m, err := d.newCode(ctx, st, stored, subject, address, lang.Or(u.Lang.Or(user.EN)))
		if err != nil {
			return err
		}
		effects := SideEffects{Messages: []message.Message{m}}
		if !u.Verified || u.Suspended() || !mail {
			return st.SideEffects.RecordDecoy(ctx, effects)
		}
		return st.SideEffects.RecordSideEffects(ctx, effects)
	})
}

// newCode stores a new code for an address, replacing an older one with the same subject,
// and returns the mail with it.
func (d *deps) newCode(ctx context.Context, st Stores, k codeKind, subject int64, to user.Email, lang user.Lang) (message.Message, error) {
	code, err := challenge.NewCode(d.Random)
	if err != nil {
		return message.Message{}, err
	}
	c := d.CodeKey.New(k.purpose, to, subject, code, d.Clock.Now())
	m := message.Message{
		ID: d.IDs.Next(), Kind: k.mail, To: to, Lang: lang, Code: code,
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
	}
	return m, st.Challenges.PutChallenge(ctx, c)
}
