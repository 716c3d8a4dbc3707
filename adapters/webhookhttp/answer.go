package webhookhttp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Outcome is the kind of answer to a delivery, suitable as a metric label.
type Outcome string

// The outcomes.
const (
	Accepted    Outcome = "accepted"     // 200
	Late        Outcome = "late"         // 202
	ContentType Outcome = "content_type" // 415
	Headers     Outcome = "headers"      // 400
	TooLarge    Outcome = "too_large"    // 413
	Slow        Outcome = "slow"         // 408
	BadBody     Outcome = "body"         // 400: truncated, badly chunked or empty
	Signature   Outcome = "signature"    // 400
	Payload     Outcome = "payload"      // 400: not a JSON object
	Failed      Outcome = "failed"       // 500
	Unavailable Outcome = "unavailable"  // 503
)

// leavesBody reports whether the answer is sent before the body has been read.
func (o Outcome) leavesBody() bool {
	return o == ContentType || o == Headers || o == TooLarge
}

// answer is the response to a request.
type answer struct {
	outcome    Outcome
	status     int
	text       string        // the whole body for a status below 300, otherwise the field "error"
	kind       string        // the content type below 300, by default text/plain
	retryAfter time.Duration // for 503
	logged     bool          // why the delivery was refused
}

var (
	accepted  = answer{outcome: Accepted, status: http.StatusOK, text: "ok"}
	late      = answer{outcome: Late, status: http.StatusAccepted, text: "still processing"}
	undecided = answer{
		outcome: Unavailable, status: http.StatusServiceUnavailable, text: "The delivery could not be handled in time",
		retryAfter: time.Second,
	}
)

// refuseType answers a body of a kind that the sender does not have.
func refuseType(sender *webhook.Sender) answer {
	return answer{outcome: ContentType, status: http.StatusUnsupportedMediaType, text: "Content-Type must be " + sender.TakesTypes()}
}

// refuseHeaders answers an error of webhook.Sender's Check and Event.
func refuseHeaders(err error) answer {
	where := "The body"
	if header := (*webhook.HeaderError)(nil); errors.As(err, &header) {
		where = header.Header
	}
	a := answer{outcome: Headers, status: http.StatusBadRequest}
	var missing *MissingHeadersError
	switch {
	case errors.As(err, &missing):
		a.text = "Required headers missing: " + strings.Join(missing.Headers, ", ")
	case errors.Is(err, ErrDeliveryID):
		a.text = where + " must contain a delivery id of 1 to 256 printable ASCII characters"
	default:
		a.text = where + " does not contain a valid event name"
	}
	return a
}

// refuseBody answers an error of readBody.
func (h *endpoint) refuseBody(err error) answer {
	switch {
	case errors.Is(err, errTooLarge):
		return answer{outcome: TooLarge, status: http.StatusRequestEntityTooLarge,
			text: fmt.Sprintf("The body is larger than %d bytes", h.opts.MaxBody)}
	case errors.Is(err, errSlow):
		return answer{outcome: Slow, status: http.StatusRequestTimeout,
			text: fmt.Sprintf("The body did not arrive within %s", h.opts.Timeout)}
	}
	return answer{outcome: BadBody, status: http.StatusBadRequest, text: "The body could not be read completely"}
}

// answerTo returns the answer for the result of VerifyAndReceiveRequest.
func (h *endpoint) answerTo(err error) answer {
	var failure *receiver.Error
	switch {
	case err == nil:
		return accepted
	case !errors.As(err, &failure) || !failure.Refused, fault.KindOf(failure.Errs[0]) == fault.Unavailable:
		return h.failed(err)
	case errors.Is(err, receiver.ErrTimestamp):
		return answer{outcome: Signature, status: h.mismatch(), text: "The timestamp is too old or in the future"}
	case errors.Is(err, receiver.ErrSignatureMismatch):
		return answer{outcome: Signature, status: h.mismatch(), text: "Signature does not match payload and secret"}
	case errors.Is(err, webhook.ErrEventName), errors.Is(err, ErrDeliveryID):
		return refuseHeaders(failure.Errs[0])
	case errors.Is(err, webhook.ErrPayload):
		return answer{outcome: Payload, status: http.StatusBadRequest, text: "The body is not " + h.receiver.Sender().BodyKinds()}
	}
	return answer{outcome: BadBody, status: http.StatusBadRequest, text: "The body is empty"}
}

// mismatch is the status of a wrong signature.
func (h *endpoint) mismatch() int {
	if h.receiver.Sender().IsUnauthorized() {
		return http.StatusUnauthorized
	}
	return http.StatusBadRequest
}

// failed answers a failure of the handlers: 503 if one of them asks for a retry, otherwise
// the status of the first StatusError, otherwise 500.
func (h *endpoint) failed(err error) answer {
	a := answer{outcome: Failed, status: http.StatusInternalServerError, text: "The delivery could not be handled"}
	causes := []error{err}
	if failure := (*receiver.Error)(nil); errors.As(err, &failure) {
		causes = failure.Errs
	}
	for _, cause := range slices.Backward(causes) { // so that the first one wins
		if chosen := (*receiver.StatusError)(nil); errors.As(cause, &chosen) && chosen.Status >= 400 && chosen.Status <= 599 {
			a.status = chosen.Status
		}
	}
	for _, cause := range causes {
		if f := fault.As(cause); f != nil && f.Kind == fault.Unavailable {
			a = answer{outcome: Unavailable, status: http.StatusServiceUnavailable, text: f.Msg, retryAfter: max(f.RetryAfter, time.Second)}
			break
		}
	}
	if h.opts.ShowErrors {
		a.text = err.Error()
	}
	return a
}

// write sends the answer; an error is JSON with the single field "error".
func (a answer) write(w http.ResponseWriter) {
	header := w.Header()
	if a.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.retryAfter.Seconds()))))
	}
	body := []byte(a.text)
	if a.status < http.StatusMultipleChoices {
		kind := cmp.Or(a.kind, "text/plain")
		if kind == "text/plain" {
			kind += "; charset=utf-8"
		}
		header.Set("Content-Type", kind)
		if a.kind != "" { // it has texts of the request
			header.Set("X-Content-Type-Options", "nosniff")
		}
	} else {
		header.Set("Content-Type", "application/json")
		header.Set("X-Content-Type-Options", "nosniff")
		body, _ = json.Marshal(map[string]string{"error": a.text}) // strings always marshal
	}
	if a.status != http.StatusNoContent {
		header.Set("Content-Length", strconv.Itoa(len(body))) // completes the response before the handler returns
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // an error means that the client is gone
}

// unknownRoute is the default of Options.OnUnhandledRequest.
func unknownRoute(w http.ResponseWriter, req *http.Request) {
	answer{status: http.StatusBadRequest, text: fmt.Sprintf("Unknown route: %s %s", req.Method, req.URL.Path)}.write(w)
}
