package inbox

import (
	"strings"
	"time"

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
		return signers{}, ruleError("secret", "the service's secret is a public key, which cannot sign; the rule needs a secret of its own")
	case err != nil:
		standard = webhook.NewStandardSignerOf(host)
	}
	return signers{host, standard}, nil
}

// newRequest makes the request of an attempt at now.
func newRequest(rule Rule, sign signers, t Task, now time.Time) ForwardRequest {
	r := ForwardRequest{
		URL: rule.URL, Private: rule.Private, ID: t.DeliveryID, Event: t.Event, Header: t.Header, RuleHeader: rule.Headers, Payload: t.Payload,
		Attempt: t.Attempts, Redelivery: t.Redelivery,
	}
	if t.Header == nil {
		r.Signature = sign.host.Sign(t.Payload).String()
	} else {
		r.Timestamp, r.Signature = sign.standard.Sign(t.DeliveryID, now, t.Payload)
	}
	return r
}
