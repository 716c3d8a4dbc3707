package webhookhttp

import (
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

// ErrDeliveryID refuses an id that is longer than 256 bytes or not printable ASCII.
var ErrDeliveryID = webhook.ErrDeliveryID

// MissingHeadersError names, in lower case, the required headers that are absent, empty
// or given more than once.
type MissingHeadersError = webhook.MissingHeadersError

// DeliveryFrom makes a delivery for Receiver.VerifyAndReceive from the headers and the
// body of a request of webhook.Host, for programs that do not get them over HTTP; for
// other senders use Receiver.VerifyAndReceiveRequest. Header names may be in any letter
// case. The body must be the bytes as sent; it is not copied.
//
// The error is a *MissingHeadersError, receiver.ErrEventName or ErrDeliveryID.
func DeliveryFrom(header http.Header, body []byte) (receiver.Delivery, error) {
	canonical := make(http.Header, len(header))
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		canonical[name] = append(canonical[name], values...)
	}
	req := webhook.Request{Header: canonical, Body: body}
	if err := webhook.Host.Check(req); err != nil {
		return receiver.Delivery{}, err
	}
	e, err := webhook.Host.Event(req)
	return receiver.Delivery{ID: e.ID, Name: e.Name, Payload: body, Signature: strings.TrimSpace(canonical.Get(SignatureHeader))}, err
}
