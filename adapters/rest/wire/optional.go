package wire

import "encoding/json"

// Optional is a field that can be absent, null or set. In an update, null clears the
// value and an absent field keeps it.
type Optional[T any] struct {
	Given bool // also for null
	Value *T   // nil for null
}

// UnmarshalJSON is not called for an absent field.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Given = true
	return json.Unmarshal(b, &o.Value)
}
