package webhook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// CustomSender describes how a service signs, for a sender that Senders does not list. Only
// Signature.Header (or SignatureHeader) is required. Header names may be in any letter case.
type CustomSender struct {
	// Signed is what is signed: text with {body}, {url}, {url.decoded}, {method}, {id},
	// {timestamp}, {header.NAME}, {json.PATH} and {form.sorted} (the fields of a form, sorted).
	// The default is {body}.
	Signed string
	// Algorithm is hmac-sha256 (the default), hmac-sha1, hmac-sha512, ed25519, ecdsa-p256,
	// rsa-sha256 with a Certificate, or token, which compares the signature with the secret.
	Algorithm string
	Key       KeyForm
	Signature SignaturePlace
	Timestamp TimestampPlace
	Event     Place // of the event's name; without one every event is "webhook"
	ID        Place // of the delivery's id; without one it is a hash of the body
	// Bodies are the kinds of bodies: object (a JSON object, the default), array, form, text.
	Bodies []string
	// Challenges are the requests with which the sender checks a new URL.
	Challenges []Challenge
	// SecretHeaders hold secrets of the sender, so that they are never passed on.
	SecretHeaders []string
	Certificate   Certificate

	// Short forms: a top-level member of the body as event or id, and a Scheme of the body
	// alone, hmac-sha256-hex, hmac-sha256-base64 or token.
	EventHeader, EventField string
	IDHeader, IDField       string
	SignatureHeader         string
	Scheme, Prefix          string
}

// Certificate is where a request has the URL of the certificate that signed it. It is fetched
// only over https and only from Hosts, in which * stands for one label.
type Certificate struct {
	Header, JSON string
	Hosts        []string
}

// NewSender makes the sender. The error names the invalid field.
func (c CustomSender) NewSender() (*Sender, error) {
	s := &Sender{name: "custom"}
	return s, c.compile(s)
}

// compile compiles the description into a sender.
func (c CustomSender) compile(s *Sender) (err error) {
	if err := c.checkShort(); err != nil {
		return err
	}
	if err := c.expandScheme(); err != nil {
		return err
	}
	if s.event, err = compilePlaces("event", c.Event); err != nil {
		return err
	}
	if s.id, err = compilePlaces("id", c.ID); err != nil {
		return err
	}
	if err := c.addShortPlaces(s); err != nil {
		return err
	}
	if !isHeadersOnly(s.event) {
		s.event.fallback = "webhook"
	}
	s.id.hash = !isHeadersOnly(s.id)
	return c.compileRest(s)
}

func isHeadersOnly(p places) bool { return len(p.list) > 0 && len(p.headers()) == len(p.list) }

func (c CustomSender) compileRest(s *Sender) (err error) {
	s.keyForm = c.Key
	if err := checkKinds(c.Bodies); err != nil {
		return err
	}
	s.bodies = c.Bodies
	if !slices.Contains([]string{"", "text", "base64", "hex"}, c.Key.Encoding) {
		return fmt.Errorf("webhook: key: the encoding %.40q must be one of text, base64, hex", c.Key.Encoding)
	}
	sc, err := c.compileScheme(s.id)
	if err != nil {
		return err
	}
	s.schemes = []*scheme{sc}
	if sc.signed.has(formPart) && !s.takes(bodyForm) {
		return fmt.Errorf("webhook: signed has {form.sorted}, but bodies has no form")
	}
	if sc.signed.coversJSONOnly() && (s.takes(bodyForm) || s.takes(bodyText)) {
		return fmt.Errorf("webhook: signed covers nothing of the forms and texts that bodies allows")
	}
	if s.extra == nil && sc.signed.has(formPart) && !sc.signed.has(bodyPart) {
		s.extra = isForm
	}
	if s.secretHeaders, err = canonicalHeaders("secretHeaders", c.SecretHeaders); err != nil {
		return err
	}
	if sc.algorithm == algorithmToken && c.Signature.Header != "" {
		s.secretHeaders = append(s.secretHeaders, sc.signature.from.header)
	}
	if s.certificate, err = c.Certificate.compile(sc.algorithm); err != nil {
		return err
	}
	err = s.addChallenges(c.Challenges)
	s.usesURL = s.findURL()
	return err
}

