package sending

import (
	"context"

	"github.com/octavo-books/octavo/application/inbox"
)

// Relay forwards the deliveries of another inbox to one target, as a rule of that inbox
// would, once each.
type Relay struct {
	rule      inbox.Rule
	signers   signers
	forwarder inbox.Forwarder
	clock     inbox.Clock
}

// NewRelay makes a relay that signs with secret: with SignNone only the deliveries of
// webhook.Host, whose own signature is not stored. The errors are ErrRule and
// webhook.ErrNoSecret.
func NewRelay(forwarder inbox.Forwarder, clock inbox.Clock, target, secret, sign string) (*Relay, error) {
	rule, err := inbox.Rule{Match: inbox.AnyEvent, URL: target, Private: true, Sign: sign, Timeout: relayTimeout}.Complete()
	if err != nil {
		return nil, err
	}
	signers, err := newSigners(secret)
	return &Relay{rule, signers, forwarder, clock}, err
}

// relayTimeout bounds one Forward.
const relayTimeout = 3 * inbox.DefaultTimeout

// Forward sends a delivery and says how the target answered.
func (r *Relay) Forward(ctx context.Context, d inbox.Delivery) inbox.Attempt {
	begin := r.clock.Now()
	ctx, cancel := context.WithTimeout(ctx, r.rule.Timeout)
	defer cancel()
	t := inbox.Task{
		Job:    inbox.Job{Attempts: 1, Rule: r.rule.Key()},
		Source: d.Source, DeliveryID: d.ID, Event: d.Event, Header: d.Header, Payload: d.Payload,
	}
	request, err := newRequest(r.rule, r.signers, t, nil, begin)
	var response inbox.ForwardResponse
	if err == nil {
		response, err = r.forwarder.ForwardDelivery(ctx, request)
	}
	o := inbox.Outcome{Status: response.Status, Error: failure(response, err), At: r.clock.Now()}
	return *newAttempt(t, r.rule.Target(), begin, response, o)
}
