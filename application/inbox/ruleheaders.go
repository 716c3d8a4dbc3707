package inbox

import (
	"slices"
	"strings"
)

// The limits of a rule's headers.
const (
	maxHeaders     = 32
	maxHeaderValue = 4096
	maxForwarded   = 100
)

// The values of Rule.Sign.
const (
	SignStandard = ""       // as Standard Webhooks does, beside the sender's signature
	SignSender   = "sender" // the same, and the sender's signature is made anew with the rule's secret
	SignNone     = "none"   // only the sender's signature
)

// ownHeaders are set for each forward, or belong to the connection.
var ownHeaders = map[string]bool{
	"connection": true, "content-length": true, "content-type": true, "host": true, "te": true, "trailer": true, "transfer-encoding": true,
	"upgrade": true,
}

// ownPrefixes begin the names of headers that are set for each forward.
var ownPrefixes = []string{"webhook-", "x-host-", "x-octavo-"}

// checkHeaders validates the headers of a rule. Their values may be secrets, so no
// error shows one.
func (r Rule) checkHeaders() error {
	switch {
	case len(r.Headers) > maxHeaders:
		return RuleError("headers", "%d headers are more than %d", len(r.Headers), maxHeaders)
	case len(r.Forwarded) > maxForwarded:
		return RuleError("headers", "%d names are more than %d", len(r.Forwarded), maxForwarded)
	}
	for _, name := range r.Forwarded {
		if !isToken(name) {
			return RuleError("headers", "%.100q is not a header name", name)
		}
	}
	for name, value := range r.Headers {
		lower := strings.ToLower(name)
		switch {
		case !isToken(name):
			return RuleError("headers", "%.100q is not a header name", name)
		case ownHeaders[lower], slices.ContainsFunc(ownPrefixes, func(own string) bool { return strings.HasPrefix(lower, own) }):
			return RuleError("headers", "%s is set by Octavo itself", name)
		case len(value) > maxHeaderValue || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c > '~' }):
			return RuleError("headers", "the value of %s is longer than %d characters or not printable ASCII", name, maxHeaderValue)
		}
	}
	return nil
}

func (r Rule) checkSign() error {
	switch r.Sign {
	case SignStandard, SignSender, SignNone:
		return nil
	}
	return RuleError("sign", "%.100q is not sender or none", r.Sign)
}

// ForwardedOf returns the headers of a delivery that the rule forwards. The content type is
// always among them, because the body cannot be read without it.
func (r Rule) ForwardedOf(header map[string]string) map[string]string {
	if r.Forwarded == nil {
		return header
	}
	chosen := map[string]string{}
	for name, value := range header {
		named := func(wanted string) bool { return strings.EqualFold(wanted, name) }
		if strings.EqualFold(name, "Content-Type") || slices.ContainsFunc(r.Forwarded, named) {
			chosen[name] = value
		}
	}
	return chosen
}

// isToken reports whether a header can have the name.
func isToken(name string) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
			return false
		}
	}
	return name != "" && len(name) <= 100
}
