// Package findingpages has the pages of those who look for books: the front page, titles, requests, courses, used books and saved searches.
package findingpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct {
	*web.Pages
	campuses campusShelves // of the front page
	wanted   wantedBooks
}

// Features returns what the pages of this room bring.
func Features(site *web.Pages) []web.Feature {
	p := &Pages{Pages: site}
	return []web.Feature{
		p.bookPages(), p.requestPages(), p.coursePages(), p.usedBookPages(), p.courseListPages(), p.searchPages(),
	}
}

// Front returns the home page, which also exists without the marketplace.
func Front(site *web.Pages) web.Feature { return (&Pages{Pages: site}).frontPages() }
