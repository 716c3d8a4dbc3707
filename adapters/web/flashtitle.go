package web

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// The value of the flash cookie may name what the message is about: an order or a book by
// its ID. The page looks the title up with the rights of its viewer, so a forged cookie
// shows nothing that the viewer may not see.
const (
	aboutMark = ":"
	orderMark = "o"
	bookMark  = "b"
)

// AboutOrder is a flash message about an order.
func AboutOrder(flash string, id order.ID) string { return flash + aboutMark + orderMark + id.String() }
func aboutBook(flash string, id book.ID) string   { return flash + aboutMark + bookMark + id.String() }

// flashTitle returns the title that a flash message is about; "" if there is none.
func (p *Pages) flashTitle(r *http.Request, about string) string {
	if p.Market == nil || about == "" {
		return ""
	}
	by := ViewerOf(r).By
	if id, ok := strings.CutPrefix(about, orderMark); ok {
		if o, err := p.Market.Orders.Get(r.Context(), by, IDOf[order.ID](id)); err == nil {
			return o.Name
		}
	}
	if id, ok := strings.CutPrefix(about, bookMark); ok {
		if b, err := p.Market.Catalogue.Get(r.Context(), by, IDOf[book.ID](id)); err == nil {
			return b.Name
		}
	}
	return ""
}

// Quoted quotes a title as the language does.
func Quoted(lang user.Lang, title string) string {
	if lang == user.FR {
		return "«\u00a0" + title + "\u00a0»"
	}
	return "“" + title + "”"
}

// RedirectAbout is redirect with a message about a book.
func (p *Pages) RedirectAbout(w http.ResponseWriter, r *http.Request, path, flash string, id book.ID) error {
	return p.Redirect(w, r, path, aboutBook(flash, id))
}
