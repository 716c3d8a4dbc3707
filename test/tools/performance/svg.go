package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Pictures are 760 wide: a page of the documentation, or of a code host.
const (
	width     = 760
	labels    = 290 // of bars
	rowHeight = 22
	barHeight = 14
)

// palette are colours that stand out from a white and from a black page.
var palette = []string{"#2f6feb", "#b8651b", "#1a7f37", "#8957e5"}

// canvas collects the elements of a picture. Texts are grey where the style does not apply, which
// can be read on both kinds of pages, too.
type canvas struct{ strings.Builder }

func (c *canvas) begin(height int, title, description string) {
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"
 role="img" aria-labelledby="t d" font-family="system-ui, sans-serif" font-size="13">
<title id="t">%s</title>
<desc id="d">%s</desc>
<style>text { fill: #24292f } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }</style>
`, width, height, width, height, html.EscapeString(title), html.EscapeString(description))
	c.text(4, 18, "start", title, ` font-weight="600"`)
}

func (c *canvas) text(x, y float64, anchor, text, more string) {
	fmt.Fprintf(c, `<text x="%.0f" y="%.0f" text-anchor="%s" fill="#767c85"%s>%s</text>`+"\n", x, y, anchor, more, html.EscapeString(text))
}

func (c *canvas) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(c, `<rect x="%.0f" y="%.0f" width="%.1f" height="%.0f" rx="2" fill="%s"/>`+"\n", x, y, math.Max(w, 1), h, fill)
}

func (c *canvas) end() string { return c.String() + "</svg>\n" }

// barChart is a list of horizontal bars, or of groups of them.
type barChart struct {
	title, unit string
	digits      int
	series      []string
	bars        []bar
}

type bar struct {
	label  string
	values []float64
}

func (b *barChart) svg() string {
	var c canvas
	greatest, rows := 1e-9, 0
	for _, one := range b.bars {
		greatest, rows = math.Max(greatest, slices.Max(one.values)), rows+len(one.values)
	}
	c.begin(46+rows*rowHeight, b.title, b.description())
	x := float64(labels + 10)
	for i, name := range b.series {
		c.rect(x, 26, 10, 10, palette[i])
		c.text(x+16, 36, "start", name, "")
		x += 160
	}
	y := 44.0
	for _, one := range b.bars {
		c.text(labels, y+12, "end", one.label, "")
		for i, n := range one.values {
			long := n / greatest * (width - labels - 100)
			c.rect(labels+10, y, long, barHeight, palette[i])
			c.text(labels+16+long, y+12, "start", number(n, b.digits)+" "+b.unit, "")
			y += rowHeight
		}
	}
	return c.end()
}

// description is the chart in words.
func (b *barChart) description() string {
	all := make([]string, len(b.bars))
	for i, one := range b.bars {
		all[i] = one.label + ": "
		for j, n := range one.values {
			if j > 0 {
				all[i] += " and "
			}
			all[i] += number(n, b.digits)
		}
		all[i] += " " + b.unit
	}
	return strings.Join(all, "; ") + "."
}
