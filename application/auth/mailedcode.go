package auth

import (
	"context"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// CodeKind is a code that anybody may request for an address.
type CodeKind struct {
	limit   string // name of the limit of its mails, which is counted apart from others
	purpose challenge.Purpose
	mail    message.Kind
}

// The kinds of codes.
var (
	ResetCode  = CodeKind{"resets", challenge.PasswordReset, message.PasswordReset}
	SignInCode = CodeKind{"sign-in codes", challenge.SignInCode, message.SignInCode}
)

// MailCode mails a code to the owner of an account, as often as the limits allow. For any
// other text, valid address or not, and for a suspended account, it returns the same
// result after the same work.
func (d *Deps) MailCode(ctx context.Context, k CodeKind, email string, lang user.Lang, from user.ClientInfo) error {
	address, err := user.ParseEmail(email)
	if err != nil {
		return nil //nolint:nilerr // the result is the same for every input
	}
	if err := d.AllowRequests(ctx, RequestFrom("mail requests", d.Rules.MailRequests, from)); err != nil {
		return err
	}
	by, err := d.ChallengeClient(ctx, address, from)
	if err != nil {
		return err
	}
	name, subject := k.limit, challenge.RequestedByUnknownClient
	if by.Known { // unknown clients cannot use up the mails of a known one
		name, subject = k.limit+" from "+by.Key, challenge.RequestedByKnownClient
	}
	mail, err := d.AllowMail(ctx, name, address, d.Rules.Mails)
	if err != nil {
		return err
	}
	return d.Storage.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st Stores) error {
		u, _, err := Optional(st.LockUserByEmail(ctx, address))
		if err != nil {
			return err
		}
		stored := k
		if !mail { // the same work, so that the time does not reveal whether this client is known
			stored.purpose = challenge.Decoy
		}
		m, err := d.NewMailedCode(ctx, st, stored, subject, address, lang.Or(u.Lang.Or(user.EN)))
		if err != nil {
			return err
		}
		effects := SideEffects{Messages: []message.Message{m}}
		if !u.Verified || u.Suspended() || !mail {
			return st.RecordDecoy(ctx, effects)
		}
		return st.RecordSideEffects(ctx, effects)
	})
}

// NewMailedCode stores a new code for an address, replacing an older one with the same subject,
// and returns the mail with it.
func (d *Deps) NewMailedCode(
	ctx context.Context, st Stores, k CodeKind, subject int64, to user.Email, lang user.Lang,
) (message.Message, error) {
	code, err := challenge.NewCode(d.Random)
	if err != nil {
		return message.Message{}, err
	}
	c := d.CodeKey.New(k.purpose, to, subject, code, d.Now())
	m := message.Message{
		ID: d.NextID(), Kind: k.mail, To: to, Lang: lang, Code: code,
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
	}
	return m, st.PutChallenge(ctx, c)
}
