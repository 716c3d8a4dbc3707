// Package fault is the one error vocabulary of the core.
//
// A rule that can refuse declares a sentinel with New next to itself and
// returns it, wrapped with %w on the way up. An edge maps Kind to a status and
// answers Code; it never shows what else stands in the chain.
package fault

import (
	"errors"
	"maps"
	"time"
)

// Kind says what sort of failure it is; each edge maps it once.
type Kind uint8

// The kinds. Anything that is not an *Error is internal.
const (
	Invalid         Kind = iota + 1 // the input breaks a rule
	Unauthenticated                 // who calls is not known
	Forbidden                       // known, but not allowed
	NotFound                        // no such thing, or not one the caller may know of
	Conflict                        // the state does not allow it
	Limited                         // too often; see RetryAfter
	Unavailable                     // something needed is down or full; see RetryAfter
)

// Error is a refusal with a stable code and a sentence for a person.
type Error struct {
	Kind       Kind
	Code       string            // stable snake_case, part of the public contract
	Msg        string            // one English sentence, safe to show
	Fields     map[string]string // offending field to why; nil where none is to blame
	RetryAfter time.Duration     // for Limited and Unavailable; 0 when not known
}

// New makes a sentinel.
func New(kind Kind, code, msg string) *Error {
	return &Error{Kind: kind, Code: code, Msg: msg}
}

func (e *Error) Error() string { return e.Msg }

// Is reports whether target is the same refusal, whatever its fields, so that a
// copy made by WithField or After still matches its sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Code == e.Code
}

// WithField returns a copy that also names an offending field.
func (e *Error) WithField(field, why string) *Error {
	c := *e
	c.Fields = maps.Clone(e.Fields)
	if c.Fields == nil {
		c.Fields = map[string]string{}
	}
	c.Fields[field] = why
	return &c
}

// WithMsg returns a copy with another sentence.
func (e *Error) WithMsg(msg string) *Error {
	c := *e
	c.Msg = msg
	return &c
}

// After returns a copy that says when to try again.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// As finds the refusal in a chain; nil when the failure is internal.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// KindOf is the kind of the refusal in a chain, 0 when the failure is internal.
func KindOf(err error) Kind {
	if e := As(err); e != nil {
		return e.Kind
	}
	return 0
}
