package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

// painting is what a browser measured of a page.
type painting struct {
	Largest float64 // milliseconds until the largest part was painted
	Shift   float64
	Page    int // compressed bytes of the page, and of the largest picture of a card
	Picture int
	Markup  int
}

// paint opens a page and measures how it appears.
func (b *tab) paint(path string) (p painting) {
	b.t.Helper()
	b.open(path)
	b.await(`String(performance.getEntriesByName("first-contentful-paint").length)`, "1")
	b.evaluate(`(() => {
		window.painted = { Largest: 0, Shift: 0 }
		new PerformanceObserver((l) => l.getEntries().forEach((e) => { painted.Largest = Math.max(painted.Largest, e.startTime) })).observe({ type: "largest-contentful-paint", buffered: true })
		new PerformanceObserver((l) => l.getEntries().forEach((e) => { painted.Shift += e.value })).observe({ type: "layout-shift", buffered: true })
		return ""
	})()`)
	b.await(`painted.Largest > 0 && [...document.images].filter((i) => i.loading != "lazy").every((i) => i.complete) ? "painted" : ""`, "painted")
	says := b.evaluate(`JSON.stringify({ ...painted, Page: performance.getEntriesByType("navigation")[0].encodedBodySize,
		Markup: performance.getEntriesByType("navigation")[0].decodedBodySize,
		Picture: Math.max(0, ...performance.getEntriesByType("resource").filter((r) => /thumb$|covers/.test(r.name)).map((r) => r.encodedBodySize)) })`)
	if err := json.Unmarshal([]byte(says), &p); err != nil {
		b.t.Fatalf("%v: %s", err, says)
	}
	return p
}

// aPhoto is as large as that of a phone and has as much detail as the cover of a book.
func aPhoto(t *testing.T, kind int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 1200, 1600))
	for y := range 1600 {
		for x := range 1200 {
			wave := 60 * math.Sin(float64(x*(kind+3))/90) * math.Cos(float64(y)/70)
			grain := float64((x*7919+y*104729+x*y)%17) - 8
			tone := uint8(120 + wave + grain)
			if y/40%4 == 1 && x > 150 && x < 1050 && (x/12+y/9+kind)%3 == 0 { // lines of text
				tone = 20
			}
			m.Set(x, y, color.RGBA{tone, tone / 2, 255 - tone, 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Figures are printed with -v: how long something takes depends on the machine.
func TestPagesOfALargeCampusAppearAtOnceAndStandStill(t *testing.T) {
	deep.Only(t, "loads a campus of 100,000 books")
	s := e2e.Start(t)
	s.Stop()
	if out, code := s.Octavo("demo", "--books", "100000", "--users", "2000"); code != 0 {
		t.Fatal(out)
	}
	s.Restart()
	ada := s.Student("ada@northfield.example.edu", "Ada")
	ada.Must(t, 200, "POST", "/api/auth/updateProfile", map[string]any{"university": demoUniversity})
	id := ""
	for i := range 24 {
		id = ada.Post(t, fmt.Sprintf("Introduction to Crystallography, Part %d", i), "PHY 210")
		for range 1 + i%2 {
			if _, _, err := addPhoto(ada, id, aPhoto(t, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Student("ben@northfield.example.edu", "Ben").Must(t, 200, "POST", "/api/auth/updateProfile", map[string]any{"university": demoUniversity})
	b := openBrowser(t, s.URL)
	for _, who := range []string{"visitor", "student"} {
		if who == "student" {
			b.signIn("ben@northfield.example.edu")
		}
		for _, width := range []int64{390, 1280} {
			b.do(chromedp.EmulateViewport(width, 844))
			for _, path := range []string{"/", "/?q=introduction", "/?q=crystallography", "/book?id=" + id} {
				b.appears(fmt.Sprintf("%s as a %s at %d px", path, who, width), path)
			}
		}
	}
}

// appears requires that a page stands still and is small, and prints what was measured.
func (b *tab) appears(what, path string) {
	b.t.Helper()
	var largest []float64
	for range 5 {
		p := b.paint(path)
		largest = append(largest, p.Largest)
		if p.Shift >= 0.02 || p.Page > 12<<10 || p.Page == p.Markup || p.Picture > 25<<10 {
			b.t.Errorf("%s: %+v", what, p)
		}
		if len(largest) == 5 {
			slices.Sort(largest)
			b.t.Logf("%s: largest paint after %.0f ms, shift %.3f, %d bytes, its largest picture %d", what, largest[2], p.Shift, p.Page, p.Picture)
		}
	}
}
