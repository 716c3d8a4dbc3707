package mailer

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"

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
	end     EndSubscription // nil: there are no subscriptions
	sealer  Sealer
	clock   Clock
	pageURL string
}

// NewUnsubscriber makes an unsubscriber whose links are pageURL?token=…. Without a
// EndSubscription, the link of every mail stops all mails of optional kinds.
func NewUnsubscriber(o OptOutStore, e EndSubscription, s Sealer, clock Clock, pageURL string) *Unsubscriber {
	return &Unsubscriber{o, e, s, clock, pageURL}
}

// Stop is what an unsubscribe link stops: one of both is empty.
type Stop struct {
	Email        user.Email // all mails of optional kinds to this address
	Subscription string     // the mails about this subscription, see message.ParamSubscription
}

// Several reports whether the link stops mails about several subscriptions.
func (s Stop) Several() bool { return strings.Contains(s.Subscription, ",") }

// subscriptionMark begins the content of a token about a subscription. No address has it.
const subscriptionMark = "\x00"

// ReadToken returns what a token stops, or ErrInvalidLink if this program has not made the
// token.
func (u *Unsubscriber) ReadToken(token string) (Stop, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return Stop{}, ErrInvalidLink
	}
	content, err := u.sealer.Open(sealed)
	if err != nil {
		return Stop{}, ErrInvalidLink
	}
	if subscription, ok := strings.CutPrefix(string(content), subscriptionMark); ok {
		return Stop{Subscription: subscription}, nil
	}
	return Stop{Email: user.Email(content)}, nil
}

// Unsubscribe stops what the token belongs to.
func (u *Unsubscriber) Unsubscribe(ctx context.Context, token string) (Stop, error) {
	stop, err := u.ReadToken(token)
	switch {
	case err != nil:
		return Stop{}, err
	case stop.Subscription == "":
		return stop, u.optOuts.AddOptOut(ctx, stop.Email, u.clock.Now())
	case u.end == nil:
		return Stop{}, ErrInvalidLink
	}
	return stop, u.end(ctx, stop.Subscription)
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
	content := string(m.To)
	if subscription := m.Params[message.ParamSubscription]; subscription != "" && u.end != nil {
		content = subscriptionMark + subscription
	}
	sealed, err := u.sealer.Seal([]byte(content))
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
