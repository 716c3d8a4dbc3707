package receiver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

var (
	// ErrSignatureMismatch refuses a delivery that none of the secrets signed.
	ErrSignatureMismatch = errors.New("receiver: the signature does not match the payload")
	// ErrTimestamp refuses a delivery that one of the secrets signed too long ago, or in the
	// future. It is an ErrSignatureMismatch, too.
	ErrTimestamp error = timestampError{}
	// ErrMissing refuses a call without a needed argument; the error names it.
	ErrMissing = errors.New("receiver: an argument is missing")
	// ErrNoLiveSecret refuses to sign when every secret has expired.
	ErrNoLiveSecret = errors.New("receiver: every secret has expired")
)

// timestampError is ErrTimestamp.
type timestampError struct{}

func (timestampError) Error() string {
	return "receiver: the timestamp of the delivery is too old or in the future"
}

// Is makes it an ErrSignatureMismatch, too.
func (timestampError) Is(target error) bool { return target == ErrSignatureMismatch }

// Secret is one of the secrets that may sign a delivery.
type Secret struct {
	Name     string    // identifies the secret to WithVerified; may be empty
	Value    string    // never empty
	NotAfter time.Time // refused from then on; zero means never
}

// keyring holds the secrets in their order with their keys for a sender. It is
// immutable.
type keyring struct {
	sender  *webhook.Sender
	secrets []Secret
	keys    []namedKey
}

type namedKey struct {
	name     string
	host     *webhook.Key // for Sign and Verify; nil for an empty secret
	sender   *webhook.SenderKey
	notAfter time.Time
}

func (k namedKey) live(now time.Time) bool { return k.notAfter.IsZero() || now.Before(k.notAfter) }

func newKeyring(sender *webhook.Sender, secrets []Secret) (*keyring, error) {
	if len(secrets) == 0 {
		return nil, webhook.ErrNoSecret
	}
	ring := &keyring{sender: sender, secrets: slices.Clone(secrets)}
	for i, secret := range secrets {
		host, err := webhook.NewKey(secret.Value)
		if err != nil && sender.NeedsSecret() {
			return nil, fmt.Errorf("secret %d (%q): %w", i+1, secret.Name, err)
		}
		key, err := sender.Key(secret.Value)
		if err != nil {
			return nil, fmt.Errorf("secret %d (%q): %w", i+1, secret.Name, err)
		}
		ring.keys = append(ring.keys, namedKey{secret.Name, host, key, secret.NotAfter})
	}
	return ring, nil
}

// SetSecrets replaces all secrets, also while deliveries arrive. The first secret that
// has not expired signs; all that have not expired verify. The error for an empty list
// or value is webhook.ErrNoSecret, and for a value in the wrong form for the sender
// webhook.ErrSecretForm; after an error the secrets are unchanged.
func (r *Receiver) SetSecrets(secrets []Secret) error { return r.setKeys(r.Sender(), secrets) }

// Sender returns the sender whose deliveries the receiver accepts.
func (r *Receiver) Sender() *webhook.Sender { return r.ring.Load().sender }

// SetSender is WithSender for an existing receiver. Call it before deliveries arrive.
func (r *Receiver) SetSender(sender *webhook.Sender) error {
	return r.setKeys(sender, r.ring.Load().secrets)
}

func (r *Receiver) setKeys(sender *webhook.Sender, secrets []Secret) error {
	ring, err := newKeyring(cmp.Or(sender, webhook.Host), secrets)
	if err == nil {
		r.ring.Store(ring)
	}
	return err
}

// Sign returns the signature of payload, "sha256=" and the lower-case hexadecimal
// HMAC-SHA-256. The error for an empty payload is ErrMissing.
func (r *Receiver) Sign(payload []byte) (string, error) {
	if len(payload) == 0 {
		return "", fmt.Errorf("%w: payload", ErrMissing)
	}
	now := r.now()
	for _, k := range r.ring.Load().keys {
		if k.host != nil && k.live(now) {
			return k.host.Sign(payload).String(), nil
		}
	}
	return "", ErrNoLiveSecret
}

// SignJSON signs the result of json.Marshal for v. The error for a nil v is ErrMissing.
func (r *Receiver) SignJSON(v any) (string, error) {
	payload, err := marshal(v)
	if err != nil {
		return "", err
	}
	return r.Sign(payload)
}

// Verify reports, in constant time, whether one of the secrets signed payload with this
// signature. The result for a malformed signature, for example with another algorithm or
// upper-case digits, is false. The error for an empty payload or signature is ErrMissing.
func (r *Receiver) Verify(payload []byte, signature string) (bool, error) {
	_, ok, err := r.match(payload, signature)
	return ok, err
}

