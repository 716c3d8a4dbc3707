package web

import (
	"net/http"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// ComponentPages shows in development every part that pages share, in all its states.
func (p *Pages) ComponentPages() (f Feature) {
	if p.Mailbox != nil {
		f.Routes = []*Route{Get("/dev/components", p.ForAnybody(p.components))}
	}
	return f
}

type componentsView struct {
	Fields          []Field
	Form            Form
	Books           []*BookFacts
	Hint            *PriceHintView
	Orders          []market.OrderView
	BookStatuses    []book.Status
	OrderStatuses   []order.Status
	Here            string
	Near, Day, Past time.Time
	Narrowed        sampleNarrowed
	Drawn           *BookFacts // a book without photos
	Lists           []sampleList
	One, Many       market.Count
	Problems        []Problem
}

// sampleNarrowed is a list with filters, sampleList a list of books as a student or a visitor sees it.
type (
	sampleNarrowed struct {
		Campus struct {
			Own, OwnPath, AllPath string
			ShowsOwn, ShowsAll    bool
		}
		Chips    []sampleChip
		ClearAll string
	}
	sampleChip struct {
		Label, Value string
		Translated   bool
		Path         string
	}
	sampleList struct {
		Titles  []sampleTitle
		Student bool
		Here    string
	}
	sampleTitle struct {
		Path           string
		Book           *BookFacts
		Own            bool
		Lowest, Copies string
	}
)

// components serves GET /dev/components.
func (p *Pages) components(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	lang, now := LangOf(r), p.Clock.Now()
	f := p.FormatIn(lang)
	v := componentsView{
		Fields: sampleFields(), Books: sampleBooks(f.Lang), Here: r.URL.Path, Near: now.Add(-5 * time.Minute), Day: now.Add(-4 * time.Hour), Past: now.AddDate(-1, 0, 0),
		Form:         Form{Action: "/dev/components", UseGet: true, Button: "Save", Second: &Option{Value: "/dev/components", Label: "Preview"}, Fields: sampleFields()[:1], Error: "Some fields are invalid."},
		BookStatuses: []book.Status{book.ForSale, book.Bought, book.Verified, book.Delivered, book.Unlisted},
		Hint:         newPriceHintView(f, order.PriceHint{Basis: book.ByISBN, Count: 12, Low: 28_00, Median: 31_00, High: 35_00}, 32_00),
	}
	v.addLists(lang)
	v.Problems = sampleProblems(v.Here, v.Day, now)
	for _, s := range []order.Status{order.Placed, order.Verified, order.Delivered, order.Cancelled} {
		v.OrderStatuses = append(v.OrderStatuses, s)
		o := market.OrderView{Order: order.Order{Status: s, CreatedAt: v.Past}}
		if s == order.Verified || s == order.Delivered {
			o.VerifiedAt = v.Day
		}
		if s == order.Delivered {
			o.DeliveredAt = v.Near
		}
		v.Orders = append(v.Orders, o)
	}
	return p.Show(w, r, http.StatusOK, "components", "Components", v)
}

// addLists adds what lists of books consist of.
func (v *componentsView) addLists(lang user.Lang) {
	v.One, v.Many, v.Drawn = market.Count{N: 1}, market.Count{N: 1000, More: true}, v.Books[0]
	v.Narrowed.Campus.Own, v.Narrowed.Campus.OwnPath, v.Narrowed.Campus.AllPath, v.Narrowed.Campus.ShowsOwn = "Campus", v.Here, v.Here, true
	v.Narrowed.Chips, v.Narrowed.ClearAll = []sampleChip{{"", book.Good.String(), true, v.Here}, {"up to %s", "$60.00", false, v.Here}}, v.Here
	for _, student := range []bool{true, false} {
		v.Lists = append(v.Lists, sampleList{Student: student, Here: v.Here, Titles: []sampleTitle{
			{Path: v.Here, Book: v.Books[0], Lowest: "from $24.00", Copies: CopiesIn(lang, market.Count{N: 3})}, {Path: v.Here, Book: v.Books[1]},
			{Path: v.Here, Book: v.Books[2], Own: student},
		}})
	}
}

// sampleFields are fields of every type and state.
func sampleFields() []Field {
	choices := ConditionOptions()
	return []Field{
		{Name: "name", Label: "Title", Value: "Calculus", Hint: "As on the cover."},
		{Name: "wrong", Label: "Course", Value: " ", Error: "Must be 1 to 40 characters."},
		{Name: "optional", Label: "Authors", Optional: true},
		{Name: "fixed", Label: "University", Value: "Campus", Fixed: true},
		{Name: "isbn", Label: "ISBN", InputMode: "numeric", Barcode: true, Optional: true},
		{Name: "lines", Label: "Comments", Type: "lines", Max: book.MaxComments, Optional: true},
		{Name: "choice", Label: "Condition", Type: "choice", Options: choices},
		{Name: "grades", Label: "Condition", Type: "grades", Options: choices[1:], Value: book.Good.String()},
		{Name: "check", Label: "Stay signed in on this device", Type: "check", Optional: true},
		{Name: "date", Label: "Available from", Type: "date", Optional: true},
	}
}

// sampleBooks are cards with a short and a long title.
func sampleBooks(lang user.Lang) (all []*BookFacts) {
	for i, name := range []string{"Calculus", "An Introduction to the Theory of Everything That Students Have to Know Before Their First Examination", "Topology"} {
		c := book.Conditions()[2*i]
		all = append(all, &BookFacts{
			ID: "0", Name: name, Course: "MATH 165", Where: "Campus", University: "Campus", Price: "$32.00", Cover: "/static/icon-512.png", Eager: true,
			Edition: Translate(lang, "edition %d", i+1), Number: i + 1, Condition: Translate(lang, c.String()), Meaning: Translate(lang, c.Meaning()),
		})
	}
	return all
}

// sampleProblems are an open and a closed report about an order, the first with photos and a case.
func sampleProblems(here string, made, closed time.Time) []Problem {
	open, done := Problem{Why: ReportReasons[report.Wrong], Case: here}, Problem{Why: ReportReasons[report.Other]}
	open.ReporterName, open.Text, open.CreatedAt, open.Photos = "Anna", open.Why, made, make([]report.Photo, 2)
	done.CreatedAt, done.ResolvedAt = made, closed
	return []Problem{open, done}
}
