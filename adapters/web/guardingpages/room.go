// Package guardingpages has the pages of those who watch over the others: the dashboard, the history of books, reports and their cases.
package guardingpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct{ *web.Pages }

// Features returns what the pages of this room bring.
func Features(site *web.Pages) []web.Feature {
	p := &Pages{site}
	return []web.Feature{
		p.dashboardPages(), p.setupPages(), p.searchPages(), p.bookAdminPages(), p.reportPages(), p.problemPages(), p.reportCasePages(),
	}
}
