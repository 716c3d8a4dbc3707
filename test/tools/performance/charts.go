package main

import "fmt"

// charts returns the pictures by the names of their files.
func charts(all figures) map[string]string {
	return map[string]string{
		"performance-identity.svg": identityChart(all).svg(),
		"performance-market.svg":   marketChart(all).svg(),
		"performance-growth.svg":   growthChart(all).svg(),
		"performance-webhooks.svg": webhookChart(all).svg(),
	}
}

// add appends a bar for each cell that was measured.
func (c *barChart) add(all figures, label string, cells ...cell) {
	var values []float64
	for _, figure := range cells {
		if n, found := figure.value(all); found {
			values = append(values, n)
		}
	}
	if len(values) > 0 {
		c.bars = append(c.bars, bar{label, values})
	}
}

func identityChart(all figures) *barChart {
	c := &barChart{title: "Processor time of a request to the auth service", unit: "ms", digits: 2}
	for _, r := range identityTable().rows {
		c.add(all, r.label, r.cells...)
		for _, p := range r.beside {
			if p.cell != nil {
				c.add(all, p.text, *p.cell)
			}
		}
	}
	return c
}

func marketChart(all figures) *barChart {
	c := &barChart{title: fmt.Sprintf("Processor time of a request to a market of %s books", number(float64(largest(all)), 0)), unit: "µs"}
	for _, kind := range marketKinds {
		c.add(all, kind.label, of(marketRun(largest(all)), kind.name+": CPU µs", whole))
	}
	return c
}

func webhookChart(all figures) *barChart {
	c := &barChart{title: "Processor time of a delivery", unit: "µs", series: []string{"push, 8 KB", "pull_request, 24 KB"}}
	for _, r := range webhookTable().rows {
		c.add(all, r.label, r.cells...)
	}
	return c
}

// growing are the requests whose growth is drawn.
var growing = []struct{ name, label string }{
	{"first page", "first page"}, {"search, common word", "search, common word"}, {"search, two common words", "search, two words"},
	{"one book", "one book"}, {"dashboard", "dashboard"}, {"page: front", "the front page"}, {"page: search", "the page of a search"},
	{"page: book", "the page of a book"}, {"post with matching", "post with matching"}, {"checkout", "checkout"},
}

func growthChart(all figures) *lineChart {
	c := &lineChart{title: "Processor time of a request by the number of books", unit: "µs", of: "books"}
	for _, kind := range growing {
		l := line{label: kind.label}
		for _, n := range measuredCampuses(all) {
			if y, found := of(marketRun(n), kind.name+": CPU µs", whole).value(all); found && y > 0 {
				l.points = append(l.points, point{float64(n), y})
			}
		}
		if len(l.points) > 0 {
			c.lines = append(c.lines, l)
		}
	}
	return c
}
