package webhook

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrEventName refuses an invalid event name.
	ErrEventName = errors.New("webhook: not the name of an event")
	// ErrDeliveryID refuses an id that is missing, longer than 256 bytes or not printable
	// ASCII.
	ErrDeliveryID = errors.New("webhook: the delivery id is missing, too long or not printable")
)

// Tolerance is the default for how far the timestamp of a signature may differ from now,
// either way. Sender.WithTolerance changes it.
const Tolerance = 5 * time.Minute

// Sender describes how a service signs deliveries: where event, id and signature are,
// and how the signature is made. Senders are immutable; nil stands for Host.
type Sender struct {
	name        string
	eventHeader string                        // if empty, readEvent reads the event
	readEvent   func(Request) (string, error) // from the body
	idHeaders   []string                      // the first present one counts; if there are none, readID reads the id
	readID      func(Request) (string, error)
	signature   [][]string // headers; one of each group is required

	secretHeaders []string // hold the secret itself, so they are not passed on
	verify        func(*SenderKey, Request, time.Time) bool
	sign          signer

	actions   bool // events are also dispatched with their action
	closed    bool // the events are exactly those of the table
	encoded   bool // a secret that begins with whsec_ or whpk_ is a base64 key
	challenge bool // answers Slack's check of a new URL
	tolerance time.Duration
}

// Name identifies the sender in settings and metrics.
func (s *Sender) Name() string { return s.orHost().name }

func (s *Sender) orHost() *Sender {
	if s == nil {
		return Host
	}
	return s
}

// WithTolerance returns a copy of the sender with another tolerance for timestamps.
func (s *Sender) WithTolerance(d time.Duration) *Sender {
	changed := *s.orHost()
	changed.tolerance = d
	return &changed
}

// MissingHeadersError names, in lower case, the required headers that are absent, empty
// or given more than once.
type MissingHeadersError struct{ Headers []string }

func (e *MissingHeadersError) Error() string {
	return "webhook: required headers missing: " + strings.Join(e.Headers, ", ")
}

// HeaderError names a header with an invalid value. It wraps ErrEventName or
// ErrDeliveryID.
type HeaderError struct {
	Header string
	Err    error
}

func (e *HeaderError) Error() string { return e.Header + ": " + e.Err.Error() }

// Unwrap returns ErrEventName or ErrDeliveryID.
func (e *HeaderError) Unwrap() error { return e.Err }

// Check validates the headers of a request; its body need not have been read yet. The
// error is a *MissingHeadersError or a *HeaderError.
func (s *Sender) Check(r Request) error {
	s = s.orHost()
	if missing := s.missing(r); len(missing) > 0 {
		return &MissingHeadersError{missing}
	}
	if s.eventHeader != "" && !s.IsEvent(EventName(r.header(s.eventHeader))) {
		return &HeaderError{s.eventHeader, ErrEventName}
	}
	if name, id := r.first(s.idHeaders); name != "" && !isID(id) {
		return &HeaderError{name, ErrDeliveryID}
	}
	return nil
}

func (s *Sender) missing(r Request) (names []string) {
	need := func(group ...string) {
		if name := r.missing(group); name != "" {
			names = append(names, strings.ToLower(name))
		}
	}
	if s.eventHeader != "" {
		need(s.eventHeader)
	}
	for _, group := range s.signature {
		need(group...)
	}
	if len(s.idHeaders) > 0 {
		need(s.idHeaders...)
	}
	return names
}

// Event returns the event of a verified request, with the name as the sender wrote it.
// The error is ErrEventName, ErrDeliveryID or ErrPayload. If the sender has event and id
// in headers, Event does not parse the body.
func (s *Sender) Event(r Request) (Event, error) {
	s = s.orHost()
	var err error
	name := r.header(s.eventHeader)
	if s.eventHeader == "" {
		if name, err = s.readEvent(r); err != nil {
			return Event{}, err
		}
	}
	_, id := r.first(s.idHeaders)
	if len(s.idHeaders) == 0 {
		if id, err = s.readID(r); err != nil {
			return Event{}, err
		}
	}
	switch {
	case !s.IsEvent(EventName(name)):
		return Event{}, fmt.Errorf("%w: %.100q", ErrEventName, name)
	case !isID(id):
		return Event{}, ErrDeliveryID
	}
	return Event{ID: id, Name: EventName(name), Payload: r.Body, Header: s.forwardable(r)}, nil
}

// IsEvent reports whether n can be an event name of the sender: for Host as
// EventName.IsEvent, for all others 1 to 100 printable ASCII characters.
func (s *Sender) IsEvent(n EventName) bool {
	if s.orHost().closed {
		return n.IsEvent()
	}
	return n != "" && len(n) <= maxName && isPrintable(string(n))
}

// HasTable reports whether the sender's events are exactly those of EventNames.
func (s *Sender) HasTable() bool { return s.orHost().closed }

// With is EventName.With by the sender's rules: Host has the listed actions, other code
// hosts every well-formed action, all other senders none.
func (s *Sender) With(event EventName, action string) (name EventName, ok bool) {
	s = s.orHost()
	switch {
	case s.closed:
		return event.With(action)
	case !s.actions || !isWord(action):
		return "", false
	}
	return event + "." + EventName(action), true
}

// Challenge returns the answer to a verified request with which the sender checks a new
// URL, as Slack does. ok is false for every other request.
func (s *Sender) Challenge(r Request) (answer string, ok bool) {
	if !s.orHost().challenge {
		return "", false
	}
	values, err := members(r.Body, "type", "challenge")
	if err != nil || unquote(values[0]) != "url_verification" {
		return "", false
	}
	return unquote(values[1]), true
}
