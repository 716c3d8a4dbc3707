package receiver

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Handler is a function with an identity, so that it can be registered under
// several names and removed again. Func, ActionFunc, ErrorFunc and OnTyped make
// one.
type Handler struct {
	event  func(context.Context, *delivery, webhook.Event) error
	report func(context.Context, *Error)
}

// Func makes a handler of events, for On and OnAny. Handlers of one delivery
// share its payload: fn must not modify it.
func Func(fn func(context.Context, webhook.Event) error) *Handler {
	if fn == nil {
		return nil
	}
	return &Handler{event: func(ctx context.Context, _ *delivery, e webhook.Event) error { return fn(ctx, e) }}
}

// ActionFunc makes a handler like Func that is told the event's action, too, ""
// where the payload has none. It is that of the event as it came, and spares fn
// looking for it again.
func ActionFunc(fn func(ctx context.Context, e webhook.Event, action string) error) *Handler {
	if fn == nil {
		return nil
	}
	return &Handler{event: func(ctx context.Context, d *delivery, e webhook.Event) error { return fn(ctx, e, d.action) }}
}

// ErrorFunc makes a handler of failures, for OnError.
func ErrorFunc(fn func(context.Context, *Error)) *Handler {
	if fn == nil {
		return nil
	}
	return &Handler{report: fn}
}

// TypedEvent is an event with its payload decoded into a T.
type TypedEvent[T any] struct {
	ID      string
	Name    webhook.EventName
	Payload T
}

// OnTyped registers a handler that gets the payload decoded by encoding/json. A
// payload is decoded once for each T and delivery, however many handlers ask for
// it: what a T refers to (slices, maps, pointers) is shared and must not be
// modified. A payload that does not fit T is a failure of the handler.
func OnTyped[T any](r *Receiver, fn func(context.Context, TypedEvent[T]) error, names ...webhook.EventName) (*Handler, error) {
	if fn == nil {
		return nil, fmt.Errorf("%w: handler", ErrMissing)
	}
	h := &Handler{event: func(ctx context.Context, d *delivery, e webhook.Event) error {
		payload, err := decoded[T](d, e.Payload)
		if err != nil {
			return fmt.Errorf("decode payload: %w", err)
		}
		return fn(ctx, TypedEvent[T]{ID: e.ID, Name: e.Name, Payload: payload})
	}}
	if err := r.On(h, names...); err != nil {
		return nil, err
	}
	return h, nil
}

// delivery is what the handlers of one event share.
type delivery struct {
	event   webhook.Event
	action  string
	mu      sync.Mutex
	decoded map[reflect.Type]any // of func() (T, error) that decodes once
}

// decoded is payload as a T. The delivery's own payload is decoded once for each
// T; one that a transform has replaced is decoded for its handler alone.
func decoded[T any](d *delivery, payload json.RawMessage) (T, error) {
	decode := func() (v T, err error) {
		err = json.Unmarshal(payload, &v)
		return v, err
	}
	if !sameBytes(payload, d.event.Payload) {
		return decode()
	}
	d.mu.Lock()
	once, ok := d.decoded[reflect.TypeFor[T]()].(func() (T, error))
	if !ok {
		once = sync.OnceValues(decode)
		if d.decoded == nil {
			d.decoded = map[reflect.Type]any{}
		}
		d.decoded[reflect.TypeFor[T]()] = once
	}
	d.mu.Unlock()
	return once()
}

// sameBytes reports whether a and b are the same piece of memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
