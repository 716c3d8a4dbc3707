package mailer

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrInvalidLink refuses an unsubscribe link that this program has not made.
var ErrInvalidLink = fault.New(fault.NotFound, "link_invalid", "This link is incomplete. Please copy the whole link from the email.")

// Unsubscriber unsubscribes people from mails of optional kinds. Its links need no
// account, no sign-in, and no database row until one is used.
type Unsubscriber struct {
	optOuts OptOutStore
	sealer  Sealer
	clock   Clock
	pageURL string
}

// NewUnsubscriber makes an unsubscriber whose links are pageURL?token=….
func NewUnsubscriber(o OptOutStore, s Sealer, clock Clock, pageURL string) *Unsubscriber {
	return &Unsubscriber{o, s, clock, pageURL}
}

// ReadToken returns the address that a token belongs to, or ErrInvalidLink if this
// program has not made the token.
func (u *Unsubscriber) ReadToken(token string) (user.Email, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", ErrInvalidLink
	}
	email, err := u.sealer.Open(sealed)
	if err != nil {
		return "", ErrInvalidLink
	}
	return user.Email(email), nil
}

// Unsubscribe stops mails of optional kinds to the address that the token belongs to.
func (u *Unsubscriber) Unsubscribe(ctx context.Context, token string) error {
	email, err := u.ReadToken(token)
	if err != nil {
		return err
	}
	return u.optOuts.AddOptOut(ctx, email, u.clock.Now())
}

func (u *Unsubscriber) findOptOuts(ctx context.Context, claimed []ClaimedMessage) (map[user.Email]bool, error) {
	var emails []user.Email
	for _, c := range claimed {
		if c.Kind.Optional() {
			emails = append(emails, c.To)
		}
	}
	if len(emails) == 0 {
		return nil, nil
	}
	return u.optOuts.FindOptOuts(ctx, emails)
}

// addLink adds an unsubscribe link to a message of an optional kind.
func (u *Unsubscriber) addLink(m message.Message) (message.Message, error) {
	if !m.Kind.Optional() {
		return m, nil
	}
	sealed, err := u.sealer.Seal([]byte(m.To))
	if err != nil {
		return m, fmt.Errorf("unsubscribe link: %w", err)
	}
	m.Params = maps.Clone(m.Params)
	if m.Params == nil {
		m.Params = map[string]string{}
	}
	m.Params[message.ParamStop] = u.pageURL + "?token=" + base64.RawURLEncoding.EncodeToString(sealed)
	return m, nil
}
