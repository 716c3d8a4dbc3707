package inbox

import "strings"

// The limits of a rule's headers.
const (
	maxHeaders     = 32
	maxHeaderValue = 4096
)

// ownHeaders are set for each forward, or belong to the connection.
var ownHeaders = map[string]bool{
	"connection": true, "content-length": true, "content-type": true, "host": true, "te": true, "trailer": true, "transfer-encoding": true, "upgrade": true,
}

// checkHeaders validates the headers of a rule. Their values may be secrets, so no
// error shows one.
func (r Rule) checkHeaders() error {
	if len(r.Headers) > maxHeaders {
		return ruleError("headers", "%d headers are more than %d", len(r.Headers), maxHeaders)
	}
	for name, value := range r.Headers {
		lower := strings.ToLower(name)
		switch {
		case !isToken(name):
			return ruleError("headers", "%.100q is not a header name", name)
		case ownHeaders[lower], strings.HasPrefix(lower, "webhook-"), strings.HasPrefix(lower, "x-host-"):
			return ruleError("headers", "%s is set by Octavo itself", name)
		case len(value) > maxHeaderValue || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c > '~' }):
			return ruleError("headers", "the value of %s is longer than %d characters or not printable ASCII", name, maxHeaderValue)
		}
	}
	return nil
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
