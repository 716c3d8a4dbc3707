package demo

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// affairs are the newest book for sale and the newest verified order at the university of the owner and the admin, of which
// neither is a party. Reports about them give the admin something to decide.
type affairs struct {
	offered book.ID
	ordered order.Order
}

// noteBook remembers a book that may be reported.
func (g *generator) noteBook(b book.Book) {
	if b.Status == book.ForSale && g.isFirst(b.University) && b.Seller > admin {
		g.affairs.offered = b.ID
	}
}

// noteOrder remembers an order that may be reported.
func (g *generator) noteOrder(o order.Order) {
	if o.Status == order.Verified && g.isFirst(o.University) && o.Seller > admin && o.Buyer > admin {
		g.affairs.ordered = o
	}
}

func (g *generator) isFirst(university string) bool { return university == g.universities[0].name }

// addReports follows all books and orders. A small campus may be without an order or a book to report.
func (g *generator) addReports(ctx context.Context) error {
	if id := g.affairs.offered; id != 0 {
		g.reportBook(g.draft(id).book)
	}
	if o := g.affairs.ordered; o.ID != 0 {
		g.reportOrder(o)
	}
	if n := len(g.batch.Reports); n > 0 {
		return g.flush(ctx, "reports", n, n)
	}
	return nil
}

func (g *generator) reportBook(b book.Book) {
	at := g.latelyAfter(b.CreatedAt)
	for n := int(admin); n < g.Users; n++ {
		if by := user.ID(n + 1); by != b.Seller && g.isFirst(g.university(n).name) && g.signUpTime(n).Before(at) {
			g.addReport(report.Report{
				Reporter: by, About: b.Seller, Target: report.Target{Kind: report.Book, ID: int64(b.ID)},
				Reason: report.Prohibited, Text: reportedBook, CreatedAt: at,
			}, b)
			return
		}
	}
}

func (g *generator) reportOrder(o order.Order) {
	at := g.latelyAfter(o.VerifiedAt)
	b := g.draft(o.Book).book
	b.Price = o.Price
	g.addReport(report.Report{
		Reporter: o.Buyer, About: o.Seller, Target: report.Target{Kind: report.Order, ID: int64(o.ID)}, Order: o.ID,
		Reason: report.Wrong, Text: reportedOrder, CreatedAt: at,
	}, b)
	g.notify(notification.AboutOrder(notification.ProblemReported, o.Seller, o, at))
}

// addReport completes a report with what its author saw.
func (g *generator) addReport(r report.Report, b book.Book) {
	r.ID, r.University = report.ID(len(g.batch.Reports)+1), b.University
	seen := report.SawBook(b, g.Currency, nil)
	about := g.newUser(int(r.About) - 1).Profile
	r.Seen = report.Seen{Book: &seen, Person: report.SeenPerson{FirstName: about.FirstName, University: about.University}}
	g.batch.Reports = append(g.batch.Reports, r)
}

// latelyAfter is a time since yesterday, after another.
func (g *generator) latelyAfter(t time.Time) time.Time {
	return latest(t.Add(g.Now.Sub(t)/2), g.Now.Add(-30*time.Hour)).Truncate(time.Microsecond)
}
