package guardingpages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// bookAdminPages is what staff sees and does of books.
func (p *Pages) bookAdminPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(bookAdminPath, p.ForAdmins(p.showBookAdmin)).With("id={book}"), web.Post(booksPath+"/relist", p.ForAdmins(p.relistBook)),
			web.Get(unlistPath, p.ForAdmins(p.reviewUnlisting)).With("book={book}"),
			web.Post(unlistPath, p.ForAdmins(p.unlistBooks)).Restores(web.Restored("Unlist books", web.Form{Button: "Unlist these books", Fields: reasonForm.Fields})),
		},
		Flashes: map[string]string{"no_book_chosen": "Tick the books to unlist."},
	}
}

const (
	booksPath     = "/dashboard/books"
	bookAdminPath = booksPath + "/book"
	unlistPath    = booksPath + "/unlist"
)

// bookAdminView is what admins see of one book.
type bookAdminView struct {
	guarding.BookHistory
	Events    []happening // oldest first
	Requests  []matchedRequest
	SellerTo  string // the page of the seller
	MayUnlist bool
	Refusal   string // why the viewer may neither unlist nor relist it; "": they may
	Here      string
}

// happening is one event in the history of a book. Text is translated.
type happening struct {
	At           time.Time
	Text, Detail string
	Name, NameTo string   // who did it, and the page of that person, if the viewer may see it
	Order        order.ID // 0: it is about no order
}

// matchedRequest is a request that the book matched, with the address of its owner.
type matchedRequest struct {
	market.MatchView
	Address string
}

func personPath(id user.ID) string { return "/dashboard/people/person?id=" + id.String() }

// showBookAdmin serves GET /dashboard/books/book?id=.
func (p *Pages) showBookAdmin(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	h, err := p.Market.BookAdmin.History(r.Context(), by, web.IDOf[book.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	lang, addresses := web.LangOf(r), p.AddressBookFor(r, by)
	v := bookAdminView{BookHistory: h, SellerTo: personPath(h.Seller), MayUnlist: h.Status == book.ForSale, Here: r.URL.RequestURI()}
	refused, err := p.RefusedBooks(r, by, h.BookView)
	if err != nil {
		return err
	}
	v.Refusal = refused[h.ID]
	if v.Events, err = eventsOf(lang, h, addresses); err != nil {
		return err
	}
	for _, m := range h.Matches {
		address, err := addresses.Of(m.Request.Owner)
		if err != nil {
			return err
		}
		v.Requests = append(v.Requests, matchedRequest{m, address})
	}
	p.Render(w, r, http.StatusOK, "bookadmin", web.PageData{Lang: lang, Title: h.Name, Page: v})
	return nil
}

// eventsOf merges the lists of a history.
func eventsOf(lang user.Lang, h guarding.BookHistory, addresses web.AddressBook) ([]happening, error) {
	seller, err := addresses.Of(h.Seller)
	if err != nil {
		return nil, err
	}
	all := []happening{{At: h.CreatedAt, Text: web.Translate(lang, "Posted"), Name: seller, NameTo: personPath(h.Seller)}}
	for _, c := range h.Changes {
		name, err := addresses.Of(c.Actor)
		if err != nil {
			return nil, err
		}
		all = append(all, happening{At: c.At, Text: web.Translate(lang, audit.Words(c.Action)), Detail: c.Detail, Name: name, NameTo: personPath(c.Actor)})
	}
	for _, o := range h.Orders {
		for _, m := range o.Timeline() {
			e := happening{At: m.At, Text: web.Translate(lang, web.StepText(o, m.Step)), Name: o.NameOf(m.By), Order: o.ID}
			switch address, err := addresses.Of(m.By); {
			case err != nil:
				return nil, err
			case address != "": // the viewer may see the person
				e.NameTo = personPath(m.By)
			}
			if m.Step == order.StepCancelled {
				e.Detail = o.Reason
			}
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b happening) int { return a.At.Compare(b.At) })
	return all, nil
}

// relistBook serves POST /dashboard/books/relist.
func (p *Pages) relistBook(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[book.ID](r.PostForm.Get("id"))
	if err := p.Market.BookAdmin.Relist(r.Context(), by, id); err != nil {
		return err
	}
	return p.RedirectAbout(w, r, bookAdminPath+"?"+url.Values{"id": {id.String()}}.Encode(), "listed", id)
}

// unlistView names the books before they are unlisted, or says what became of each.
type unlistView struct {
	Done, Ready int // how many are unlisted, and how many can be
	Asks        bool
	Lines       []unlistLine
	Form        web.Form
}

type unlistLine struct {
	market.BookView
	Ready bool
	Text  string // what became of the book, or why it is left out
}

// reasonForm asks for the reason for which books are unlisted.
var reasonForm = web.Form{Action: unlistPath, Fields: []web.Field{{Name: "reason", Label: "Reason (shown to the seller)", Max: web.MaxReasonText}}}

// reviewUnlisting serves GET /dashboard/books/unlist?book=…: the list to read before anything
// is unlisted.
func (p *Pages) reviewUnlisting(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.askToUnlist(w, r, by, http.StatusOK, r.URL.Query(), reasonForm)
}

func (p *Pages) askToUnlist(w http.ResponseWriter, r *http.Request, by user.Caller, status int, chosen url.Values, f web.Form) error {
	books, err := p.Market.BookAdmin.Review(r.Context(), by, bookIDs(chosen))
	if err != nil {
		return err
	}
	if len(books) == 0 {
		return p.Redirect(w, r, booksPath, "no_book_chosen")
	}
	refused, err := p.RefusedBooks(r, by, books...)
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	v := unlistView{Asks: true, Form: f}
	for _, b := range books {
		line := unlistLine{BookView: b, Ready: b.Status == book.ForSale && refused[b.ID] == "", Text: refused[b.ID]}
		switch {
		case line.Ready:
			v.Ready++
		case b.Status != book.ForSale:
			line.Text = web.Translate(lang, "It is not for sale, so it is left out.")
		}
		v.Lines = append(v.Lines, line)
	}
	return p.Show(w, r, status, "unlist", "Unlist books", v)
}

// unlistBooks serves POST /dashboard/books/unlist.
func (p *Pages) unlistBooks(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	lang := web.LangOf(r)
	done, err := p.Market.BookAdmin.Unlist(r.Context(), by, bookIDs(r.PostForm), r.PostForm.Get("reason"))
	if err != nil && web.CanRetry(err) {
		return p.askToUnlist(w, r, by, httpx.Status(err), r.PostForm, reasonForm.WithValues(r.PostForm).WithErrors(lang, err))
	}
	if err != nil {
		return err
	}
	v := unlistView{}
	for _, d := range done {
		line := unlistLine{BookView: d.Book, Text: web.Translate(lang, "Unlisted. The seller has been notified.")}
		if d.Err != nil {
			line.Text = web.ErrorMessage(lang, d.Err)
		} else {
			v.Done++
		}
		v.Lines = append(v.Lines, line)
	}
	return p.Show(w, r, http.StatusOK, "unlist", "Unlist books", v)
}

func bookIDs(values url.Values) []book.ID {
	ids := make([]book.ID, 0, len(values["book"]))
	for _, text := range values["book"] {
		ids = append(ids, web.IDOf[book.ID](strings.TrimSpace(text)))
	}
	return ids
}