func checkKinds(bodies []string) error {
	for _, kind := range bodies {
		if !slices.Contains(bodyKinds, kind) {
			return fmt.Errorf("webhook: bodies: %.40q must be one of %s", kind, strings.Join(bodyKinds, ", "))
		}
	}
	return nil
}

func (c CustomSender) checkShort() error {
	switch {
	case c.EventHeader != "" && c.EventField != "":
		return fmt.Errorf("webhook: eventHeader and eventField are both set; use one")
	case c.IDHeader != "" && c.IDField != "":
		return fmt.Errorf("webhook: idHeader and idField are both set; use one")
	case c.EventHeader+c.EventField != "" && c.Event.isSet():
		return fmt.Errorf("webhook: event is set twice; use event without eventHeader and eventField")
	case c.IDHeader+c.IDField != "" && c.ID.isSet():
		return fmt.Errorf("webhook: id is set twice; use id without idHeader and idField")
	case c.SignatureHeader != "" && c.Signature.Header+c.Signature.JSON != "":
		return fmt.Errorf("webhook: signature is set twice; use signature without signatureHeader")
	case c.Scheme != "" && c.Algorithm != "":
		return fmt.Errorf("webhook: scheme and algorithm are both set; use one")
	case c.Prefix != "" && c.Signature.Prefix != "":
		return fmt.Errorf("webhook: prefix is set twice; use that of signature")
	}
	return nil
}

// expandScheme replaces the short forms of the signature.
func (c *CustomSender) expandScheme() error {
	if c.SignatureHeader == "" && c.Signature.Header+c.Signature.JSON == "" {
		return fmt.Errorf("webhook: signatureHeader is missing")
	}
	c.Signature.Header = cmp.Or(c.Signature.Header, c.SignatureHeader)
	c.Signature.Prefix = cmp.Or(c.Signature.Prefix, c.Prefix)
	switch c.Scheme {
	case "hmac-sha256-hex":
	case "hmac-sha256-base64":
		c.Signature.Encoding = "base64"
	case "token":
		c.Algorithm = algorithmToken
	default:
		if c.Scheme != "" || c.SignatureHeader != "" && c.Algorithm == "" {
			return fmt.Errorf("webhook: scheme %.100q must be hmac-sha256-hex, hmac-sha256-base64 or token", c.Scheme)
		}
	}
	return nil
}

// addShortPlaces adds the places of the short forms, in which a dot is part of a member's name.
func (c CustomSender) addShortPlaces(s *Sender) error {
	for field, short := range map[string]struct {
		header, member string
		into           *places
	}{"event": {c.EventHeader, c.EventField, &s.event}, "id": {c.IDHeader, c.IDField, &s.id}} {
		if short.member != "" {
			short.into.list = []place{{path: rawjson.Path{short.member}}}
		}
		if short.header != "" {
			name, err := canonicalHeader(field+"Header", short.header)
			if err != nil {
				return err
			}
			short.into.list = []place{{header: name}}
		}
	}
	return nil
}

func canonicalHeaders(field string, names []string) (all []string, err error) {
	for _, name := range names {
		canonical, err := canonicalHeader(field, name)
		if err != nil {
			return nil, err
		}
		all = append(all, canonical)
	}
	return all, nil
}

// canonicalHeader converts a header name to the canonical form of net/http.
func canonicalHeader(field, name string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("webhook: %s is missing", field)
	}
	upper := true
	canonical := []byte(strings.ToLower(name))
	for i, c := range canonical {
		switch {
		case !isWord(string(c)) && c != '-':
			return "", fmt.Errorf("webhook: %s %.100q is not a header name", field, name)
		case upper && 'a' <= c && c <= 'z':
			canonical[i] = c - 'a' + 'A'
		}
		upper = c == '-'
	}
	return string(canonical), nil
}
