// Package rating defines what the two sides of a sale say about it afterwards, and when others
// see how often somebody's sales were as described.
package rating

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	// MaxText is how many characters the line of a rating may have.
	MaxText = 200
	// Window is how long after the delivery both sides may rate a sale and change that.
	Window = 14 * 24 * time.Hour
	// MinShown is how many people must have rated somebody before others see the count: of
	// fewer, the person could tell who said what.
	MinShown = 3
	// MaxCounted is how many ratings of somebody are counted, the newest ones.
	MaxCounted = 200
)

// Rating is what one side of an order says about it.
type Rating struct {
	Order       order.ID
	By, Of      user.ID
	AsDescribed bool
	Text        string // one line, which only the two sides and admins see; may be empty
	CreatedAt   time.Time
}

// The errors of ratings.
var (
	ErrText = fault.New(fault.Invalid, "rating_text", "Use one line of at most 200 characters.").
		WithField("text", "Must be at most 200 characters without control characters.")
	ErrEarly = fault.New(fault.Conflict, "rating_early", "You can say this once the book is delivered.")
	ErrLate  = fault.New(fault.Conflict, "rating_late", "You could say this for 14 days after the delivery.")
)

// New returns the rating of an order by one of its two sides.
func New(o order.Order, by user.ID, asDescribed bool, line string, now time.Time) (Rating, error) {
	line, err := CleanText(line)
	if err != nil {
		return Rating{}, err
	}
	if err := Check(o, now); err != nil {
		return Rating{}, err
	}
	of := o.Seller
	if by == o.Seller {
		of = o.Buyer
	}
	return Rating{Order: o.ID, By: by, Of: of, AsDescribed: asDescribed, Text: line, CreatedAt: now}, nil
}

// Check refuses a rating before the delivery or long after it.
func Check(o order.Order, now time.Time) error {
	switch {
	case o.Status != order.Delivered:
		return ErrEarly
	case now.Sub(o.DeliveredAt) > Window:
		return ErrLate
	}
	return nil
}

// CleanText returns the line in NFC, without hidden characters and surrounding spaces.
func CleanText(s string) (string, error) {
	s, ok := text.CleanLine(s, MaxText)
	if !ok {
		return "", ErrText
	}
	return s, nil
}

// Count is how many people have rated somebody. Of each, the newest rating counts, so that
// friends who trade often have one voice.
type Count struct{ AsDescribed, People int }

// Shown reports whether others see the count.
func (c Count) Shown() bool { return c.People >= MinShown }
