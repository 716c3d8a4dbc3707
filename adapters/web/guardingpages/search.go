package guardingpages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// searchPages let staff look for everything.
func (p *Pages) searchPages() web.Feature {
	return web.Feature{Routes: []*web.Route{web.Get(web.DashboardSearchPath, p.ForAdmins(p.search)).With("q=calculus").InMenu(5, "Search", "")}}
}

const (
	shownOfKind = 6   // what a search shows of each kind
	maxSearch   = 254 // characters, those of an address
)

// searchView has what was found of each kind. The paths lead to all of them, "" if these are all.
type searchView struct {
	Query      string
	Short      bool // see web.IsShort
	People     []user.User
	Books      []market.BookView
	Orders     []market.OrderView
	Deliveries []inbox.Delivery
	AllPeople  string
	AllOrders  string
}

// Found counts what is shown.
func (v searchView) Found() int {
	return len(v.People) + len(v.Books) + len(v.Orders) + len(v.Deliveries)
}

// DeliveryPath leads to a delivery.
func (v searchView) DeliveryPath(d inbox.Delivery) string {
	return "/webhooks/delivery?" + url.Values{"source": {d.Source}, "id": {d.ID}}.Encode()
}

// search serves GET /dashboard/search?q=. Each kind asks the use case that checks what the viewer may see.
func (p *Pages) search(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v := searchView{Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	if utf8.RuneCountInString(v.Query) > maxSearch {
		v.Query = string([]rune(v.Query)[:maxSearch])
	}
	v.Short = web.IsShort(v.Query)
	if v.Query != "" {
		for _, find := range []func(context.Context, user.Caller, *searchView) error{p.findPeople, p.findBooks, p.findOrders, p.findDeliveries} {
			if err := find(r.Context(), by, &v); err != nil && fault.KindOf(err) != fault.Invalid {
				return err
			}
		}
	}
	return p.Show(w, r, http.StatusOK, "search", "Search", v)
}

func (p *Pages) findPeople(ctx context.Context, by user.Caller, v *searchView) error {
	if number, ok := id.Parse(v.Query); ok {
		u, err := p.Identity.Users.Find(ctx, by, user.ID(number))
		switch {
		case err == nil:
			v.People = append(v.People, u)
		case !errors.Is(err, user.ErrNotFound) && !errors.Is(err, user.ErrOtherCampus):
			return err
		}
	}
	page, err := p.Identity.Users.List(ctx, by, account.UserQuery{Search: v.Query, InNames: true, First: shownOfKind})
	for _, u := range page.Users {
		if len(v.People) == 0 || v.People[0].ID != u.ID {
			v.People = append(v.People, u)
		}
	}
	if page.HasNext {
		v.AllPeople = "/dashboard/people?" + url.Values{"search": {v.Query}}.Encode()
	}
	return err
}

// findBooks finds books for sale as students do, but those of the viewer, too, and all others by what identifies them.
func (p *Pages) findBooks(ctx context.Context, by user.Caller, v *searchView) error {
	found, err := p.Market.BookAdmin.Find(ctx, by, v.Query, shownOfKind)
	if err != nil {
		return err
	}
	v.Books = found
	sold, _, err := p.Market.Catalogue.Search(ctx, user.Caller{}, v.Query, finding.Filter{University: by.Campus()}, market.Page{Limit: shownOfKind})
	known := map[book.ID]bool{}
	for _, b := range found {
		known[b.ID] = true
	}
	for _, b := range sold {
		if !known[b.ID] && hasWords(b.Book, v.Query) {
			v.Books = append(v.Books, b)
		}
	}
	return err
}

// hasWords reports whether a book has all words of a text, or words that begin or end like them. Students also get what they may
// have meant, which would be other books beside the person who is looked for.
func hasWords(b book.Book, typed string) bool {
	all := book.TitleKey(b.Name + " " + b.Authors + " " + b.Course + " " + string(b.ISBN))
	for _, word := range text.Words(typed) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

func (p *Pages) findOrders(ctx context.Context, by user.Caller, v *searchView) error {
	if number, ok := id.Parse(v.Query); ok {
		found, err := p.Market.Orders.Review(ctx, by, []order.ID{order.ID(number)})
		if err != nil {
			return err
		}
		v.Orders = append(v.Orders, found...)
	}
	all, next, err := p.Market.Orders.ListAll(ctx, by, buying.OrderFilter{Search: v.Query}, market.Page{Limit: shownOfKind})
	v.Orders = append(v.Orders, all...)
	if next != "" {
		v.AllOrders = "/dashboard/orders?" + url.Values{"search": {v.Query}}.Encode()
	}
	return err
}

// findDeliveries finds the delivery with an id. Deliveries tell of all universities.
func (p *Pages) findDeliveries(ctx context.Context, by user.Caller, v *searchView) error {
	if p.FindDelivery == nil || !by.Oversees("") {
		return nil
	}
	d, err := p.FindDelivery(ctx, "", v.Query)
	switch {
	case err == nil:
		v.Deliveries = append(v.Deliveries, d)
	case !errors.Is(err, inbox.ErrNotFound) && !errors.Is(err, inbox.ErrPayloadDamaged):
		return err
	}
	return nil
}
