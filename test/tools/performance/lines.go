package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// lineChart has logarithmic axes: a flat line does not grow, and a steep one as fast as the data.
type lineChart struct {
	title, unit, of string
	lines           []line
}

type line struct {
	label  string
	points []point
}

type point struct{ x, y float64 }

// The area of the lines; the labels of the axes are left of it and below, those of the lines to the right.
const (
	left, right = 84.0, 490.0
	top, bottom = 40.0, 360.0
	lineGap     = 16.0 // between labels
)

func (l *lineChart) svg() string {
	var c canvas
	c.begin(int(bottom)+50, l.title, l.description())
	x, y := l.axes()
	for _, n := range y.ticks() {
		at := y.at(n, bottom, top)
		fmt.Fprintf(&c, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#8b949e" stroke-opacity=".4"/>`+"\n", left, at, right, at)
		c.text(left-6, at+4, "end", number(n, 0)+" "+l.unit, "")
	}
	for _, n := range x.ticks() {
		c.text(x.at(n, left, right), bottom+20, "middle", number(n, 0), "")
	}
	c.text((left+right)/2, bottom+40, "middle", l.of, "")
	ends := make([]float64, len(l.lines))
	for i, one := range l.lines {
		path := make([]string, len(one.points))
		for j, p := range one.points {
			px, py := x.at(p.x, left, right), y.at(p.y, bottom, top)
			path[j] = fmt.Sprintf("%.1f,%.1f", px, py)
			fmt.Fprintf(&c, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, palette[i%len(palette)])
			ends[i] = py
		}
		fmt.Fprintf(&c, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), palette[i%len(palette)])
	}
	for i, at := range apart(ends) {
		last := l.lines[i].points[len(l.lines[i].points)-1]
		c.text(right+10, at+4, "start", fmt.Sprintf("%s: %s %s", l.lines[i].label, number(last.y, 0), l.unit), "")
	}
	return c.end()
}

// apart moves heights down until labels do not cover each other, and up again if they leave the picture.
func apart(heights []float64) []float64 {
	order := make([]int, len(heights))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, heights[a]-heights[b])) })
	moved := slices.Clone(heights)
	for i := 1; i < len(order); i++ {
		moved[order[i]] = math.Max(moved[order[i]], moved[order[i-1]]+lineGap)
	}
	limit := bottom
	for _, i := range slices.Backward(order) {
		moved[i], limit = math.Min(moved[i], limit), math.Min(moved[i], limit)-lineGap
	}
	return moved
}

// axis is a logarithmic scale over whole decades.
type axis struct{ from, to float64 } // logarithms

func (l *lineChart) axes() (x, y axis) {
	x, y = axis{math.Inf(1), math.Inf(-1)}, axis{math.Inf(1), math.Inf(-1)}
	for _, one := range l.lines {
		for _, p := range one.points {
			x.include(math.Log10(p.x))
			y.include(math.Floor(math.Log10(p.y)))
			y.include(math.Ceil(math.Log10(p.y)))
		}
	}
	return x, y
}

func (a *axis) include(n float64) { a.from, a.to = math.Min(a.from, n), math.Max(a.to, n) }

// at maps a number to a place between two others.
func (a axis) at(n, begin, end float64) float64 {
	if a.to <= a.from {
		return (begin + end) / 2
	}
	return begin + (math.Log10(n)-a.from)/(a.to-a.from)*(end-begin)
}

// ticks are the powers of ten on the axis.
func (a axis) ticks() (all []float64) {
	for n := math.Ceil(a.from); n <= a.to; n++ {
		all = append(all, math.Pow(10, n))
	}
	return all
}

// description is the chart in words.
func (l *lineChart) description() string {
	all := make([]string, len(l.lines))
	for i, one := range l.lines {
		steps := make([]string, len(one.points))
		for j, p := range one.points {
			steps[j] = fmt.Sprintf("%s %s with %s %s", number(p.y, 0), l.unit, number(p.x, 0), l.of)
		}
		all[i] = one.label + ": " + strings.Join(steps, ", ")
	}
	return strings.Join(all, "; ") + "."
}
