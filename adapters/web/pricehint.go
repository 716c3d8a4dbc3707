package web

import (
	"net/http"
	"time"

	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
)

// PriceHintView is what copies of a book have sold for, with a chart of the prices from 0 to
// End that is Width units wide.
type PriceHintView struct {
	order.PriceHint
	Price money.Amount // of the copy on the page; 0: none
	Asked bool         // say so if there is no hint
	Label string       // the chart in words

	Width, LowX, HalfWidth, MedianX, PriceX int
	End                                     money.Amount
	Days                                    int // in which most copies at such prices have sold; 0: not known
}

const (
	hintWidth = 1000
	day       = 24 * time.Hour
)

// PriceHint returns the hint for a book, nil if there is none to ask for. A page is shown
// without its hint rather than not at all.
func (p *Pages) PriceHint(r *http.Request, q selling.PriceQuery, price money.Amount) *PriceHintView {
	h, err := p.Market.Prices.Hint(r.Context(), ViewerOf(r).By, q)
	if err != nil {
		p.LogFailure(r, "read a price hint", err)
		return nil
	}
	return newPriceHintView(p.FormatIn(LangOf(r)), h, price)
}

func newPriceHintView(f locale.Format, h order.PriceHint, price money.Amount) *PriceHintView {
	v := &PriceHintView{PriceHint: h, Price: price, Width: hintWidth}
	if !h.Known() {
		return v
	}
	if h.Within > 0 {
		v.Days = int((h.Within + day - 1) / day)
	}
	v.End = max(h.High, price) * 5 / 4
	x := func(a money.Amount) int { return int(a * hintWidth / max(v.End, 1)) }
	v.LowX, v.MedianX, v.PriceX = x(h.Low), x(h.Median), x(price)
	v.HalfWidth = max(x(h.High)-v.LowX, 4) // visible, too, if all prices are the same
	v.Label = Translate(f.Lang, "Prices from %s to %s, the typical one %s", f.Money(h.Low), f.Money(h.High), f.Money(h.Median))
	return v
}

// Foldable returns a course or title, "" if it has no letter or digit to look for.
func Foldable(s string) string {
	if text.Key(s) == "" {
		return ""
	}
	return s
}

// HintFor returns the price hint for a book.
func (p *Pages) HintFor(r *http.Request, d book.Details) *PriceHintView {
	return p.PriceHint(r, selling.PriceQuery{ISBN: string(d.ISBN), Course: Foldable(d.Course), Name: Foldable(d.Name)}, d.Price)
}
