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
	// ErrUnknownEvent refuses a name that no event has; the error suggests one.
	ErrUnknownEvent = errors.New("receiver: unknown event")
	// ErrReservedName refuses "*" and "error", which are not events.
	ErrReservedName = errors.New("receiver: reserved name")
	// ErrHandlerKind refuses a handler of events where one of errors belongs, or
	// the reverse.
	ErrHandlerKind = errors.New("receiver: wrong kind of handler")
)

// The names that RemoveListener takes for handlers without an event.
const (
	anyName   webhook.EventName = "*"
	errorName webhook.EventName = "error"
)

// Where these handlers are kept: the name of an event is printable, and some senders could
// call one "error".
const (
	anyKey   webhook.EventName = "\x00any"
	errorKey webhook.EventName = "\x00error"
)

// registry holds the handlers by name, OnAny and OnError handlers under anyKey
// and errorKey. A list is only appended to or replaced, so that a reader may
// keep the slice it got.
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

// remove takes out the registration of h under name that was added last.
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

// named lists the handlers under name in their order.
func (g *registry) named(name webhook.EventName) []*Handler {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.byName[name]
}

// match lists the handlers of an event in the order they start: those of the
// event with its action, those of the event, those of any. The first specific
// ones were registered with On.
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

// On registers h for each of names; registered twice it runs twice. For a sender that has
// a closed list of events, as webhook.Host has, a name outside the table is ErrUnknownEvent unless AllowUnknownEvents was given, what cannot be a
// name is ErrEventName even then, "*" and "error" are ErrReservedName. After an error
// nothing is registered.
func (r *Receiver) On(h *Handler, names ...webhook.EventName) error {
	if err := checkHandler(h); err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: event name", ErrMissing)
	}
	for _, name := range names {
		if err := r.checkName(name); err != nil {
			return err
		}
	}
	r.handlers.add(h, names...)
	return nil
}

// checkHandler decides whether h may be registered for events.
func checkHandler(h *Handler) error {
	switch {
	case h == nil:
		return fmt.Errorf("%w: handler", ErrMissing)
	case h.event == nil:
		return fmt.Errorf("%w: this one handles errors, register it with OnError", ErrHandlerKind)
	}
	return nil
}

// checkName decides whether a handler may be registered under name.
func (r *Receiver) checkName(name webhook.EventName) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: event name", ErrMissing)
	case name == anyName:
		return fmt.Errorf("%w: for every event there is OnAny, not %q", ErrReservedName, name)
	case name == errorName:
		return fmt.Errorf("%w: for failures there is OnError, not %q", ErrReservedName, name)
	case name.Known(), !r.Sender().HasTable() && r.Sender().IsEvent(name):
		return nil
	case r.allowUnknown:
		return r.checkUnknown(name)
	}
	return suggest(ErrUnknownEvent, name)
}

// checkUnknown warns of a name outside the table, and refuses what is no name.
func (r *Receiver) checkUnknown(name webhook.EventName) error {
	if !name.IsWellFormed() {
		return suggest(ErrEventName, name)
	}
	nearest := string(webhook.Nearest(name))
	if name.IsEmitted() {
		r.log.Warn("handler registered for an unknown event", "event", string(name), "nearest", nearest)
	} else {
		r.log.Warn("handler registered for an action that its event does not have, it will never run", "event", string(name), "nearest", nearest)
	}
	return nil
}

// suggest is err about name with the name that may have been meant.
func suggest(err error, name webhook.EventName) error {
	if nearest := webhook.Nearest(name); nearest != "" {
		return fmt.Errorf("%w %.100q: did you mean %q?", err, name, nearest)
	}
	return fmt.Errorf("%w %.100q: webhook.EventNames lists the known ones", err, name)
}

// OnFunc makes a handler of fn and registers it like On.
func (r *Receiver) OnFunc(fn func(context.Context, webhook.Event) error, names ...webhook.EventName) (*Handler, error) {
	h := Func(fn)
	if err := r.On(h, names...); err != nil {
		return nil, err
	}
	return h, nil
}

// OnAny registers h for every event, in the table or not. It gets the event as
// it came, without the transform. The error is ErrMissing for a nil handler or
// ErrHandlerKind for one made by ErrorFunc.
func (r *Receiver) OnAny(h *Handler) error {
	if err := checkHandler(h); err != nil {
		return err
	}
	r.handlers.add(h, anyKey)
	return nil
}

// OnError registers h, made by ErrorFunc, to be told once of each call of Receive
// or VerifyAndReceive that fails. It runs beside the call, which neither waits
// for it nor sees its panics; those are logged. At most 1,024 run at once: what
// fails while that many are still running is logged instead of reported.
func (r *Receiver) OnError(h *Handler) error {
	if h == nil {
		return fmt.Errorf("%w: handler", ErrMissing)
	}
	if h.report == nil {
		return fmt.Errorf("%w: this one handles events, make it with ErrorFunc", ErrHandlerKind)
	}
	r.handlers.add(h, errorKey)
	return nil
}

// RemoveListener takes h off each of names, where "*" stands for OnAny and
// "error" for OnError. Of several registrations under one name only the most
// recent goes; where there is none nothing happens. Deliveries that are being
// handled are not touched.
func (r *Receiver) RemoveListener(h *Handler, names ...webhook.EventName) {
	for _, name := range names {
		switch name {
		case anyName:
			name = anyKey
		case errorName:
			name = errorKey
		}
		r.handlers.remove(h, name)
	}
}
