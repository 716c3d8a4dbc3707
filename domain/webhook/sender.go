package webhook

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrEventName refuses what cannot be the name of an event.
	ErrEventName = errors.New("webhook: not the name of an event")
	// ErrDeliveryID refuses an id that is absent, longer than 256 bytes or not printable ASCII.
	ErrDeliveryID = errors.New("webhook: the delivery id is missing, too long or not printable")
)

// Tolerance is how far the timestamp of a signature may be from now, either way, unless
// Sender.WithTolerance says otherwise.
const Tolerance = 5 * time.Minute

// Sender says how somebody signs deliveries: where event, id and signature are, and how
// the signature is made. Senders are values that never change; nil stands for Host.
type Sender struct {
	name        string
	eventHeader string                        // "": readEvent
	readEvent   func(Request) (string, error) // from the body
	idHeaders   []string                      // the first that is there counts; none: readID
	readID      func(Request) (string, error)
	signature   [][]string // headers; of each group one must be there
	verify      func(*SenderKey, Request, time.Time) bool

	actions   bool // an event is emitted with its action, too
	closed    bool // the events are those of the table
	encoded   bool // a secret that begins with whsec_ or whpk_ is a key in base64
	challenge bool // Slack's check of a new URL
	tolerance time.Duration
}

// Name is how settings and metrics call the sender.
func (s *Sender) Name() string { return s.orHost().name }

func (s *Sender) orHost() *Sender {
	if s == nil {
		return Host
	}
	return s
}

// WithTolerance is the sender with another bound for the age of a signature.
func (s *Sender) WithTolerance(d time.Duration) *Sender {
	changed := *s.orHost()
	changed.tolerance = d
	return &changed
}

// MissingHeadersError names the headers, in lower case, that a delivery needs but that are
// absent, empty or given more than once.
type MissingHeadersError struct{ Headers []string }

func (e *MissingHeadersError) Error() string {
	return "webhook: required headers missing: " + strings.Join(e.Headers, ", ")
}

// A HeaderError is about a header that does not hold what it should: Unwrap is
// ErrEventName or ErrDeliveryID.
type HeaderError struct {
	Header string
	Err    error
}

func (e *HeaderError) Error() string { return e.Header + ": " + e.Err.Error() }

// Unwrap says what is wrong.
func (e *HeaderError) Unwrap() error { return e.Err }

// Check looks at the headers of a request, whose body need not have been read. The error
// is a *MissingHeadersError or a *HeaderError.
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

// Event reads what a request that was verified tells: the event's name as the sender
// wrote it, the delivery's id and the body. The error is ErrEventName, ErrDeliveryID or
// ErrPayload; for a sender that has all in headers the body is not read.
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
	return Event{ID: id, Name: EventName(name), Payload: r.Body}, nil
}

// IsEvent reports whether the sender could call an event n: as EventName.IsEvent says for
// Host, one to 100 printable ASCII characters for all others.
func (s *Sender) IsEvent(n EventName) bool {
	if s.orHost().closed {
		return n.IsEvent()
	}
	return n != "" && len(n) <= maxName && isPrintable(string(n))
}

// HasTable reports whether the sender's events are those of EventNames and no others.
func (s *Sender) HasTable() bool { return s.orHost().closed }

// With is EventName.With by the sender's rules: Host emits the listed actions, senders of
// its kind every action that is spelled like one, all others none.
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

// Challenge is what to answer to a verified request by which the sender tries a new URL,
// as Slack does; ok is false for every other request.
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
