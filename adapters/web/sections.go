package web

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/user"
)

// menuSection is a part of the sidebar of the dashboard.
type menuSection struct {
	Head  string // "": none
	Links []sectionLink
}

// sectionLink is a link of the sidebar.
type sectionLink struct {
	Link
	Current string       // the value of aria-current: "page", or "true" on the pages below it; "" on others
	Waiting market.Count // what waits there
}

// sectionHeads are the sections of the dashboard, with the position in the menu where each ends.
var sectionHeads = []struct {
	Head string
	end  int
}{{"", 20}, {"To do", 30}, {"Market", 90}, {"People", 100}, {"System", 1000}}

// sectionsOf returns the links of the dashboard for the viewer of a page.
func (p *Pages) sectionsOf(by user.Caller, path string, w Waiting) (all []menuSection) {
	entries := p.entriesOf(by, Admins, Owners)
	current := ""
	for _, r := range entries {
		if isBelow(path, r.Path) && len(r.Path) > len(current) {
			current = r.Path
		}
	}
	waiting := map[string]market.Count{QueuePath: w.orders(), ReportsPath: w.Reports}
	at := 0
	for _, s := range sectionHeads {
		section := menuSection{Head: s.Head}
		for ; at < len(entries) && entries[at].menu.position < s.end; at++ {
			r := entries[at]
			link := sectionLink{Link: r.link(), Waiting: waiting[r.Path]}
			switch r.Path {
			case path:
				link.Current = "page"
			case current:
				link.Current = "true"
			}
			section.Links = append(section.Links, link)
		}
		if len(section.Links) > 0 {
			all = append(all, section)
		}
	}
	return all
}

// isBelow reports whether a page is another or below it. All are below the dashboard itself, which no page names as its parent.
func isBelow(path, above string) bool {
	return path == above || above != "/dashboard" && strings.HasPrefix(path, above+"/")
}

// Waiting counts what waits for staff.
type Waiting struct{ Check, HandOver, Settle, Reports market.Count }

// orders counts the orders at all stages.
func (w Waiting) orders() market.Count { return sum(w.Check, w.HandOver, w.Settle) }

// All counts everything.
func (w Waiting) All() market.Count { return sum(w.orders(), w.Reports) }

func sum(counts ...market.Count) (all market.Count) {
	for _, c := range counts {
		all.N += c.N
		all.More = all.More || c.More
	}
	return all
}

// waitingOn is what waits for the viewer of a page, which may have counted it.
func (p *Pages) waitingOn(r *http.Request, by user.Caller, page any) Waiting {
	if counted, ok := page.(interface{ CountedWaiting() Waiting }); ok {
		return counted.CountedWaiting()
	}
	return p.WaitingFor(r, by)
}

// WaitingFor counts what waits for an admin. The page is shown without the numbers that cannot be read.
func (p *Pages) WaitingFor(r *http.Request, by user.Caller) (w Waiting) {
	if p.Market == nil {
		return w
	}
	orders, err := p.Market.Orders.CountWaiting(r.Context(), by)
	if err != nil {
		p.LogFailure(r, "count the orders of the queue", err)
	}
	w.Check, w.HandOver, w.Settle = orders[buying.ToCheck], orders[buying.ToHandOver], orders[buying.ToSettle]
	if w.Reports.N, err = p.Market.Moderation.CountOpen(r.Context(), by); err != nil {
		p.LogFailure(r, "count reports", err)
	}
	return w
}

// The pages on which something waits.
const (
	QueuePath   = "/dashboard/orders/queue"
	ReportsPath = "/dashboard/reports"
)

// DashboardSearchPath is the page on which staff look for everything.
const DashboardSearchPath = "/dashboard/search"

// QueueTab is one of the lists of what waits.
type QueueTab struct {
	Path, Label string
	Waiting     market.Count
	Current     bool
}

// Tabs are the lists of what waits, with the one that the page shows: "check", "handover", "settle" or "answer".
func (w Waiting) Tabs(shown string) []QueueTab {
	return []QueueTab{
		{Path: QueuePath, Label: "To check", Waiting: w.Check, Current: shown == "check"},
		{Path: QueuePath + "?status=2", Label: "To hand over", Waiting: w.HandOver, Current: shown == "handover"},
		{Path: QueuePath + "?stage=settle", Label: "To settle", Waiting: w.Settle, Current: shown == "settle"},
		{Path: ReportsPath, Label: "To answer", Waiting: w.Reports, Current: shown == "answer"},
	}
}
