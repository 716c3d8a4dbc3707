package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// expiryPages lets owners take old books off sale.
func (p *Pages) expiryPages() feature {
	return feature{
		routes: []*Route{
			get("/dashboard/tidy", p.forOwners(p.showExpire)).inMenu(100, "Unlist old books", ""), post("/dashboard/tidy", p.forOwners(p.expire)),
		},
		flashes: map[string]string{"tidied": "The books were unlisted and their sellers notified."},
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
	Columns   []column
}

// previewColumns are the columns of the preview, in their order.
var previewColumns = []sortable[book.Book]{
	sortBy("title", "Title", func(b book.Book) string { return book.TitleKey(b.Name) }),
	sortBy("course", "Course", func(b book.Book) string { return book.Key(b.Course) }),
	sortBy("price", "Price", func(b book.Book) money.Amount { return b.Price }),
	sortBy("university", "University", func(b book.Book) string { return book.Key(b.University) }),
	sortBy("listed", "Listed", func(b book.Book) int64 { return b.ListedAt.Unix() }),
}

// showExpire serves GET /dashboard/tidy. With ?days= it previews what would be
// unlisted.
func (p *Pages) showExpire(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.URL.Query().Get("days")
	lang, status := langOf(r), http.StatusOK
	v := expireView{Days: strconv.Itoa(defaultExpireDays)}
	if typed != "" {
		v.Days, v.Previewed = typed, true
		found, err := p.Market.ExpireListings.Preview(r.Context(), by, daysOf(typed))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				return err
			}
			v.Previewed, v.Error, status = false, errorMessage(lang, err), httpx.Status(err)
		}
		v.Count, v.Uncounted = found.Count, found.Count == selling.MaxCounted
		v.Books, v.Columns = sortRows(r, "books", found.Books, previewColumns)
	}
	return p.show(w, r, status, "expire", "Unlist old books", v)
}

// expire serves POST /dashboard/tidy.
func (p *Pages) expire(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Market.ExpireListings.Do(r.Context(), by, daysOf(r.PostForm.Get("days")), false)
	return p.done(w, r, err, "/dashboard/tidy", "tidied")
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
