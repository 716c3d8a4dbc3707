package sellingpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// minePages lists what the viewer offers.
func (p *Pages) minePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/mine", p.ForStudents(p.myListings)).InMenu(10, "My books", "what you have listed, in every state"),
			web.Post("/mine/unlist", p.ForStudents(p.unlist)), web.Post("/mine/relist", p.ForStudents(p.relist)),
		},
		Flashes: map[string]string{
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
	books, next, err := p.Market.Listings.ListMine(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "listings", "My books", listingsView{books, web.NextLink(r, next)})
}

// unlist serves POST /mine/unlist.
func (p *Pages) unlist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Unlist(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.RedirectAbout(w, r, "/mine", "unlisted", web.IDOf[book.ID](r.PostForm.Get("id")))
}

// relist serves POST /mine/relist.
func (p *Pages) relist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Relist(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.RedirectAbout(w, r, "/mine", "listed", web.IDOf[book.ID](r.PostForm.Get("id")))
}
