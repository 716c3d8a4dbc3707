// Package wire holds the JSON types that the document names but a generator
// cannot make: the envelope, exact money, dates in their four forms, and fields
// that know whether they were left out.
package wire

import "time"

// Answer is the envelope of every JSON answer.
type Answer[T any] struct {
	Data   T         `json:"data"`
	Time   time.Time `json:"time"`   // UTC
	Method string    `json:"method"` // the canonical route pattern
}
