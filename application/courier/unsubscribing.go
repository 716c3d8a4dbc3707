package courier

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrLink refuses an unsubscribe link that was not made here.
var ErrLink = fault.New(fault.NotFound, "link_invalid", "This link is not complete. Please copy all of it from the mail.")

// Unsubscribing lets people do without the mails of optional kinds. Its links
// need no account, no sign-in, and no row in the database until one is used.
type Unsubscribing struct {
	optouts Optouts
	sealer  Sealer
	clock   Clock
	page    string
}

// NewUnsubscribing makes links to page, to which ?token= is added.
func NewUnsubscribing(o Optouts, s Sealer, clock Clock, page string) *Unsubscribing {
	return &Unsubscribing{o, s, clock, page}
}

// Reader is whom a token belongs to; ErrLink if it was not made here.
func (u *Unsubscribing) Reader(token string) (user.Email, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", ErrLink
	}
	who, err := u.sealer.Open(sealed)
	if err != nil {
		return "", ErrLink
	}
	return user.Email(who), nil
}

// Do stops the mails of optional kinds to the reader that the token belongs to.
func (u *Unsubscribing) Do(ctx context.Context, token string) error {
	who, err := u.Reader(token)
	if err != nil {
		return err
	}
	return u.optouts.Decline(ctx, who, u.clock.Now())
}

func (u *Unsubscribing) declined(ctx context.Context, claimed []Claimed) (map[user.Email]bool, error) {
	var who []user.Email
	for _, c := range claimed {
		if c.Kind.Optional() {
			who = append(who, c.To)
		}
	}
	if len(who) == 0 {
		return nil, nil
	}
	return u.optouts.Declined(ctx, who)
}

// addLink gives a message of an optional kind the way out of the next ones.
func (u *Unsubscribing) addLink(m message.Message) (message.Message, error) {
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
	m.Params[message.ParamStop] = u.page + "?token=" + base64.RawURLEncoding.EncodeToString(sealed)
	return m, nil
}
