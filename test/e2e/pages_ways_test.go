package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
)

// dark is the setting in which pages are printed, enlarged and used by keyboard.
var dark = setting{1280, 800, "dark", "en"}

func TestEveryPageCanBeEnlargedPrintedAndUsedByKeyboard(t *testing.T) {
	deep.Only(t, "visits every page again")
	t.Parallel()
	openCampus(t).visit(func(look, bool) []setting { return []setting{dark} }, func(b *tab, l look, _ setting, _ bool) {
		if thirdPartyPages[l.name] {
			return
		}
		b.enlarged(l.name)
		b.byKeyboard(l.name)
		b.do(chromedp.EmulateViewport(dark.width, dark.height))
		b.onPaper(l.name)
	})
}

// enlarged requires that a page fits a window of 1280 px at 200 %.
func (b *tab) enlarged(name string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(dark.width/2, dark.height/2))
	if scrolls := b.evaluate("document.documentElement.scrollWidth - innerWidth"); scrolls != "0" {
		b.t.Errorf("%s at 200 %% is %s px wider than its window", name, scrolls)
	}
}

// onPaper requires that a page is printed black on white and without what is for clicking.
func (b *tab) onPaper(name string) {
	b.t.Helper()
	b.media("print")
	const wrong = `(() => {
		const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0, body = getComputedStyle(document.body)
		return JSON.stringify([
			...[...document.querySelectorAll("nav, button, input:not([type=hidden]), select, textarea, .skip-link")].filter(shown).map((e) => "shows " + e.outerHTML.slice(0, 120)),
			...[...document.querySelectorAll("h1")].some(shown) ? [] : ["has no heading"],
			...body.backgroundColor == "rgb(255, 255, 255)" && body.color == "rgb(0, 0, 0)" ? [] : ["is " + body.color + " on " + body.backgroundColor],
		])
	})()`
	if found := b.evaluate(wrong); found != "[]" {
		b.t.Errorf("%s on paper: %s", name, found)
	}
	b.media("")
}

// media shows pages as a medium does: "print", or "" for a screen in the dark.
func (b *tab) media(medium string) {
	b.t.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "dark"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.t.Fatal(err)
	}
}

// controls are what a keyboard reaches: one of each group of radio buttons, and nothing that is folded away.
const controls = `(() => {
	window.reached = new Set()
	const named = new Set()
	window.controls = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter((e) => {
		if (e.disabled || e.tabIndex < 0 || !e.checkVisibility({ visibilityProperty: true }) || !e.getClientRects().length) return false
		if (e.type != "radio") return true
		const group = [...document.querySelectorAll("input[type=radio]")].filter((r) => r.name == e.name && r.form == e.form)
		return e == (group.find((r) => r.checked) ?? group[0])
	})
	document.body.tabIndex = -1 // where the Tab key begins
	document.body.focus()
	document.body.removeAttribute("tabindex")
	return String(controls.length)
})()`

// arrived is empty where the keyboard has left the page or begins again, or says what is wrong with the focus.
const arrived = `(() => {
	const e = document.activeElement, before = window.before
	window.before = e
	if (e == before && /^(date|time)/.test(e.type)) return "" // day, month and year
	if (e == document.body || e == document.documentElement || !e || reached.has(e)) return "left"
	reached.add(e)
	const rings = (at, part) => { const s = at && getComputedStyle(at, part); return s && s.outlineStyle != "none" && parseFloat(s.outlineWidth) >= 2 }
	if (!rings(e) && !rings(e, "::after") && !rings(e.closest("label"))) return "no ring around " + e.outerHTML.slice(0, 160)
	const r = e.getClientRects()[0], x = r.x + r.width / 2, y = r.y + r.height / 2
	const top = document.elementFromPoint(Math.min(Math.max(x, 1), innerWidth - 2), Math.min(Math.max(y, 1), innerHeight - 2))
	const over = top && !e.contains(top) && !top.contains(e) && top.closest("label") != e.closest("label") && getComputedStyle(top).pointerEvents != "none"
	return over && !e.closest("label") ? "hidden: " + e.outerHTML.slice(0, 160) + " behind " + top.outerHTML.slice(0, 120) : ""
})()`

// byKeyboard requires that the Tab key reaches every control, that one sees where it is, and that it leaves the page at last.
func (b *tab) byKeyboard(name string) {
	b.t.Helper()
	n := 0
	if _, err := fmt.Sscan(b.evaluate(controls), &n); err != nil {
		b.t.Fatal(err)
	}
	var wrong []string
	for step := 0; ; step++ {
		b.do(chromedp.KeyEvent("\t"))
		says := b.evaluate(arrived)
		if says == "left" {
			break
		}
		if says != "" {
			wrong = append(wrong, says)
		}
		if step > 2*n+20 {
			wrong = append(wrong, "the keyboard does not leave the page")
			break
		}
	}
	var missed []string
	says := b.evaluate(`JSON.stringify(controls.filter((e) => e.isConnected && !reached.has(e)).map((e) => e.outerHTML.slice(0, 160)))`)
	if err := json.Unmarshal([]byte(says), &missed); err != nil {
		b.t.Fatal(err)
	}
	if len(wrong)+len(missed) > 0 {
		b.t.Errorf("%s by keyboard:\n%s\nnever reached: %s", name, strings.Join(wrong, "\n"), strings.Join(missed, "\n"))
	}
}
