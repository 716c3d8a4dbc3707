package webhook

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"time"
)

// ErrCannotSign refuses to sign with a public key.
var ErrCannotSign = errors.New("webhook: a public key cannot sign")

// signer returns the headers that hold the signature of a body, with the id and the Unix
// time in decimal digits for the senders that sign them.
type signer func(k *SenderKey, id, at string, body []byte) map[string]string

// SignRequest returns the request, without its content type, with which the sender would
// deliver e at now. It is for tests and programs that send. If the sender has the event or
// the id in the body, the payload decides them, not e. The error is ErrCannotSign.
func (k *SenderKey) SignRequest(e Event, now time.Time) (Request, error) {
	if k.mac == nil {
		return Request{}, ErrCannotSign
	}
	r := Request{Header: map[string][]string{}, Body: e.Payload}
	if k.sender.eventHeader != "" {
		r.Header[k.sender.eventHeader] = []string{string(e.Name)}
	}
	if len(k.sender.idHeaders) > 0 {
		r.Header[k.sender.idHeaders[0]] = []string{e.ID}
	}
	for name, value := range k.sender.sign(k, e.ID, strconv.FormatInt(now.Unix(), 10), e.Payload) {
		r.Header[name] = []string{value}
	}
	return r, nil
}

func signHex(header, prefix string) signer {
	return func(k *SenderKey, _, _ string, body []byte) map[string]string {
		return map[string]string{header: prefix + hexOf(k.mac.Sign(body))}
	}
}

func signBase64(header, prefix string) signer {
	return func(k *SenderKey, _, _ string, body []byte) map[string]string {
		sum := k.mac.Sign(body)
		return map[string]string{header: prefix + base64.StdEncoding.EncodeToString(sum[:])}
	}
}

func signToken(header, prefix string) signer {
	return func(k *SenderKey, _, _ string, _ []byte) map[string]string {
		return map[string]string{header: prefix + k.secret}
	}
}

func signStripe(k *SenderKey, _, at string, body []byte) map[string]string {
	return map[string]string{"Stripe-Signature": "t=" + at + ",v1=" + hexOf(k.mac.signAfter(at+".", body))}
}

func signSlack(k *SenderKey, _, at string, body []byte) map[string]string {
	return map[string]string{"X-Slack-Request-Timestamp": at, "X-Slack-Signature": "v0=" + hexOf(k.mac.signAfter("v0:"+at+":", body))}
}

func signStandard(k *SenderKey, id, at string, body []byte) map[string]string {
	sum := k.mac.signAfter(id+"."+at+".", body)
	return map[string]string{"Webhook-Timestamp": at, "Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(sum[:])}
}

func hexOf(s Signature) string { return hex.EncodeToString(s[:]) }
