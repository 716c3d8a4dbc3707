// Package fault is the one error vocabulary of the core.
//
// A rule that can refuse declares a sentinel with New next to itself and returns it;
// callers wrap it with %w. A driving adapter maps Kind to a status and answers with Code. It
// never shows the rest of the chain.
package fault

import (
	"errors"
	"maps"
	"time"
)

// Kind is the class of an error. Each driving adapter maps it in one place.
type Kind uint8

// The kinds. Anything that is not an *Error is internal.
const (
	Invalid         Kind = iota + 1 // the input is invalid
	Unauthenticated                 // the caller is unknown
	Forbidden                       // the caller is known, but not allowed
	NotFound                        // does not exist, or the caller may not know that it does
	Conflict                        // the present state does not allow it
	Limited                         // too many attempts; see RetryAfter
	Unavailable                     // a dependency is down or full; see RetryAfter
)

// Error is an error with a stable code and a message for people.
type Error struct {
	Kind       Kind
	Code       string            // stable snake_case, part of the public contract
	Msg        string            // one English sentence, safe to show
	Fields     map[string]string // invalid field to explanation; nil if no field is invalid
	RetryAfter time.Duration     // for Limited and Unavailable; 0: unknown
	Details    map[string]string // further values that a client needs to go on, safe to show; nil if there are none
}

// New returns a sentinel.
func New(kind Kind, code, msg string) *Error {
	return &Error{Kind: kind, Code: code, Msg: msg}
}

func (e *Error) Error() string { return e.Msg }

// Is reports whether target has the same kind and code, so that a copy made by WithField
// or After matches its sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Code == e.Code
}

// WithField returns a copy with one more invalid field.
func (e *Error) WithField(field, why string) *Error {
	c := *e
	c.Fields = maps.Clone(e.Fields)
	if c.Fields == nil {
		c.Fields = map[string]string{}
	}
	c.Fields[field] = why
	return &c
}

// WithDetail returns a copy with one more value for the client.
func (e *Error) WithDetail(name, value string) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = map[string]string{}
	}
	c.Details[name] = value
	return &c
}

// WithMsg returns a copy with another message.
func (e *Error) WithMsg(msg string) *Error {
	c := *e
	c.Msg = msg
	return &c
}

// After returns a copy with RetryAfter.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// As returns the first Error in a chain; nil if the error is internal.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// KindOf returns the kind of the first Error in a chain; 0 if the error is internal.
func KindOf(err error) Kind {
	if e := As(err); e != nil {
		return e.Kind
	}
	return 0
}
