// Package event defines the events that Octavo publishes to other programs: one type for
// each thing that happens to accounts, sessions, books, requests and orders.
//
// An event leaves the program: the inbox stores it for weeks, and rules forward it to other
// parties. So its data has only ids, amounts and what everybody may read about a book for
// sale. It has no name, address or other text about a person, because deleting the account
// could not take that back, and never a password, code, token or hash.
package event

import (
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/typo"
)

// Source is the name of the inbox's source of these events.
const Source = "octavo"

// Type says what happened. The texts are sent over the wire.
type Type string

// types are those of accounts.go and of market.go, sorted.
var types = slices.Sorted(slices.Values(slices.Concat(accountTypes, marketTypes)))

// Types returns all types, sorted.
func Types() []Type { return slices.Clone(types) }

// Known reports whether t is a type.
func (t Type) Known() bool { return slices.Contains(types, t) }

// Nearest returns the type with the smallest edit distance to t, for a "did you mean" in
// an error. It is empty if no type is close.
func Nearest(t Type) Type { return typo.Nearest(t, types) }

// ID identifies an event. It is also the id of the delivery in the inbox.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Event reports one change. It commits in the transaction of the change.
type Event struct {
	ID   ID
	Type Type
	At   time.Time
	Data Data
}

// Data are the fields of an event: texts, whole numbers, booleans, and further Data.
type Data map[string]any

// Stamped returns the event with its id and time.
func (e Event) Stamped(id ID, at time.Time) Event {
	e.ID, e.At = id, at
	return e
}

// with returns the data with more fields.
func (d Data) with(more Data) Data {
	all := maps.Clone(d)
	maps.Copy(all, more)
	return all
}
