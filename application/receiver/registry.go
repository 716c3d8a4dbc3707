package receiver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/domain/webhook"
)

var (
	// ErrUnknownEvent refuses the name of an unknown event; the error suggests a known one.
	ErrUnknownEvent = errors.New("receiver: unknown event")
	// ErrReservedName refuses a handler of events under "error", and one of errors under "*" or
	// under an event.
	ErrReservedName = errors.New("receiver: reserved name")
	// ErrHandlerKind refuses an event handler where an error handler is needed, or the
	// reverse.
	ErrHandlerKind = errors.New("receiver: wrong kind of handler")
)

// The names by which On and RemoveListener know OnAny and OnError.
const (
	anyName   webhook.EventName = "*"
	errorName webhook.EventName = "error"
)

// The registry keys of these handlers. They are not printable, unlike event names: some
// senders may have an event called "error".
const (
	anyKey   webhook.EventName = "\x00any"
	errorKey webhook.EventName = "\x00error"
)

// registry holds the handlers by event name, and OnAny and OnError handlers under
// anyKey and errorKey. Lists are only appended to or replaced, never changed in
// place, so that readers may use a slice without the lock.
type registry struct {
	mu     sync.RWMutex
	byName map[webhook.EventName][]*Handler
}

func (g *registry) add(h *Handler, names ...webhook.EventName) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byName == nil {
		g.byName = map[webhook.EventName][]*Handler{}
	}
	for _, name := range names {
		g.byName[name] = append(g.byName[name], h)
	}
}

// remove removes the most recent registration of h under name.
func (g *registry) remove(h *Handler, name webhook.EventName) {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.byName[name]
	for i, registered := range slices.Backward(list) {
		if registered == h {
			g.byName[name] = slices.Concat(list[:i], list[i+1:])
			return
		}
	}
}

// named returns the handlers of a name in the order of registration.
func (g *registry) named(name webhook.EventName) []*Handler {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.byName[name]
}

// match returns the handlers of an event in the order in which they start: those of
// the event with its action, those of the event, those of any event. The first
// specific ones were registered with On.
func (g *registry) match(sender *webhook.Sender, event webhook.EventName, action string) (all []*Handler, specific int) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var withAction []*Handler
	if name, ok := sender.With(event, action); ok {
		withAction = g.byName[name]
	}
	plain := g.byName[event]
	return slices.Concat(withAction, plain, g.byName[anyKey]), len(withAction) + len(plain)
}

// On registers h for each of names; a handler that is registered twice runs twice.
// The name "*" registers it as OnAny does, and "error", with a handler of ErrorFunc, as
// OnError does. For a sender with a closed list of events, as webhook.Host, the error for
// a name outside the list is ErrUnknownEvent. With AllowUnknownEvents only an invalid name
// is an error, ErrEventName. After an error nothing is registered.
func (r *Receiver) On(h *Handler, names ...webhook.EventName) error {
	if h == nil {
		return fmt.Errorf("%w: handler", ErrMissing)
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: event name", ErrMissing)
	}
	keys := make([]webhook.EventName, 0, len(names))
	for _, name := range names {
		if err := r.checkName(h, name); err != nil {
			return err
		}
		keys = append(keys, keyOf(name))
	}
	r.handlers.add(h, keys...)
	return nil
}

// keyOf returns the registry's key of a name.
func keyOf(name webhook.EventName) webhook.EventName {
	switch name {
	case anyName:
		return anyKey
	case errorName:
		return errorKey
	}
	return name
}

// checkHandler returns an error unless h is an event handler.
func checkHandler(h *Handler) error {
	switch {
	case h == nil:
		return fmt.Errorf("%w: handler", ErrMissing)
	case h.event == nil:
		return fmt.Errorf("%w: this handler is for errors; register it with OnError", ErrHandlerKind)
	}
	return nil
}

// checkName returns an error unless the handler may be registered for name.
func (r *Receiver) checkName(h *Handler, name webhook.EventName) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: event name", ErrMissing)
	case name == errorName && h.report == nil:
		return fmt.Errorf(
			"%w: %w: %q is for failures; make the handler with ErrorFunc, or register it with OnError", ErrReservedName, ErrHandlerKind,
			name,
		)
	case name == errorName:
		return nil
	case h.event == nil:
		return fmt.Errorf("%w: this handler is for errors; register it with OnError, or under %q", ErrHandlerKind, errorName)
	case name == anyName:
		return nil
	case name.Known():
		return nil
	case !r.Sender().HasTable() && r.Sender().IsEvent(name):
		r.warnUnknown(name)
		return nil
	case r.allowUnknown:
		return r.checkUnknown(name)
	}
	return suggest(ErrUnknownEvent, name)
}

// warnUnknown logs a warning for a name that the sender is not known to have: the sender
// may have added it since.
func (r *Receiver) warnUnknown(name webhook.EventName) {
	if !r.Sender().Knows(name) {
		r.log.Warn("handler registered for an unknown event", "sender", r.Sender().Name(), "event", string(name), "nearest", string(
			r.Sender().Nearest(name),
		))
	}
}

// checkUnknown logs a warning for a name outside the table and refuses an invalid name.
func (r *Receiver) checkUnknown(name webhook.EventName) error {
	if !name.IsWellFormed() {
		return suggest(ErrEventName, name)
	}
	nearest := string(webhook.Nearest(name))
	if name.IsEmitted() {
		r.log.Warn("handler registered for an unknown event", "event", string(name), "nearest", nearest)
	} else {
		r.log.Warn(
			"handler registered for an action that its event does not have; it will never run", "event", string(name), "nearest", nearest,
		)
	}
	return nil
}

// suggest wraps err with the name and the nearest known name.
func suggest(err error, name webhook.EventName) error {
	if nearest := webhook.Nearest(name); nearest != "" {
		return fmt.Errorf("%w %.100q: did you mean %q?", err, name, nearest)
	}
	return fmt.Errorf("%w %.100q: webhook.EventNames lists the known ones", err, name)
}

// OnFunc makes a handler of fn and registers it as On does.
func (r *Receiver) OnFunc(fn func(context.Context, webhook.Event) error, names ...webhook.EventName) (*Handler, error) {
	h := Func(fn)
	if err := r.On(h, names...); err != nil {
		return nil, err
	}
	return h, nil
}

// OnAny registers h for every event, in the table or not. It gets the event as
// received, without the transform. The error is ErrMissing for a nil handler and
// ErrHandlerKind for one made by ErrorFunc.
func (r *Receiver) OnAny(h *Handler) error {
	if err := checkHandler(h); err != nil {
		return err
	}
	r.handlers.add(h, anyKey)
	return nil
}

// OnError registers h, made by ErrorFunc, to run once for each failed call of Receive
// or VerifyAndReceive. It runs in a goroutine of its own: the call does not wait for
// it, and its panics are logged. At most 1,024 run at the same time; beyond that,
// failures are logged instead.
func (r *Receiver) OnError(h *Handler) error {
	if h == nil {
		return fmt.Errorf("%w: handler", ErrMissing)
	}
	if h.report == nil {
		return fmt.Errorf("%w: this handler is for events; make it with ErrorFunc", ErrHandlerKind)
	}
	r.handlers.add(h, errorKey)
	return nil
}

// RemoveListener removes h from each of names, where "*" stands for OnAny and "error"
// for OnError. Of several registrations for one name it removes only the most recent;
// without one it does nothing. Deliveries that are being handled are not affected.
func (r *Receiver) RemoveListener(h *Handler, names ...webhook.EventName) {
	for _, name := range names {
		r.handlers.remove(h, keyOf(name))
	}
}
