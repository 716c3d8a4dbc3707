package pasted

import (
	"iter"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// DateOrder is the order of day, month and year in dates of numbers only.
type DateOrder int

// The orders.
const (
	AnyOrder   DateOrder = iota // unknown
	DayFirst                    // 7/12/2026 is in December
	MonthFirst                  // 7/12/2026 is in July
	YearFirst                   // 26/12/07 is in 2026
)

// The errors of dates.
var (
	ErrDate = fault.New(fault.Invalid, "date_unreadable", "Must be a date such as 2026-09-01.")

	ErrTwoDates = fault.New(fault.Invalid, "date_ambiguous",
		"This can be two dates. Say whether days or months come first, or write it as 2026-09-01.")
)

// Dates reads dates. A form has one, a column of a file several in the same order.
type Dates struct {
	Order    DateOrder // decides between several readings
	From, To time.Time // a reading outside of them does not count if another one is within; zero: no bound
}

// reading is a date that a text can mean, and the order in which it does; AnyOrder: the text leaves no choice.
type reading struct {
	time.Time
	order DateOrder
}

// Read reads a date without or with a time of the day: RFC 3339, a day as in ISO 8601 or with the name of the month in
// a language of the desktops whose files are read, Unix milliseconds, the number that a spreadsheet has for a day, or
// three numbers. Years of two digits are in this century, and come last unless the Order says otherwise or no other date
// is possible. With points between them days come first; otherwise the Order decides, unless only one is possible. The
// error is ErrDate, or ErrTwoDates if nothing decides.
func (d Dates) Read(typed string) (time.Time, error) {
	all := d.readings(typed)
	if len(all) == 0 {
		return time.Time{}, ErrDate
	}
	for _, r := range all {
		if r.order == d.Order {
			return r.Time, nil
		}
	}
	usual := slices.DeleteFunc(slices.Clone(all), func(r reading) bool { return r.order == YearFirst })
	if len(usual) == 0 {
		usual = all
	}
	for _, r := range usual[1:] {
		if !r.Equal(usual[0].Time) {
			return time.Time{}, ErrTwoDates
		}
	}
	return usual[0].Time, nil
}

// Decided returns a date that can only be read in this order in a form that needs none, and anything else as it is.
func (d Dates) Decided(typed string) string {
	date, err := d.Read(typed)
	if alone := (Dates{From: d.From, To: d.To}); err == nil {
		if read, undecided := alone.Read(typed); undecided != nil || !read.Equal(date) {
			return date.Format(time.DateOnly)
		}
	}
	return typed
}

// readings are those within the bounds or, if there are none, all.
func (d Dates) readings(typed string) []reading {
	all := parseDate(typed)
	near := slices.DeleteFunc(slices.Clone(all), func(r reading) bool {
		return !d.From.IsZero() && r.Before(d.From) || !d.To.IsZero() && r.After(d.To)
	})
	if len(near) == 0 {
		return all
	}
	return near
}

// OrderOf returns the order that all dates of a column can have. It is AnyOrder if days and months may both come
// first, or if there is none: then the dates do not agree.
func (d Dates) OrderOf(column iter.Seq[string]) (order DateOrder, agreed bool) {
	possible := map[DateOrder]bool{DayFirst: true, MonthFirst: true, YearFirst: true}
	years := map[DateOrder]map[int]bool{DayFirst: {}, MonthFirst: {}, YearFirst: {}}
	for cell := range column {
		all := d.readings(cell)
		if len(all) == 0 || all[0].order == AnyOrder {
			continue
		}
		for _, r := range all {
			years[r.order][r.Year()] = true
		}
		for order := range possible {
			if !slices.ContainsFunc(all, func(r reading) bool { return r.order == order }) {
				delete(possible, order)
			}
		}
	}
	switch {
	case possible[DayFirst] && possible[MonthFirst]:
		return AnyOrder, true
	case possible[YearFirst] && len(years[YearFirst]) < len(years[DayFirst]): // days vary more than years
		return YearFirst, true
	case possible[DayFirst]:
		return DayFirst, true
	case possible[MonthFirst]:
		return MonthFirst, true
	case possible[YearFirst]:
		return YearFirst, true
	}
	return AnyOrder, false
}
