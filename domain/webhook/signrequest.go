package webhook

import (
	"crypto"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// ErrCannotSign refuses to sign with a public key, or as a sender whose signature is not in
// a header.
var ErrCannotSign = errors.New("webhook: a public key cannot sign, and neither can a sender whose signature is in the body or found by a pattern")

// SignRequest returns the request, without its content type, with which the sender would
// deliver e at now. It is for tests and programs that send. If the sender has the event or
// the id in the body, the payload decides them, not e. The error is ErrCannotSign.
func (k *SenderKey) SignRequest(e Event, now time.Time) (Request, error) {
	return k.SignRequestTo("", e, now)
}

// SignRequestTo is SignRequest for a URL, which some senders sign. Of e.Header it takes what
// the sender signs; a signed header that it lacks is "sample".
func (k *SenderKey) SignRequestTo(url string, e Event, now time.Time) (Request, error) {
	whole := Request{Method: "POST", URL: url, Header: map[string][]string{}, Body: e.Payload}
	for name, value := range e.Header {
		whole.Header[name] = []string{value}
	}
	own := k.sender.ownHeaders(e)
	maps.Copy(whole.Header, own)
	k.sender.addSigned(whole.Header)
	signed, err := k.Sign(whole, now)
	if err != nil {
		return Request{}, err
	}
	for name, value := range signed {
		own[name] = []string{value}
	}
	for _, name := range k.sender.schemes[0].signed.headers() {
		if values := whole.Header[name]; len(values) > 0 {
			own[name] = values
		}
	}
	whole.Header = own
	return whole, nil
}

// ownHeaders returns the headers that have event and id.
func (s *Sender) ownHeaders(e Event) map[string][]string {
	own := map[string][]string{}
	set := func(all places, value string) {
		if headers := all.allHeaders(); len(headers) > 0 && value != "" {
			own[headers[0]] = []string{value}
		}
	}
	set(s.event, string(e.Name))
	set(s.id, e.ID)
	return own
}

// addSigned adds the headers that are signed, are missing, and are neither event, id nor time.
func (s *Sender) addSigned(header map[string][]string) {
	if s.special != nil {
		return
	}
	sc := s.schemes[0]
	others := slices.Concat(s.event.allHeaders(), s.id.allHeaders())
	if sc.timestamp != nil {
		others = append(others, sc.timestamp.from.header)
	}
	for _, name := range sc.signed.headers() {
		if len(header[name]) == 0 && !slices.Contains(others, name) {
			header[name] = []string{"sample"}
		}
	}
}

// Sign returns the headers with which the sender would sign a request at now: the signature
// and, if it signs one, the timestamp. Those that the request has are replaced by them. The
// error is ErrCannotSign.
func (k *SenderKey) Sign(r Request, now time.Time) (map[string]string, error) {
	s := k.sender
	if s.special != nil || len(k.keys) == 0 {
		return nil, ErrCannotSign
	}
	sc, key := s.schemes[0], k.keys[0]
	header := sc.signature.from.header
	if header == "" {
		return nil, ErrCannotSign
	}
	headers := map[string]string{}
	at := sc.stampFor(r, now, headers)
	signature, err := key.sign(sc, r, sc.id.read(r), at)
	if err != nil {
		return nil, err
	}
	headers[header] = sc.withPair(signature, at)
	return headers, nil
}

// withPair puts the timestamp before the signature if it is a pair beside it.
func (sc *scheme) withPair(signature, at string) string {
	if sc.timestamp == nil || sc.timestamp.Pair == "" {
		return signature
	}
	return sc.timestamp.Pair + sc.signature.Assign + at + sc.signature.Separator + signature
}

// stampFor returns the timestamp to sign, and sets its header in the request and in headers.
func (sc *scheme) stampFor(r Request, now time.Time, headers map[string]string) string {
	switch {
	case sc.timestamp == nil:
		return ""
	case sc.timestamp.from.path != nil:
		return sc.timestamp.from.read(r)
	}
	at := sc.timestamp.format(now)
	if name := sc.timestamp.from.header; name != "" {
		headers[name], r.Header[name] = at, []string{at}
	}
	return at
}

// sign returns a signature as the format of the scheme has it, without a timestamp.
func (k *schemeKey) sign(sc *scheme, r Request, id, at string) (string, error) {
	x := &sc.signature
	var text string
	switch {
	case sc.algorithm == algorithmToken:
		text = x.Prefix + strings.TrimSpace(k.secret)
	case k.mac != nil:
		state := k.mac.get()
		sc.signed.hash(state, r, id, at)
		text = x.encode(state.result())
		k.mac.put(state)
	case k.private != nil:
		signature, err := k.signPrivately(sc.signed.fill(r, id, at))
		if err != nil {
			return "", err
		}
		text = x.encode(signature)
	default:
		return "", ErrCannotSign
	}
	if x.Format == "pairs" {
		text = x.Key + x.Assign + text
	}
	if x.pattern != nil && !x.pattern.MatchString(text) {
		return "", ErrCannotSign // what surrounds the signature is unknown
	}
	return text, nil
}

// signPrivately signs without a source of randomness: ed25519 needs none, and ECDSA derives
// it from the key and the message.
func (k *schemeKey) signPrivately(message []byte) ([]byte, error) {
	if k.ecdsa == nil {
		return k.private.Sign(nil, message, crypto.Hash(0))
	}
	digest := sha256.Sum256(message)
	return k.private.Sign(nil, digest[:], crypto.SHA256)
}
