package receiver

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Handler is a function with an identity, so that it can be registered for several
// names and removed again. Func, ActionFunc, ErrorFunc and OnTyped make one.
type Handler struct {
	event  func(context.Context, *delivery, webhook.Event) error
	report func(context.Context, *Error)
}

// Func makes an event handler, for On and OnAny. The handlers of a delivery share
// its payload, so fn must not modify it.
func Func(fn func(context.Context, webhook.Event) error) *Handler {
	if fn == nil {
		return nil
	}
	return &Handler{event: func(ctx context.Context, _ *delivery, e webhook.Event) error { return fn(ctx, e) }}
}

// ActionFunc makes an event handler whose function also gets the event's action, ""
// if the payload has none. The receiver has found the action already, so this saves
// another scan of the payload. It is the action before any transform.
func ActionFunc(fn func(ctx context.Context, e webhook.Event, action string) error) *Handler {
	if fn == nil {
		return nil
	}
	return &Handler{event: func(ctx context.Context, d *delivery, e webhook.Event) error { return fn(ctx, e, d.action) }}
}

// ErrorFunc makes an error handler, for OnError.
func ErrorFunc(fn func(context.Context, *Error)) *Handler {
	if fn == nil {
		return nil
	}
	return &Handler{report: fn}
}

// TypedEvent is an event with its payload decoded into a T. Raw and Header are those of
// the event, shared by all handlers: never modify them.
type TypedEvent[T any] struct {
	ID      string
	Name    webhook.EventName
	Payload T
	Raw     json.RawMessage   // the payload as it was verified, or as a transform returned it
	Header  map[string]string // see webhook.Event
}

// OnTyped registers a handler that gets the payload decoded by encoding/json. A
// payload is decoded once for each T and delivery, however many handlers use it.
// They share the slices, maps and pointers in it and must not modify them. A
// payload that does not decode into T is an error of the handler.
func OnTyped[T any](r *Receiver, fn func(context.Context, TypedEvent[T]) error, names ...webhook.EventName) (*Handler, error) {
	if fn == nil {
		return nil, fmt.Errorf("%w: handler", ErrMissing)
	}
	h := &Handler{event: func(ctx context.Context, d *delivery, e webhook.Event) error {
		payload, err := decoded[T](d, e.Payload)
		if err != nil {
			return fmt.Errorf("decode payload: %w", err)
		}
		return fn(ctx, TypedEvent[T]{ID: e.ID, Name: e.Name, Payload: payload, Raw: e.Payload, Header: e.Header})
	}}
	if err := r.On(h, names...); err != nil {
		return nil, err
	}
	return h, nil
}

// delivery is the state that the handlers of one event share.
type delivery struct {
	event   webhook.Event
	action  string
	mu      sync.Mutex
	decoded map[reflect.Type]any // holds func() (T, error), which decodes once
}

// decoded returns the payload decoded into a T. The delivery's own payload is decoded
// once for each T; a payload that a transform replaced is decoded each time.
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

// sameBytes reports whether a and b share the same memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
