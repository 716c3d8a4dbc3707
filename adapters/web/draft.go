package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
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

// Bounds of fields into which people paste more than the value.
const (
	MaxTypedISBN    = pasted.MaxISBN
	MaxTypedPrice   = 20
	MaxTypedEdition = 40
)

// DraftOf reads the fields of a book as people paste them. What cannot be read is in the errors.
func DraftOf(typed url.Values, c money.Currency) (book.Draft, ParseErrors) {
	invalid := ParseErrors{}
	d := book.Draft{
		Name: pasted.Line(typed.Get("name")), Course: pasted.Course(typed.Get("course")), ISBN: TypedISBN(typed.Get("ISBN")),
		Condition: TypedCondition(typed.Get("condition")), Comments: typed.Get("Comments"), Authors: pasted.Line(typed.Get("authors")),
		Edition: invalid.Number(typed, "edition"), Price: invalid.Money(typed, "price", c),
	}
	var err error
	if d.Date, err = (pasted.Dates{}).Read(typed.Get("date")); err != nil && typed.Get("date") != "" {
		invalid["date"] = fault.As(err).Msg
	}
	return d, invalid
}

// TypedISBN returns the one ISBN in a text, or the text for the use case to refuse.
func TypedISBN(typed string) string {
	if isbn, ok := pasted.ISBN(typed); ok {
		return string(isbn)
	}
	return strings.TrimSpace(typed)
}

// TypedCondition returns the name of the condition that a text means, or the text for the use case to refuse.
func TypedCondition(typed string) string {
	if c, ok := pasted.Condition(typed); ok {
		return c.String()
	}
	return typed
}

// readings are how the fields of a form are read, by their names; false for what cannot be read.
var readings = map[string]func(f locale.Format, typed string) (string, bool){
	"ISBN": func(_ locale.Format, typed string) (string, bool) {
		isbn, ok := pasted.ISBN(typed)
		return string(isbn), ok
	},
	"edition": func(_ locale.Format, typed string) (string, bool) {
		n, ok := pasted.Edition(typed)
		return strconv.Itoa(n), ok
	},
	"price": readAmount, "maxPrice": readAmount,
}

// readAmount leaves out what is typed as the currency writes it, without its sign.
func readAmount(f locale.Format, typed string) (string, bool) {
	a, ok := pasted.Amount(typed, f.Currency)
	if _, err := f.Currency.Parse(strings.TrimSpace(typed)); err == nil {
		return typed, ok
	}
	return f.Money(a), ok
}

// WithReadings returns the form with how its values are read, where that is not how they are typed.
func (f Form) WithReadings(l locale.Format) Form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		one := &f.Fields[i]
		read, known := readings[one.Name]
		if !known || one.Value == "" {
			continue
		}
		if value, ok := read(l, one.Value); ok && value != strings.TrimSpace(one.Value) {
			one.Read = Translate(l.Lang, "Read as %s", value)
		}
	}
	return f
}

// Number reads the number of an edition, 0 if it is none.
func (e ParseErrors) Number(typed url.Values, name string) int {
	n, ok := pasted.Edition(typed.Get(name))
	if !ok {
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
