// Package meeting defines how a buyer and a seller meet to hand over a book: where and when,
// and the code with which the seller confirms it.
package meeting

import "github.com/octavo-books/octavo/domain/fault"

// Mode says how books change hands. The zero Mode is Desk.
type Mode int

// The modes.
const (
	Desk Mode = iota // at the desk of the campus
	Meet             // buyer and seller meet
	Both             // as the two like
)

var modes = map[string]Mode{"desk": Desk, "meet": Meet, "both": Both}

// ParseMode returns the mode with a name; false if there is none.
func ParseMode(name string) (Mode, bool) {
	m, ok := modes[name]
	return m, ok
}

// String returns the name of the mode.
func (m Mode) String() string {
	for name, mode := range modes {
		if mode == m {
			return name
		}
	}
	return ""
}

// Meets reports whether buyer and seller may meet.
func (m Mode) Meets() bool { return m != Desk }

// HasDesk reports whether books are handed in at a desk.
func (m Mode) HasDesk() bool { return m != Meet }

// ErrOff refuses meetings where books change hands at the desk.
var ErrOff = fault.New(fault.Conflict, "meetings_off", "Books are handed over at the desk here.")

// Check returns ErrOff where nobody meets.
func (m Mode) Check() error {
	if m.Meets() {
		return nil
	}
	return ErrOff
}
