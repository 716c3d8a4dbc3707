package wire

import "encoding/json"

// Optional is a field that may be left out, null or given: null clears where
// leaving it out keeps.
type Optional[T any] struct {
	Given bool // also when it was null
	Value *T   // nil when it was null
}

// UnmarshalJSON is not called for a field that was left out.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Given = true
	return json.Unmarshal(b, &o.Value)
}
