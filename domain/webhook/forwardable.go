package webhook

import (
	"slices"
	"strings"
)

// withheld are headers that hold a secret of the sender, or that a forward sets itself.
var withheld = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "X-Gitlab-Token", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature",
	"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// forwardable returns Event.Header. It lists what may be passed on instead of what may
// not, so that a header which the sender adds one day is not leaked.
func (s *Sender) forwardable(r Request) map[string]string {
	if s.closed {
		return nil
	}
	header := map[string]string{}
	for _, name := range append([]string{"Content-Type", s.eventHeader}, s.idHeaders...) {
		value := r.header(name)
		if value != "" && isHeaderValue(value) && !slices.Contains(withheld, name) && !s.signs(name) {
			header[name] = value
		}
	}
	return header
}

// signs reports whether the header holds the signature, which can be the secret itself.
func (s *Sender) signs(name string) bool {
	return slices.ContainsFunc(s.signature, func(group []string) bool { return slices.Contains(group, name) })
}

// isHeaderValue reports whether the value can be sent again unchanged.
func isHeaderValue(value string) bool {
	return len(value) <= maxHeader && isPrintable(strings.ReplaceAll(value, "\t", " "))
}

// maxHeader limits a header that is passed on, in bytes.
const maxHeader = 1024

// UsesTimestamp reports whether the sender signs a timestamp, so that WithTolerance
// changes anything.
func (s *Sender) UsesTimestamp() bool {
	switch s.orHost().name {
	case Stripe.name, Slack.name, Standard.name, GitLab.name:
		return true
	}
	return false
}

// SignatureHeader returns the header whose value alone is the signature of the body or
// the secret, "" for senders that also sign a timestamp.
func (s *Sender) SignatureHeader() string {
	s = s.orHost()
	if s.UsesTimestamp() && s.name != GitLab.name {
		return ""
	}
	return s.signature[0][0]
}
