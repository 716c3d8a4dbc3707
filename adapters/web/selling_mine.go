package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// minePages lists what the viewer offers.
func (p *Pages) minePages() feature {
	return feature{
		routes: []*Route{
			get("/mine", p.forStudents(p.myListings)).inMenu(10, "My books", "what you have listed, in every state"),
			post("/mine/unlist", p.forStudents(p.unlist)), post("/mine/relist", p.forStudents(p.relist)),
		},
		flashes: map[string]string{
			"unlisted": "The book is no longer for sale.",
			"listed":   "The book is for sale again.",
		},
	}
}

type listingsView struct {
	Books []market.BookView
	More  string
}

// myListings serves GET /mine: the viewer's books in every status.
func (p *Pages) myListings(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	books, next, err := p.Market.Listings.ListMine(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, "listings", "My books", listingsView{books, nextLink(r, next)})
}

// unlist serves POST /mine/unlist.
func (p *Pages) unlist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Unlist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirectAbout(w, r, "/mine", "unlisted", idOf[book.ID](r.PostForm.Get("id")))
}

// relist serves POST /mine/relist.
func (p *Pages) relist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Relist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirectAbout(w, r, "/mine", "listed", idOf[book.ID](r.PostForm.Get("id")))
}
