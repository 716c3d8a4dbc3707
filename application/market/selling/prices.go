package selling

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Prices says what books have sold for. No caller needs to sign in.
type Prices struct {
	sales   Reader
	clock   market.Clock
	standby market.OnStandby[Prices]
}

// newPrices returns the use case.
func newPrices(sales Reader, clock market.Clock) *Prices {
	return &Prices{sales: sales, clock: clock}
}

// WithStandby lets all hints be read from a standby.
func (p *Prices) WithStandby(s market.OnStandby[Prices]) *Prices {
	p.standby = s
	return p
}

// PriceQuery describes a book. An empty field is unknown.
type PriceQuery struct{ ISBN, Course, Name string }

// Bounds of a price hint.
const (
	hintYears    = 2
	maxHintSales = 100 // the newest with one key; they bound the cost of a hint
)

// Hint returns the quartiles of the prices of delivered sales in the last two years: of the
// same ISBN, otherwise of the same course, otherwise of the same title. It takes the first of
// these with at least order.MinHintSales sales. If none has so many, it returns the largest
// Count, without prices. book.ErrInvalid names the invalid fields of the query.
func (p *Prices) Hint(ctx context.Context, by user.Caller, q PriceQuery) (order.PriceHint, error) {
	keys, err := q.keys()
	if err != nil {
		return order.PriceHint{}, err
	}
	return market.ReadFor(ctx, by, p, p.standby, func(ctx context.Context, p *Prices) (order.PriceHint, error) {
		return p.best(ctx, keys, q.Name)
	})
}

func (p *Prices) best(ctx context.Context, keys []SalesKey, name string) (order.PriceHint, error) {
	since := p.clock.Now().UTC().AddDate(-hintYears, 0, 0)
	var best order.PriceHint
	for i, key := range keys {
		h, err := p.hint(ctx, key, name, since)
		if err != nil {
			return order.PriceHint{}, err
		}
		if i == 0 || h.Count > best.Count {
			best = h
		}
		if best.Known() {
			break
		}
	}
	return best, nil
}

func (p *Prices) hint(ctx context.Context, key SalesKey, name string, since time.Time) (order.PriceHint, error) {
	sales, err := p.sales.ListDeliveredSales(ctx, key, since, maxHintSales)
	if err != nil {
		return order.PriceHint{}, err
	}
	if key.Basis == book.ByTitle {
		sales = slices.DeleteFunc(sales, func(s order.Sale) bool { return !book.SameTitle(s.Name, name) })
	}
	return order.NewPriceHint(key.Basis, sales), nil
}

// Check returns book.ErrInvalid with every field that Hint refuses.
func (q PriceQuery) Check() error {
	_, err := q.keys()
	return err
}

// keys returns the keys of the query, the strongest first.
func (q PriceQuery) keys() ([]SalesKey, error) {
	var keys []SalesKey
	var refusal *fault.Error
	add := func(typed, field string, basis book.Reason, text, why string) {
		if typed == "" {
			return
		}
		if text != "" {
			keys = append(keys, SalesKey{basis, text})
			return
		}
		if refusal == nil {
			refusal = book.ErrInvalid
		}
		refusal = refusal.WithField(field, why)
	}
	isbn, _ := pasted.ISBN(q.ISBN)
	add(q.ISBN, "ISBN", book.ByISBN, string(isbn), book.WhyNoISBN(q.ISBN))
	add(q.Course, "course", book.ByCourse, text.Key(q.Course), "Must have a letter or a digit.")
	add(q.Name, "name", book.ByTitle, book.TitleKey(q.Name), "Must have a letter or a digit.")
	switch {
	case refusal != nil:
		return nil, refusal
	case len(keys) == 0:
		return nil, book.ErrInvalid.WithField("ISBN", "Enter an ISBN, a course or a title.")
	}
	return keys, nil
}
