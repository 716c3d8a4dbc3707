package wire

import "encoding/json"

// system stands for nobody: the order has lapsed.
const system = "system"

// Canceller is who has cancelled an order: a person, or "system".
type Canceller struct {
	ID        string
	FirstName string
}

// BySystem is the canceller of orders that lapse.
func BySystem() *Canceller { return &Canceller{ID: system} }

type person struct {
	ID        string `json:"id"`
	FirstName string `json:"firstName"`
}

// MarshalJSON implements json.Marshaler.
func (c Canceller) MarshalJSON() ([]byte, error) {
	if c.ID == system {
		return json.Marshal(system)
	}
	return json.Marshal(person(c))
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Canceller) UnmarshalJSON(b []byte) error {
	if string(b) == `"`+system+`"` {
		*c = *BySystem()
		return nil
	}
	var p person
	err := json.Unmarshal(b, &p)
	*c = Canceller(p)
	return err
}
