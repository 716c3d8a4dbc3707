package sellingpages

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// expiryPages lets owners take old books off sale.
func (p *Pages) expiryPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/dashboard/tidy", p.ForOwners(p.showExpire)).InMenu(85, "Unlist old books", ""), web.Post("/dashboard/tidy", p.ForOwners(p.expire)),
		},
		Flashes: map[string]string{"tidied": "The books were unlisted and their sellers notified."},
	}
}

// defaultExpireDays is the age of books, in days, that the form suggests.
const defaultExpireDays = 62

type expireView struct {
	Days      string
	Error     string
	Previewed bool
	Count     int
	Uncounted bool        // there are more than Count
	Books     []book.Book // the first of them
	Columns   []web.Column
}

// previewColumns are the columns of the preview, in their order.
var previewColumns = []web.Sortable[book.Book]{
	web.SortBy("title", "Title", func(b book.Book) string { return book.TitleKey(b.Name) }),
	web.SortBy("course", "Course", func(b book.Book) string { return text.Key(b.Course) }),
	web.SortBy("price", "Price", func(b book.Book) money.Amount { return b.Price }),
	web.SortBy("university", "University", func(b book.Book) string { return text.Key(b.University) }),
	web.SortBy("listed", "Listed", func(b book.Book) int64 { return b.ListedAt.Unix() }),
}

// showExpire serves GET /dashboard/tidy. With ?days= it previews what would be
// unlisted.
func (p *Pages) showExpire(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.URL.Query().Get("days")
	lang, status := web.LangOf(r), http.StatusOK
	v := expireView{Days: strconv.Itoa(defaultExpireDays)}
	if typed != "" {
		v.Days, v.Previewed = typed, true
		found, err := p.Market.ExpireListings.Preview(r.Context(), by, daysOf(typed))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				return err
			}
			v.Previewed, v.Error, status = false, web.ErrorMessage(lang, err), httpx.Status(err)
		}
		v.Count, v.Uncounted = found.Count, found.Count == selling.MaxCounted
		v.Books, v.Columns = web.SortRows(r, "books", found.Books, previewColumns)
	}
	return p.Show(w, r, status, "expire", "Unlist old books", v)
}

// expire serves POST /dashboard/tidy.
func (p *Pages) expire(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Market.ExpireListings.Do(r.Context(), by, daysOf(r.PostForm.Get("days")), false)
	return p.Done(w, r, err, "/dashboard/tidy", "tidied")
}

// daysOf parses an age. It returns -1 for an invalid text, which the use case
// rejects.
func daysOf(typed string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return -1
	}
	return n
}
