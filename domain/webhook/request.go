package webhook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
)

// Request is an HTTP request that delivers a webhook. Header names are in the canonical
// form of net/http.
type Request struct {
	Method string // "" is POST
	URL    string // as the sender called it, with the query; only some senders sign it
	Header map[string][]string
	Body   []byte

	// PublicKey is that of the certificate at Sender.CertificateURL, for the senders that
	// sign with one: an *rsa.PublicKey.
	PublicKey any
}

func (r Request) method() string { return cmp.Or(r.Method, "POST") }

// missing returns the header of the group to complain about: one that is given more than
// once, or the first if the request has none of them. It is "" if there is no problem.
func (r Request) missing(group []string) string {
	for _, name := range group {
		if len(r.Header[name]) > 1 {
			return name
		}
	}
	if slices.ContainsFunc(group, func(name string) bool { return r.header(name) != "" }) {
		return ""
	}
	return group[0]
}

// header returns the trimmed value of a header that is given exactly once, otherwise "".
func (r Request) header(name string) string {
	if values := r.Header[name]; len(values) == 1 {
		return strings.TrimSpace(values[0])
	}
	return ""
}

// first returns the name and value of the first of these headers that is present.
func (r Request) first(names []string) (name, value string) {
	for _, name := range names {
		if value := r.header(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// maxQuery limits the query of a URL that is parsed, in bytes.
const maxQuery = 8 << 10

// query returns a parameter of the URL that is given exactly once.
func (r Request) query(name string) (value string, ok bool) {
	_, raw, _ := strings.Cut(r.URL, "?")
	if len(raw) > maxQuery {
		return "", false
	}
	values, err := url.ParseQuery(raw)
	if err != nil || len(values[name]) != 1 {
		return "", false
	}
	return values[name][0], true
}

// maxID limits delivery ids, in bytes; those of most senders have 36.
const maxID = 256

func isID(id string) bool { return id != "" && len(id) <= maxID && isPrintable(id) }

// isPrintable reports whether s is printable ASCII.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

const hashPrefix = "sha256-"

// hashID derives an id from the body, for deliveries that have none.
func hashID(body []byte) string {
	sum := sha256.Sum256(body)
	return hashPrefix + hex.EncodeToString(sum[:16])
}

// IsBodyHash reports whether an id was derived from the body, because the delivery had
// none: a sender that sends the same body twice may mean two deliveries.
func IsBodyHash(id string) bool {
	return len(id) == len(hashPrefix)+sha256.Size && strings.HasPrefix(id, hashPrefix)
}
