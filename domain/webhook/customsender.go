package webhook

import (
	"fmt"
	"strings"
	"time"
)

// CustomSender describes a sender that Senders does not list. Header names may be in
// any letter case; fields are top-level members of the body with string values.
type CustomSender struct {
	EventHeader, EventField string // contains the event name; if neither is set, every event is "webhook"
	IDHeader, IDField       string // contains the delivery id; if neither is set, the body's hash is the id
	SignatureHeader         string // required
	Scheme                  string // hmac-sha256-hex, hmac-sha256-base64 or token
	Prefix                  string // required before the signature
}

// NewSender makes the sender. The error names the invalid field.
func (c CustomSender) NewSender() (*Sender, error) {
	if c.EventHeader != "" && c.EventField != "" {
		return nil, fmt.Errorf("webhook: eventHeader and eventField are both set; use one")
	}
	if c.IDHeader != "" && c.IDField != "" {
		return nil, fmt.Errorf("webhook: idHeader and idField are both set; use one")
	}
	if !isPrintable(c.Prefix) || strings.HasPrefix(c.Prefix, " ") { // such a value never arrives: HTTP trims it
		return nil, fmt.Errorf("webhook: prefix %.40q begins with a space or is not printable", c.Prefix)
	}
	s := &Sender{name: "custom", readEvent: constantly("webhook"), readID: digest}
	if c.EventField != "" {
		s.readEvent = or(fromBody(c.EventField), s.readEvent)
	}
	if c.IDField != "" {
		s.readID = or(fromBody(c.IDField), digest)
	}
	if err := c.setHeaders(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (c CustomSender) setHeaders(s *Sender) error {
	signature, err := canonicalHeader("signatureHeader", c.SignatureHeader)
	if err != nil {
		return err
	}
	s.signature = [][]string{{signature}}
	if c.Scheme == "token" {
		s.secretHeaders = []string{signature}
	}
	if s.verify, s.sign, err = c.scheme(signature); err != nil {
		return err
	}
	if c.EventHeader != "" {
		if s.eventHeader, err = canonicalHeader("eventHeader", c.EventHeader); err != nil {
			return err
		}
	}
	if c.IDHeader != "" {
		name, err := canonicalHeader("idHeader", c.IDHeader)
		if err != nil {
			return err
		}
		s.idHeaders = []string{name}
	}
	return nil
}

func (c CustomSender) scheme(header string) (verify func(*SenderKey, Request, time.Time) bool, sign signer, err error) {
	switch c.Scheme {
	case "hmac-sha256-hex":
		return hexSignature(header, c.Prefix), signHex(header, c.Prefix), nil
	case "hmac-sha256-base64":
		return base64Signature(header, c.Prefix), signBase64(header, c.Prefix), nil
	case "token":
		return tokenHeader(header, c.Prefix), signToken(header, c.Prefix), nil
	}
	return nil, nil, fmt.Errorf("webhook: scheme %.100q must be hmac-sha256-hex, hmac-sha256-base64 or token", c.Scheme)
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
