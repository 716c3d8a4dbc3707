package sending

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// signers sign what a rule forwards: deliveries of webhook.Host as they were, all
// others as Standard Webhooks.
type signers struct {
	host     *webhook.Key
	standard *webhook.StandardSigner
}

// newSigners makes the signers of a secret: a rule's own, which Complete has checked, or the
// service's, which a sender may have made. Stripe's secrets begin with whsec_, too; if base64
// does not follow, their bytes are the key. The errors are webhook.ErrNoSecret and ErrRule.
func newSigners(secret string) (signers, error) {
	host, err := webhook.NewKey(secret)
	if err != nil {
		return signers{}, err
	}
	standard, err := webhook.NewStandardSigner(secret)
	switch {
	case strings.HasPrefix(secret, "whpk_"):
		return signers{}, inbox.RuleError("secret", "the service's secret is a public key, which cannot sign; the rule needs a secret of its own")
	case err != nil:
		standard = webhook.NewStandardSignerOf(host)
	}
	return signers{host, standard}, nil
}

// newRequest makes the request of an attempt at now. The sender's signature is forwarded as it
// came, unless the rule signs as the sender does.
func newRequest(rule inbox.Rule, sign signers, t inbox.Task, sender *webhook.Sender, now time.Time) (inbox.ForwardRequest, error) {
	r := inbox.ForwardRequest{
		URL: rule.URL, Private: rule.Private, ID: t.DeliveryID, Source: t.Source, Event: t.Event, RuleHeader: rule.Headers,
		Payload: t.Payload,
		Attempt: t.Attempts, Redelivery: t.Redelivery,
	}
	if t.Header == nil {
		r.Signature = sign.host.Sign(t.Payload).String()
		return r, nil
	}
	r.Header = rule.ForwardedOf(t.Header)
	if rule.Sign == inbox.SignSender {
		signed, err := signAsSender(sender, rule, t, now)
		if err != nil {
			return r, err
		}
		r.Header = maps.Clone(r.Header)
		maps.Copy(r.Header, signed)
	}
	if rule.Sign != inbox.SignNone {
		r.ID = webhookID(t.Source, t.DeliveryID)
		r.Timestamp, r.Signature = sign.standard.Sign(r.ID, now, t.Payload)
	}
	return r, nil
}

// signAsSender returns the headers with which the sender of the delivery would sign it now.
func signAsSender(sender *webhook.Sender, rule inbox.Rule, t inbox.Task, now time.Time) (map[string]string, error) {
	if sender == nil {
		return nil, fmt.Errorf("the source %s no longer exists, so its sender's signature cannot be made", t.Source)
	}
	key, err := sender.Key(rule.Secret)
	if err != nil {
		return nil, err
	}
	signed, err := key.SignRequestTo(
		rule.URL, webhook.Event{ID: cmp.Or(t.Original, t.DeliveryID), Name: t.Event, Payload: t.Payload, Header: t.Header}, now,
	)
	if err != nil {
		return nil, err
	}
	header := make(map[string]string, len(signed.Header))
	for name, values := range signed.Header {
		header[name] = values[0]
	}
	return header, nil
}

// webhookID is the header Webhook-Id of a forward, unique over all sources: a target of several
// would take two deliveries with the same id for one. The ids of the default source and of
// Octavo's own events stay as they are; no name of a source has a colon.
func webhookID(source, id string) string {
	switch {
	case source == event.Source, source == inbox.DefaultSource && !strings.Contains(id, ":"):
		return id
	}
	return source + ":" + id
}

// Unsignable names the sources among these whose senders cannot sign with the rule's secret.
func Unsignable(r inbox.Rule, sources map[string]inbox.Source) (names []string) {
	if r.Sign != inbox.SignSender {
		return nil
	}
	for name, source := range sources {
		if r.Source != "" && r.Source != name || source.Sender.HasTable() {
			continue
		}
		t := inbox.Task{Source: name, DeliveryID: strconv.Itoa(1), Event: "ping", Header: map[string]string{}, Payload: []byte("{}")}
		if _, err := signAsSender(source.Sender, r, t, time.Unix(0, 0)); err != nil {
			names = append(names, name)
		}
	}
	return names
}

// StandardSigner returns the signer of what is no delivery.
func StandardSigner(secret string) (*webhook.StandardSigner, error) {
	s, err := newSigners(secret)
	return s.standard, err
}
