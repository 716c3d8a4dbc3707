package e2e_test

import (
	"testing"

	browserpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// aCamera shows something at once, and a detector reads the text from it. Headless Chromium has neither.
func aCamera(text string) string {
	return `window.BarcodeDetector = class {
		static async getSupportedFormats() { return ["ean_13", "qr_code"]; }
		async detect() { return [{ rawValue: "` + text + `" }]; }
	};
	navigator.mediaDevices.getUserMedia = async () => {
		const canvas = document.createElement("canvas");
		canvas.getContext("2d").fillRect(0, 0, 9, 9);
		return canvas.captureStream();
	};`
}

// sees gives a phone a camera, for all pages that it opens from now on.
func (p *aPhone) sees(text string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, browserpage.AddScriptToEvaluateOnNewDocument, browserpage.AddScriptToEvaluateOnNewDocumentParams{Source: aCamera(text)}); err != nil {
		p.t.Fatal(err)
	}
}

// enters taps a field and types.
func (p *aPhone) enters(name, text string) {
	p.t.Helper()
	p.tap(`[name="` + name + `"]`)
	p.typed(name, text)
}

// aSeller is at the front page, and what an ISBN means is known.
func aSeller(t *testing.T) *aPhone {
	t.Helper()
	s := e2e.StartWith(t, isbnTable(t, "0-306-40615-2,Signals,2,EE 1\n"), "market")
	s.Student("ben@campus.edu", "Ben")
	return phoneOf(t, s, "ben@campus.edu", "light")
}

const toSell = `.places a[href="/sell"]`

// lists says in what condition the book is and what it costs, and lists it.
func (p *aPhone) lists() {
	p.t.Helper()
	p.await(`document.querySelector("[name=name]").value`, "Signals")
	p.tap(`.grades label:has([value="Good"])`)
	p.enters("price", "20")
	p.tap(`form[method="post"][action="/sell"] button[type="submit"]`)
	p.text("Your book is listed.")
	if p.taps > 6 {
		p.t.Errorf("it takes %d taps to sell, want six", p.taps)
	}
}

func TestABookWithABarcodeIsSoldInAFewTaps(t *testing.T) {
	t.Parallel()
	ben := aSeller(t)
	ben.sees("9780306406157")
	ben.open("/")
	ben.tap(toSell)
	ben.tap(`.scan button`)
	ben.lists()
}

func TestABookWithATypedISBNIsSoldInAFewTapsWithoutScripts(t *testing.T) {
	t.Parallel()
	ben := aSeller(t)
	ben.do(withoutScript())
	ben.scriptless = true
	ben.open("/")
	ben.tap(toSell)
	ben.enters("isbn", "9780306406157\r")
	ben.taps++ // the key of the keyboard that sends, which a scanner for barcodes presses itself
	ben.lists()
}

func TestPhotosStayWhileTheBarcodeIsScanned(t *testing.T) {
	t.Parallel()
	ben := aSeller(t)
	ben.sees("9780306406157")
	ben.open("/sell")
	ben.await(chosen, "chosen")
	ben.await(`document.querySelectorAll(".tray canvas").length + " photos"`, "2 photos")
	ben.tap(`.scan button`)
	ben.await(`document.querySelector("[name=name]").value`, "Signals")
	ben.await(`document.querySelectorAll(".tray canvas").length + " photos"`, "2 photos")
	ben.await("location.search", "isbn=9780306406157")
	ben.lists()
	ben.await(`document.querySelectorAll(".photos img").length + " photos"`, "2 photos")
}
