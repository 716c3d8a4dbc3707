package receiver

import (
	"context"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Must is like New but panics on an error. It is for secrets that are known when the
// program starts.
func Must(secret string, opts ...Option) *Receiver {
	r, err := New(secret, opts...)
	if err != nil {
		panic(err)
	}
	return r
}

// Handle registers fn for an event ("issues"), an event with an action
// ("issues.opened") or every event ("*"). It panics where On returns an error, as http.ServeMux.Handle does
// for a bad pattern, so that a misspelt name shows when the program starts. Pass the
// returned handler to RemoveListener to remove it.
func (r *Receiver) Handle(name webhook.EventName, fn func(context.Context, webhook.Event) error) *Handler {
	return registered(r.OnFunc(fn, name))
}

// HandleTyped is Handle for a function that takes the payload decoded into a T; see
// OnTyped.
func HandleTyped[T any](r *Receiver, name webhook.EventName, fn func(context.Context, TypedEvent[T]) error) *Handler {
	return registered(OnTyped(r, fn, name))
}

// HandleAny registers fn for every event; see OnAny. It panics if fn is nil.
func (r *Receiver) HandleAny(fn func(context.Context, webhook.Event) error) *Handler {
	h := Func(fn)
	return registered(h, r.OnAny(h))
}

// HandleError registers fn for every failed delivery; see OnError. It panics if fn is
// nil.
func (r *Receiver) HandleError(fn func(context.Context, *Error)) *Handler {
	h := ErrorFunc(fn)
	return registered(h, r.OnError(h))
}

func registered(h *Handler, err error) *Handler {
	if err != nil {
		panic(err)
	}
	return h
}
