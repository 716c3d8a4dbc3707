package receiver

import (
	"context"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Must is New for a secret that is known when the program starts. It panics where New
// fails.
func Must(secret string, opts ...Option) *Receiver {
	r, err := New(secret, opts...)
	if err != nil {
		panic(err)
	}
	return r
}

// Handle registers fn for an event ("issues") or an event with an action
// ("issues.opened"). It panics where On returns an error, as http.ServeMux.Handle does
// for a bad pattern: a misspelt name shows when the program starts. The handler that it
// returns is for RemoveListener.
func (r *Receiver) Handle(name webhook.EventName, fn func(context.Context, webhook.Event) error) *Handler {
	return registered(r.OnFunc(fn, name))
}

// HandleTyped is Handle for a function that takes the payload decoded into a T, see
// OnTyped.
func HandleTyped[T any](r *Receiver, name webhook.EventName, fn func(context.Context, TypedEvent[T]) error) *Handler {
	return registered(OnTyped(r, fn, name))
}

// HandleAny registers fn for every event, see OnAny. It panics if fn is nil.
func (r *Receiver) HandleAny(fn func(context.Context, webhook.Event) error) *Handler {
	h := Func(fn)
	return registered(h, r.OnAny(h))
}

// HandleError registers fn for every delivery that fails, see OnError. It panics if fn
// is nil.
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
