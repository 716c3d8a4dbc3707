package webhook

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// withheld are headers that belong to one connection, that hold a secret of the sender, or with
// which Octavo marks what it forwards. All others are passed on, so that the target can verify
// the sender's signature itself.
var withheld = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Proxy-Authenticate": true, "Proxy-Authentication-Info": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Expect": true, "Host": true, "Content-Length": true,
	"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "X-Gitlab-Token": true,
	"X-Host-Attempt": true, "X-Host-Redelivery": true,
}

// The limits of what is passed on, in bytes. It is stored with each delivery.
const (
	maxHeader  = 16 << 10
	maxHeaders = 64 << 10
)

// forwardable returns Event.Header.
func (s *Sender) forwardable(r Request) map[string]string {
	if s.closed {
		return nil
	}
	header := make(map[string]string, len(r.Header))
	room := maxHeaders
	for name, values := range r.Header {
		if len(values) == 0 || withheld[name] || slices.Contains(s.secretHeaders, name) || r.isHopByHop(name) {
			continue
		}
		value := strings.TrimSpace(values[0])
		if len(values) > 1 {
			value = strings.Join(values, ", ")
		}
		if value == "" || len(value) > maxHeader || len(name)+len(value) > room || !isHeaderValue(value) {
			continue
		}
		room -= len(name) + len(value)
		header[name] = value
	}
	return header
}

// isHopByHop reports whether the request's Connection header names the header.
func (r Request) isHopByHop(name string) bool {
	for _, value := range r.Header["Connection"] {
		for option := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(option), name) {
				return true
			}
		}
	}
	return false
}

// SecretHeaders returns the headers of a delivery that hold a secret: those that the sender is
// described with, and a token.
func (s *Sender) SecretHeaders() []string { return slices.Clone(s.orHost().secretHeaders) }

// isHeaderValue reports whether the value can be stored and sent again unchanged.
func isHeaderValue(value string) bool {
	return utf8.ValidString(value) && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// UsesTimestamp reports whether the sender signs a timestamp, so that WithTolerance
// changes anything.
func (s *Sender) UsesTimestamp() bool {
	s = s.orHost()
	return s.special != nil && s.special.timed || slices.ContainsFunc(s.schemes, func(sc *scheme) bool { return sc.timestamp != nil })
}

// SignatureHeader returns the header whose value alone is the signature of the body or
// the secret, "" for senders that also sign something else.
func (s *Sender) SignatureHeader() string {
	s = s.orHost()
	if s.special != nil {
		return ""
	}
	sc := s.schemes[0]
	if sc.algorithm != algorithmToken && sc.text != "{body}" || sc.timestamp != nil {
		return ""
	}
	return sc.signature.from.header
}
