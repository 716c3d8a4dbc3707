// Package wire contains JSON types that the generator cannot produce: the envelope,
// exact amounts of money, dates in four formats, and optional nullable fields.
package wire

import "time"

// Envelope wraps the data of every JSON response.
type Envelope[T any] struct {
	Data   T         `json:"data"`
	Time   time.Time `json:"time"`   // UTC
	Method string    `json:"method"` // the canonical route pattern
}