// match is Verify that also returns the name of the secret.
func (r *Receiver) match(payload []byte, signature string) (secret string, ok bool, err error) {
	if len(payload) == 0 {
		return "", false, fmt.Errorf("%w: payload", ErrMissing)
	}
	if signature == "" {
		return "", false, fmt.Errorf("%w: signature", ErrMissing)
	}
	given, err := webhook.ParseSignature(signature)
	if err != nil {
		return "", false, nil //nolint:nilerr // a malformed signature does not match
	}
	now := r.now()
	for _, k := range r.ring.Load().keys {
		if k.host != nil && k.live(now) && k.host.Verify(payload, given) {
			return k.name, true, nil
		}
	}
	return "", false, nil
}

// VerifyRequest reports whether a request of the receiver's sender was signed with one
// of the secrets and, if the sender signs a timestamp, recently.
func (r *Receiver) VerifyRequest(ctx context.Context, req webhook.Request) bool {
	_, err := r.CheckRequest(ctx, req)
	return err == nil
}

// CheckRequest is VerifyRequest that returns the name of the secret, or why no secret
// fits: ErrSignatureMismatch, ErrTimestamp, or a fault.Unavailable if the certificate
// that signed the request cannot be fetched.
func (r *Receiver) CheckRequest(ctx context.Context, req webhook.Request) (secret string, err error) {
	if req.PublicKey, err = r.PublicKey(ctx, req); err != nil {
		return "", err
	}
	k, err := r.matchRequest(req)
	return k.name, err
}

// matchRequest returns the key that signed the request.
func (r *Receiver) matchRequest(req webhook.Request) (namedKey, error) {
	now, refusal := r.now(), ErrSignatureMismatch
	for _, k := range r.ring.Load().keys {
		if !k.live(now) {
			continue
		}
		switch err := k.sender.Check(req, now); {
		case err == nil:
			return k, nil
		case errors.Is(err, webhook.ErrTimestamp):
			refusal = ErrTimestamp
		}
	}
	return namedKey{}, refusal
}

// AnswerChallenge answers a request with which the sender checks the URL, such as a new
// one: it is no delivery, and no handler of events runs. ok is false for every other request.
// If the request must be signed but is not, the error is an *Error with that of CheckRequest, and
// the error handlers get it. The others are webhook.ErrChallenge, and a fault.Unavailable if the
// certificate cannot be fetched or the subscription not be confirmed.
func (r *Receiver) AnswerChallenge(ctx context.Context, req webhook.Request) (reply webhook.Reply, ok bool, err error) {
	found, signed := r.Sender().IsChallenge(req)
	if !found {
		return reply, false, nil
	}
	key := r.ring.Load().keys[0]
	if signed {
		if req.PublicKey, err = r.PublicKey(ctx, req); err != nil {
			return reply, true, err
		}
		if key, err = r.matchRequest(req); err != nil {
			return reply, true, r.refuse(ctx, webhook.Event{Payload: req.Body}, err)
		}
	}
	if reply, err = key.sender.Reply(req); err != nil || reply.Confirm == "" {
		return reply, true, err
	}
	_, err = r.vendor.fetch(ctx, reply.Confirm)
	return reply, true, err
}

// VerifyJSON verifies the result of json.Marshal for v. Use it for values made here. A
// payload from the wire must be verified with Verify, because marshalling it again may
// change its bytes.
func (r *Receiver) VerifyJSON(v any, signature string) (bool, error) {
	payload, err := marshal(v)
	if err != nil {
		return false, err
	}
	return r.Verify(payload, signature)
}

func marshal(v any) ([]byte, error) {
	if v == nil {
		return nil, fmt.Errorf("%w: payload", ErrMissing)
	}
	return json.Marshal(v)
}

// ParseSecrets parses secrets written as name=value or name=value@expiry, separated by
// commas or line breaks. The expiry is an RFC 3339 time. A value may contain any other
// character; if the text after its last @ begins like a year, it must be a time.
// Errors name the secret but never contain its value.
func ParseSecrets(text string) ([]Secret, error) {
	var secrets []Secret
	for i, text := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == '\n' }) {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("secret %d is not name=value or name=value@2027-01-01T00:00:00Z", i+1)
		}
		s := Secret{Name: name, Value: value}
		if at := strings.LastIndexByte(value, '@'); at >= 0 && beginsLikeYear(value[at+1:]) {
			expiry, err := time.Parse(time.RFC3339, value[at+1:])
			if err != nil || at == 0 {
				return nil, fmt.Errorf("secret %q has no value, or an expiry that is not like 2027-01-01T00:00:00Z", name)
			}
			s.Value, s.NotAfter = value[:at], expiry
		}
		secrets = append(secrets, s)
	}
	return secrets, nil
}

func beginsLikeYear(text string) bool {
	return len(text) > 4 && text[4] == '-' && strings.Trim(text[:4], "0123456789") == ""
}
