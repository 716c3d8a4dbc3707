package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// ruling says for what is on a page whether the viewer may decide about it.
type ruling struct {
	guarding.Ruling
	lang user.Lang
}

// RulingFor reads what the viewer may decide about.
func (p *Pages) RulingFor(r *http.Request, by user.Caller) (ruling, error) {
	found, err := p.Market.Decisions.Of(r.Context(), by)
	return ruling{found, LangOf(r)}, err
}

// Refusal says why the viewer may not decide; "" if they may.
func (r ruling) Refusal(about user.Affair) string {
	if err := r.Check(about); err != nil {
		return ErrorMessage(r.lang, err)
	}
	return ""
}

// Decidable is an order with the reason why the viewer may not decide about it.
type Decidable struct {
	market.OrderView
	Refusal string
}

// Orders adds the reason to each order.
func (r ruling) Orders(all []market.OrderView) []Decidable {
	out := make([]Decidable, len(all))
	for i, o := range all {
		out[i] = Decidable{o, r.Refusal(o.Affair())}
	}
	return out
}

// RefusedBooks returns why the viewer may not take some of the books off sale or put them on sale
// again.
func (p *Pages) RefusedBooks(r *http.Request, by user.Caller, books ...market.BookView) (map[book.ID]string, error) {
	ruling, err := p.RulingFor(r, by)
	if err != nil {
		return nil, err
	}
	affairs, err := p.Market.BookAdmin.Affairs(r.Context(), by, books...)
	if err != nil {
		return nil, err
	}
	refused := make(map[book.ID]string)
	for id, a := range affairs {
		if why := ruling.Refusal(a); why != "" {
			refused[id] = why
		}
	}
	return refused, nil
}
