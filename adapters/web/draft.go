package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
)

// ConditionOptions are the conditions with their definitions.
func ConditionOptions() []Option {
	all := []Option{{Value: "", Label: "Choose one"}}
	for _, c := range book.Conditions() {
		all = append(all, Option{c.String(), c.String(), c.Meaning()})
	}
	return all
}

// ParseErrors maps fields to the reasons why their text is not a number. Their zero
// values break the rules of the use case, so that it checks the other fields
// together with them.
type ParseErrors map[string]string

// AddTo adds the parse errors to the use case's error about the same input.
func (e ParseErrors) AddTo(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid {
		return err
	}
	for name, why := range e {
		f = f.WithField(name, why)
	}
	return f
}

const notANumber = "Must be a whole number."

// DraftOf reads the fields of a book. What is no number is in the errors.
func DraftOf(typed url.Values, c money.Currency) (book.Draft, ParseErrors) {
	invalid := ParseErrors{}
	d := book.Draft{
		Name: strings.TrimSpace(typed.Get("name")), Course: strings.TrimSpace(typed.Get("course")), ISBN: strings.TrimSpace(typed.Get("ISBN")),
		Condition: typed.Get("condition"), Comments: typed.Get("Comments"), Authors: strings.TrimSpace(typed.Get("authors")),
		Edition: invalid.Number(typed, "edition"), Price: invalid.Money(typed, "price", c),
	}
	d.Date, _ = time.Parse(time.DateOnly, typed.Get("date"))
	return d, invalid
}

// Number reads a whole number, 0 if it is none.
func (e ParseErrors) Number(typed url.Values, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed.Get(name)))
	if err != nil {
		e[name] = notANumber
	}
	return n
}

// Money reads an amount of a currency, 0 if it is none.
func (e ParseErrors) Money(typed url.Values, name string, c money.Currency) money.Amount {
	a, err := AmountOf(c, typed.Get(name))
	if err != nil {
		e[name] = c.Hint()
	}
	return a
}
