package receiver

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/domain/webhook"
)

// ErrEventName refuses an invalid event name.
var ErrEventName = webhook.ErrEventName

// maxReporting limits the error handlers that run at the same time.
const maxReporting = 1024

// Delivery is an event with its signature.
type Delivery struct {
	ID        string            // may be empty
	Name      webhook.EventName // the event without an action
	Payload   []byte            // the bytes as received
	Signature string            // "sha256=" and 64 hexadecimal digits
}

// VerifyAndReceive verifies a delivery and then acts like Receive. The error for a
// wrong signature is ErrSignatureMismatch, and no event handler runs. Every error is
// an *Error, and the error handlers get it.
func (r *Receiver) VerifyAndReceive(ctx context.Context, d Delivery) error {
	e := webhook.Event{ID: d.ID, Name: d.Name, Payload: d.Payload}
	secret, genuine, err := r.match(d.Payload, d.Signature)
	if err == nil && !genuine {
		err = ErrSignatureMismatch
	}
	if err != nil {
		return r.refuse(ctx, e, err)
	}
	return r.receiveVerified(ctx, e, secret)
}

// VerifyAndReceiveRequest is VerifyAndReceive for a request of the receiver's sender.
// The error for a signature that is right but too old is ErrTimestamp, which is an
// ErrSignatureMismatch, too. The *Error can also contain an error of webhook.Sender's
// Check and Event.
func (r *Receiver) VerifyAndReceiveRequest(ctx context.Context, req webhook.Request) error {
	unverified := webhook.Event{Payload: req.Body}
	sender := r.Sender()
	if err := sender.Check(req); err != nil {
		return r.refuse(ctx, unverified, err)
	}
	if len(req.Body) == 0 {
		return r.refuse(ctx, unverified, fmt.Errorf("%w: payload", ErrMissing))
	}
	secret, err := r.CheckRequest(ctx, req)
	e, invalid := sender.Event(req)
	if err != nil {
		if e.Payload == nil {
			e = unverified
		}
		return r.refuse(ctx, e, err)
	}
	if invalid != nil {
		return r.refuse(ctx, e, invalid)
	}
	return r.receiveVerified(ctx, e, secret)
}

// receiveVerified is Receive for an event whose signature matches secret, or stores it.
func (r *Receiver) receiveVerified(ctx context.Context, e webhook.Event, secret string) error {
	if r.verified != nil {
		r.verified(ctx, e, secret)
	}
	store := r.store.Load()
	if store == nil {
		return r.Receive(ctx, e)
	}
	action, err := r.check(e)
	if err != nil {
		return r.refuse(ctx, e, err)
	}
	if err := (*store)(ctx, e, action); err != nil {
		return r.fail(ctx, &Error{Event: e, Errs: []error{err}})
	}
	return nil
}

// StoreWith makes VerifyAndReceive and VerifyAndReceiveRequest store each verified event, with
// its action, instead of running its handlers. Whoever stores it calls Receive later, as often
// as it takes; package adapters/webhookdurable does. Call it before deliveries arrive.
func (r *Receiver) StoreWith(store func(ctx context.Context, e webhook.Event, action string) error) {
	r.store.Store(&store)
}

// IsDurable reports whether verified events are stored; see StoreWith.
func (r *Receiver) IsDurable() bool { return r.store.Load() != nil }

// refuse fails a delivery before any handler has run.
func (r *Receiver) refuse(ctx context.Context, e webhook.Event, err error) error {
	return r.fail(ctx, &Error{Event: e, Errs: []error{err}, Refused: true})
}

// Receive runs the handlers of an event without verifying a signature. The handlers
// start in the order event with action, event, any, and within one name in the order
// of registration; then all run concurrently, so none may rely on the work of an
// earlier one. Receive returns when all have returned. A failing handler does not
// stop the others, and a panic counts as an error. Every error is an *Error, and the
// error handlers get it. Besides the errors of handlers it can contain ErrMissing,
// ErrEventName or webhook.ErrPayload; then no handler has run.
func (r *Receiver) Receive(ctx context.Context, e webhook.Event) error {
	action, err := r.check(e)
	if err != nil {
		return r.refuse(ctx, e, err)
	}
	handlers, specific := r.handlers.match(r.Sender(), e.Name, action)
	if len(handlers) == 0 {
		return nil
	}
	if errs := r.run(ctx, &delivery{event: e, action: action}, handlers, specific); len(errs) > 0 {
		return r.fail(ctx, &Error{Event: e, Errs: errs})
	}
	return nil
}

// check returns the event's action, or an error if the event is invalid.
func (r *Receiver) check(e webhook.Event) (action string, err error) {
	switch {
	case e.Name == "":
		return "", fmt.Errorf("%w: event name", ErrMissing)
	case !r.Sender().IsEvent(e.Name):
		return "", fmt.Errorf("%w: %.100q", ErrEventName, e.Name)
	case len(e.Payload) == 0:
		return "", fmt.Errorf("%w: payload", ErrMissing)
	}
	sender := r.Sender()
	if action, err = sender.ScanPayload(e.Payload); err != nil || sender.HasTable() {
		return action, err
	}
	if _, ok := sender.With(e.Name, action); !ok {
		action = "" // the sender has no actions: the member means something else
	}
	return action, nil
}

// run runs all handlers concurrently, the first specific of them with the transform,
// and returns the errors in the order of the handlers.
//
// Each goroutine starts the next one and then continues with its own handler. If one
// goroutine started them all, the scheduler would run the last one first.
func (r *Receiver) run(ctx context.Context, d *delivery, handlers []*Handler, specific int) []error {
	errs := make([]error, len(handlers))
	var wg sync.WaitGroup
	var start func(i int)
	start = func(i int) {
		if i == len(handlers) {
			return
		}
		wg.Go(func() {
			start(i + 1)
			transform := r.transform
			if i >= specific {
				transform = nil
			}
			errs[i] = ErrHandlerExited // remains if call never returns
			errs[i] = r.call(ctx, d, handlers[i], transform)
		})
	}
	start(0)
	wg.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// call runs one handler and converts its panic to an error.
func (r *Receiver) call(ctx context.Context, d *delivery, h *Handler, transform Transform) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			err = &PanicError{Value: v, Stack: stack}
			r.log.ErrorContext(
				ctx, "webhook handler panicked", "id", d.event.ID, "event", string(d.event.Name), "error", err, "stack", string(stack),
			)
		}
	}()
	e := d.event
	if transform != nil {
		if e, err = transform(ctx, e); err != nil {
			return fmt.Errorf("transform: %w", err)
		}
	}
	return h.event(ctx, d, e)
}

// fail starts the error handlers for a failure and returns it.
func (r *Receiver) fail(ctx context.Context, failure *Error) error {
	for _, h := range r.handlers.named(errorKey) {
		select {
		case r.reporting <- struct{}{}:
			go r.report(context.WithoutCancel(ctx), h, failure)
		default:
			r.log.WarnContext(
				ctx, "too many webhook error handlers are running; skipping one", "id", failure.Event.ID, "event",
				string(failure.Event.Name), "error", failure,
			)
		}
	}
	return failure
}

// report runs one error handler and logs its panic.
func (r *Receiver) report(ctx context.Context, h *Handler, failure *Error) {
	defer func() {
		<-r.reporting
		if v := recover(); v != nil {
			r.log.ErrorContext(ctx, "webhook error handler panicked", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	h.report(ctx, failure)
}
