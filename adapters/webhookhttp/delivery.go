package webhookhttp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

// The headers of a delivery, in the canonical form of net/http.
const (
	EventHeader     = "X-Host-Event"
	SignatureHeader = "X-Host-Signature-256"
	DeliveryHeader  = "X-Host-Delivery"
)

// maxID is the most bytes a delivery id may have; the sender's have 36.
const maxID = 256

// ErrDeliveryID refuses an id of more than 256 bytes or with bytes that are not
// printable ASCII.
var ErrDeliveryID = errors.New("webhookhttp: the delivery id is too long or not printable")

// MissingHeadersError names the headers, in lower case, that a delivery needs
// but that are absent, empty or given more than once.
type MissingHeadersError struct{ Headers []string }

func (e *MissingHeadersError) Error() string {
	return "webhookhttp: required headers missing: " + strings.Join(e.Headers, ", ")
}

// DeliveryFrom puts together a delivery for receiver.VerifyAndReceive out of the
// headers and the body of the sender's request, for programs that get both by
// another way than HTTP. Header names may be in any letter case. The body is
// kept, not copied, and must be the bytes as sent.
//
// The error is a *MissingHeadersError, receiver.ErrEventName or ErrDeliveryID.
func DeliveryFrom(header http.Header, body []byte) (receiver.Delivery, error) {
	canonical := make(http.Header, len(header))
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		canonical[name] = append(canonical[name], values...)
	}
	return deliveryFrom(canonical, body)
}

// deliveryFrom does so for headers that net/http has parsed.
func deliveryFrom(header http.Header, body []byte) (receiver.Delivery, error) {
	var missing []string
	get := func(name string) string {
		values := header[name]
		if len(values) != 1 || strings.TrimSpace(values[0]) == "" {
			missing = append(missing, strings.ToLower(name))
			return ""
		}
		return strings.TrimSpace(values[0])
	}
	d := receiver.Delivery{
		Name:      webhook.EventName(get(EventHeader)),
		Signature: get(SignatureHeader),
		ID:        get(DeliveryHeader),
		Payload:   body,
	}
	if len(missing) > 0 {
		return receiver.Delivery{}, &MissingHeadersError{missing}
	}
	if !d.Name.IsEvent() {
		return receiver.Delivery{}, fmt.Errorf("%w: %.100q", receiver.ErrEventName, d.Name)
	}
	if !isPrintable(d.ID) {
		return receiver.Delivery{}, ErrDeliveryID
	}
	return d, nil
}

func isPrintable(id string) bool {
	if len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// isJSON reports whether the content type, given once, is application/json in
// any letter case, with or without parameters.
func isJSON(header http.Header) bool {
	values := header["Content-Type"]
	if len(values) != 1 {
		return false
	}
	kind, _, _ := strings.Cut(values[0], ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}
