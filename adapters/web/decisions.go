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

func (p *Pages) rulingFor(r *http.Request, by user.Caller) (ruling, error) {
	found, err := p.Market.Decisions.Of(r.Context(), by)
	return ruling{found, langOf(r)}, err
}

// refusal says why the viewer may not decide; "" if they may.
func (r ruling) refusal(about user.Affair) string {
	if err := r.Check(about); err != nil {
		return errorMessage(r.lang, err)
	}
	return ""
}

// decidable is an order with the reason why the viewer may not decide about it.
type decidable struct {
	market.OrderView
	Refusal string
}

// orders adds the reason to each order.
func (r ruling) orders(all []market.OrderView) []decidable {
	out := make([]decidable, len(all))
	for i, o := range all {
		out[i] = decidable{o, r.refusal(o.Affair())}
	}
	return out
}

// refusedBooks returns why the viewer may not take some of the books off sale or put them on sale
// again.
func (p *Pages) refusedBooks(r *http.Request, by user.Caller, books ...market.BookView) (map[book.ID]string, error) {
	ruling, err := p.rulingFor(r, by)
	if err != nil {
		return nil, err
	}
	affairs, err := p.Market.BookAdmin.Affairs(r.Context(), by, books...)
	if err != nil {
		return nil, err
	}
	refused := make(map[book.ID]string)
	for id, a := range affairs {
		if why := ruling.refusal(a); why != "" {
			refused[id] = why
		}
	}
	return refused, nil
}
