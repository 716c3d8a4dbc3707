package webhook

import (
	"errors"
	"fmt"
	"slices"
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
	name      string
	event, id places
	schemes   []*scheme // the first is for signing; another one counts if the request has its signature
	special   *special  // instead of schemes, for what they cannot say

	keyForm       KeyForm
	bodies        []string
	challenges    []*challenge
	secretHeaders []string
	certificate   *certificate
	extra         func(Request) bool // must hold besides the signature
	options       Options
	tolerance     time.Duration

	actions      bool // events are also dispatched with their action
	closed       bool // the events are exactly those of the table
	standardKeys bool // a secret that begins with whsec_ or whpk_ is a base64 key
	usesURL      bool // it signs the URL or checks it by a query
	anyType      bool // JSON may have another content type
	unauthorized bool // a wrong signature is answered 401
}

// special verifies as no scheme can.
type special struct {
	check   func(k *SenderKey, r Request, now time.Time) error
	headers [][]string // one of each group is required
	timed   bool       // the time of the signature is checked
}

// Options are what some senders need besides a secret.
type Options struct {
	VerifyToken string // Meta: the token with which it checks the URL
	WebhookID   string // PayPal: the id of the webhook, if the secret is not that
	ClientState string // Microsoft Graph: that of the subscription, if the secret is not that
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

// WithOptions returns a copy of the sender with options. The error names an option that the
// sender does not have.
func (s *Sender) WithOptions(o Options) (*Sender, error) {
	changed := *s.orHost()
	for name, option := range map[string]struct{ value, sender string }{
		"verifyToken": {o.VerifyToken, "meta"}, "webhookId": {o.WebhookID, "paypal"}, "clientState": {o.ClientState, "graph"},
	} {
		if option.value != "" && changed.name != option.sender {
			return nil, fmt.Errorf("webhook: %s is only for the sender %s", name, option.sender)
		}
	}
	changed.options = o
	return &changed, nil
}

// WithSecretHeaders returns a copy of the sender whose deliveries have these headers with
// secrets, which are never passed on.
func (s *Sender) WithSecretHeaders(names ...string) (*Sender, error) {
	changed := *s.orHost()
	canonical, err := canonicalHeaders("secretHeaders", names)
	if err != nil {
		return nil, err
	}
	changed.secretHeaders = slices.Concat(changed.secretHeaders, canonical)
	return &changed, nil
}

// NeedsSecret reports whether the sender signs with a secret, not only with a certificate.
func (s *Sender) NeedsSecret() bool {
	s = s.orHost()
	return s.special == nil && s.schemes[0].algorithm != algorithmRSA || s.name == "graph" && s.options.ClientState == "" ||
		s.name == "paypal" && s.options.WebhookID == ""
}

// IsUnauthorized reports whether a wrong signature is answered 401 instead of 400, because the
// sender insists on it.
func (s *Sender) IsUnauthorized() bool { return s.orHost().unauthorized }

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
	if name, event := r.first(s.event.headers()); name != "" && !s.IsEvent(EventName(event)) {
		return &HeaderError{name, ErrEventName}
	}
	if name, id := r.first(s.id.headers()); name != "" && !isID(id) {
		return &HeaderError{name, ErrDeliveryID}
	}
	return nil
}

func (s *Sender) missing(r Request) (names []string) {
	need := func(group []string) {
		if len(group) == 0 {
			return
		}
		if name := strings.ToLower(r.missing(group)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	need(s.event.headers())
	for _, group := range s.required(r) {
		need(group)
	}
	need(s.id.headers())
	return names
}

// required lists the headers of the signature; one of each group is required.
func (s *Sender) required(r Request) [][]string {
	if s.special != nil {
		return s.special.headers
	}
	return s.schemes[s.schemeOf(r)].required
}

// schemeOf returns the index of the scheme whose signature the request has, by default of the
// first.
func (s *Sender) schemeOf(r Request) int {
	for i := 1; i < len(s.schemes); i++ {
		if s.schemes[i].isUsedBy(r) {
			return i
		}
	}
	return 0
}

// Event returns the event of a verified request, with the name as the sender wrote it.
// The error is ErrEventName, ErrDeliveryID or ErrPayload. If the sender has event and id
// in headers, Event does not parse the body.
func (s *Sender) Event(r Request) (Event, error) {
	s = s.orHost()
	name, id := s.event.read(r), s.id.read(r)
	var err error
	switch {
	case !s.IsEvent(EventName(name)):
		err = fmt.Errorf("%w: %.100q", ErrEventName, name)
	case !isID(id):
		err = ErrDeliveryID
	default:
		if err := s.checkForm(r); err != nil {
			return Event{}, err
		}
		return Event{ID: id, Name: EventName(name), Payload: r.Body, Header: s.forwardable(r)}, nil
	}
	if len(s.event.headers()) == 0 || len(s.id.headers()) == 0 {
		if invalid := s.checkBody(r); invalid != nil { // it has no event because it is something else
			err = invalid
		}
	}
	return Event{}, err
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

// With is EventName.With by the sender's rules: Host has the listed actions, of the other
// senders those that have actions every one of 1 to 100 printable ASCII characters, and the
// others none.
func (s *Sender) With(event EventName, action string) (name EventName, ok bool) {
	s = s.orHost()
	switch {
	case s.closed:
		return event.With(action)
	case !s.actions || action == "" || len(action) > maxName || !isPrintable(action):
		return "", false
	}
	return event + "." + EventName(action), true
}
