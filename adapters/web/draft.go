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

// conditionOptions are the conditions with their definitions.
func conditionOptions() []option {
	all := []option{{Value: "", Label: "Choose one"}}
	for _, c := range book.Conditions() {
		all = append(all, option{c.String(), c.String(), c.Meaning()})
	}
	return all
}

// parseErrors maps fields to the reasons why their text is not a number. Their zero
// values break the rules of the use case, so that it checks the other fields
// together with them.
type parseErrors map[string]string

// addTo adds the parse errors to the use case's error about the same input.
func (e parseErrors) addTo(err error) error {
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

func draftOf(typed url.Values, c money.Currency) (book.Draft, parseErrors) {
	invalid := parseErrors{}
	d := book.Draft{
		Name: strings.TrimSpace(typed.Get("name")), Course: strings.TrimSpace(typed.Get("course")), ISBN: strings.TrimSpace(typed.Get("ISBN")),
		Condition: typed.Get("condition"), Comments: typed.Get("Comments"), Authors: strings.TrimSpace(typed.Get("authors")),
		Edition: invalid.number(typed, "edition"), Price: invalid.money(typed, "price", c),
	}
	d.Date, _ = time.Parse(time.DateOnly, typed.Get("date"))
	return d, invalid
}

func (e parseErrors) number(typed url.Values, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed.Get(name)))
	if err != nil {
		e[name] = notANumber
	}
	return n
}

func (e parseErrors) money(typed url.Values, name string, c money.Currency) money.Amount {
	a, err := amountOf(c, typed.Get(name))
	if err != nil {
		e[name] = c.Hint()
	}
	return a
}
