package webhookdurable

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

// handlers implements inbox.Forwarder: it runs the handlers of a receiver in place of a request
// to a target.
type handlers struct{ receiver *receiver.Receiver }

// ForwardDelivery implements inbox.Forwarder.
func (h handlers) ForwardDelivery(ctx context.Context, r inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	err := h.receiver.Receive(ctx, webhook.Event{ID: r.ID, Name: r.Event, Payload: r.Payload, Header: r.Header})
	if err == nil {
		return inbox.ForwardResponse{Status: http.StatusOK}, nil
	}
	answer := inbox.ForwardResponse{Status: http.StatusInternalServerError, Answer: []byte(err.Error())}
	if chosen := (*receiver.StatusError)(nil); errors.As(err, &chosen) && chosen.Status >= http.StatusBadRequest {
		answer.Status = chosen.Status
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Unavailable {
		answer.Status, answer.RetryAfter = http.StatusServiceUnavailable, max(f.RetryAfter, time.Second)
	}
	return answer, nil
}

// noMeter implements inbox.Meter: the library has no metrics.
type noMeter struct{}

func (noMeter) CountDelivery(string, string)                 {}
func (noMeter) CountUnmatched(string)                        {}
func (noMeter) ObserveForward(string, string, time.Duration) {}
func (noMeter) ObserveBacklog(inbox.Stats, time.Duration)    {}
func (noMeter) ObservePausedRules(int)                       {}
