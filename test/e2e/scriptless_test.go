package e2e_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	xdraw "golang.org/x/image/draw"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

// journey is what students and staff do on phones, from the sign-up to the settlement of a sale.
type journey struct {
	aMeeting
	t      *testing.T
	script bool
	films  map[string][]image.Image // the screens of a flow
}

// TestStudentsTradeWithoutScripts walks through the market with pages that run no script.
func TestStudentsTradeWithoutScripts(t *testing.T) {
	deep.Only(t, "repeats in one browser without scripts what others do with them")
	t.Parallel()
	w := newJourney(t, false)
	w.trade()
}

// `go tool task screenshots` runs this test to write the picture strips of the documents.
func TestThePicturesOfTheFlowsAreTakenAnew(t *testing.T) {
	dir := os.Getenv("OCTAVO_PICTURES")
	if dir == "" {
		t.Skip("OCTAVO_PICTURES names no folder to write them to")
	}
	w := newJourney(t, true)
	w.films = map[string][]image.Image{}
	w.trade()
	for flow, screens := range w.films {
		write(t, filepath.Join(dir, "flow-"+flow+".png"), string(strip(t, screens)))
	}
}

func newJourney(t *testing.T, script bool) *journey {
	t.Helper()
	s := e2e.StartWith(t, []string{"HANDOVER=meet", "CAMPUS_TIMEZONE=America/New_York"})
	w := &journey{aMeeting{Server: s, ben: s.Student("ben@campus.edu", "Ben"), dean: s.Student("dean@campus.edu", "Dean")}, t, script, nil}
	s.Promote("dean@campus.edu", "admin")
	var place struct{ ID string }
	w.dean.Must(t, http.StatusOK, "POST", "/api/dashboard/savePlace", map[string]any{
		"university": "University of Rochester", "name": "Library, main entrance", "hours": "day and night", "openingHours": "Mo-Su 00:00-24:00",
	}).Data(t, &place)
	w.place = place.ID
	return w
}

// phone opens a browser of the size of a phone.
func (w *journey) phone(theme string) *tab {
	b := openBrowser(w.t, w.URL)
	if !w.script {
		b.do(withoutScript())
		b.scriptless = true
	}
	b.see(setting{390, 700, theme, "en"})
	return b
}

// film adds what the window shows to a flow, if the walk is filmed.
func (w *journey) film(b *tab, flow string) {
	w.t.Helper()
	if w.films == nil {
		return
	}
	const loaded = `String([...document.images].every(i => {
		const at = i.getBoundingClientRect()
		return i.complete || !at.width || at.top > innerHeight || at.bottom < 0 || at.left > innerWidth // which are loaded later
	}))`
	b.await(loaded, "true")
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.t.Fatal(err)
	}
	screen, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		w.t.Fatal(err)
	}
	w.films[flow] = append(w.films[flow], screen)
}

// strip joins the screens of a flow, each two thirds as large.
func strip(t *testing.T, screens []image.Image) []byte {
	t.Helper()
	const width, height, gap = 260, 467, 12
	all := image.NewRGBA(image.Rect(0, 0, len(screens)*(width+gap)-gap, height))
	draw.Draw(all, all.Rect, image.White, image.Point{}, draw.Src)
	for i, s := range screens {
		at := image.Rect(0, 0, width, height).Add(image.Pt(i*(width+gap), 0))
		xdraw.CatmullRom.Scale(all, at, s, s.Bounds(), draw.Src, nil)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bookOnATable writes a picture of a book.
func bookOnATable(t *testing.T) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 900, 700))
	for _, part := range []struct {
		r image.Rectangle
		c color.RGBA
	}{
		{m.Rect, color.RGBA{0xc9, 0xa8, 0x7c, 0xff}}, {image.Rect(250, 60, 680, 650), color.RGBA{0x1f, 0x5c, 0x3a, 0xff}},
		{image.Rect(250, 60, 275, 650), color.RGBA{0x14, 0x3d, 0x27, 0xff}}, {image.Rect(330, 150, 620, 190), color.RGBA{0xf4, 0xee, 0xe0, 0xff}},
		{image.Rect(330, 215, 540, 240), color.RGBA{0xf4, 0xee, 0xe0, 0xff}}, {image.Rect(400, 360, 550, 510), color.RGBA{0xe0, 0xb4, 0x4a, 0xff}},
	} {
		draw.Draw(m, part.r, image.NewUniform(part.c), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "book.png")
	write(t, path, b.String())
	return path
}

// trade walks through all of it.
func (w *journey) trade() {
	ada, ben, dean := w.phone("light"), w.phone("light"), w.phone("light")
	w.signsUp(ada)
	w.sells(ada)
	ben.signIn("ben@campus.edu")
	w.findsAndBuys(ben, ada)
	w.meet(ben, ada)
	w.settles(ben, dean)
}

func (w *journey) signsUp(ada *tab) {
	ada.open("/signup")
	ada.typed("email", "ada@campus.edu", "password", e2e.Password, "firstName", "Ada", "lastName", "Byron", "university", "University of Rochester\r")
	ada.text("Check your email")
	ada.do(chromedp.Navigate(*w.Mail("ada@campus.edu", "verification").Link), chromedp.Click(chromedp.CSS("form button")))
	ada.text("Welcome! Your address is confirmed, and you are signed in.")
}

// sells lists a book with a photo, which is chosen before with a script and added after without one.
func (w *journey) sells(ada *tab) {
	picture := []string{bookOnATable(w.t)}
	ada.open("/sell")
	w.film(ada, "sell")
	if w.script {
		ada.do(chromedp.SetUploadFiles(chromedp.CSS("#f-tray"), picture))
		ada.await(`document.querySelectorAll(".tray canvas").length + " photos"`, "1 photos")
		ada.evaluate(`document.querySelector(".tray").scrollIntoView()`)
		w.film(ada, "sell")
	}
	ada.typed("name", "Linear Algebra", "course", "MTH 165", "edition", "5", "condition", "Good", "price", "42.50", "campusMailbox", "12", "paymentUsername", "ada")
	w.film(ada, "sell")
	ada.press("/sell")
	ada.text("Your book is listed.")
	if !w.script {
		ada.do(chromedp.SetUploadFiles(chromedp.CSS("#f-files"), picture))
		ada.press("/book/photos")
		ada.text("The photos are added.")
	}
	w.film(ada, "sell")
	id := ada.at("id")
	ada.follow("/book/photos/crop")
	ada.text("This part is shown everywhere.")
	w.film(ada, "sell")
	ada.do(chromedp.Click(chromedp.CSS(`button[formmethod="post"]`)))
	ada.text("The photo is cropped.")
	ada.open("/book?id=" + id)
	ada.text("Linear Algebra")
	w.film(ada, "sell")
}

// findsAndBuys finds the book by its title, writes to the seller, offers a lower price and buys for it.
func (w *journey) findsAndBuys(ben, ada *tab) {
	ben.open("/")
	ben.typed("q", "linear algebra\r")
	ben.await("location.search", "q=") // the front page shows the book, too
	ben.text("42.50")
	w.film(ben, "buy")
	ben.follow("/book?")
	ben.text("Report this book")
	w.film(ben, "buy")
	ben.do(chromedp.Click(chromedp.CSS(`a[href^="/conversation?book="]`)))
	ben.typed("text", "Is it the fifth edition?")
	ben.press("/conversation")
	ben.text("Is it the fifth edition?")
	ada.open("/messages")
	ada.follow("/conversation?id=")
	ada.typed("text", "Yes, it is.")
	ada.press("/conversation")
	ada.text("Yes, it is.")
	ben.open("/?q=linear+algebra")
	ben.follow("/book?")
	ben.follow("/offers/make?")
	ben.typed("price", "40")
	ben.press("/offers/make")
	ben.text("40.00")
	ada.open("/offers")
	ada.press("/offers/accept")
	ada.text("accepted")
	ben.open("/offers")
	ben.press("/cart/add")
	ben.text("Buy for $42.00")
	w.film(ben, "buy")
	ben.press("/cart/buy")
	ben.text("Agree with Ada on where and when to meet.")
	w.film(ben, "buy")
}

// meet agrees on a place and a time, and hands over the book for the code.
func (w *journey) meet(ben, ada *tab) {
	var orders []struct{ ID string }
	w.ben.Must(w.t, http.StatusOK, "GET", "/api/user/getOrders", nil).Data(w.t, &orders)
	w.order = orders[0].ID
	ben.do(chromedp.Click(chromedp.CSS(`.slots .chip:has(input)`)))
	ben.press("/order/meeting")
	ben.text("Ada has not accepted your proposal yet.")
	w.ben.Must(w.t, http.StatusCreated, "POST", "/api/user/proposeMeeting", map[string]any{ // codes count from an hour before
		"orderId": w.order, "placeId": w.place, "at": time.Now().Add(30 * time.Minute).UTC().Format(time.RFC3339),
	})
	ada.open("/order?id=" + w.order)
	ada.text("Ben proposes where and when to meet.")
	ada.press("/order/meeting/accept")
	ada.text("The code that Ben shows")
	ben.open("/order?id=" + w.order)
	ben.text("show this code to Ada")
	ben.evaluate(`document.getElementById("code").scrollIntoView()`)
	w.film(ben, "buy")
	ada.typed("code", ben.evaluate(`document.querySelector(".handover").innerText`))
	ada.press("/order/handover")
	ada.text("You have handed over the book.")
}

// settles reports a problem with a photo, answers it, and settles the sale.
func (w *journey) settles(ben, dean *tab) {
	ben.open("/order?id=" + w.order)
	w.film(ben, "settle")
	ben.follow("/order/problem")
	ben.typed("text", "The corner is bent.")
	ben.do(chromedp.SetUploadFiles(chromedp.CSS("#f-files"), []string{bookOnATable(w.t)}))
	w.film(ben, "settle")
	ben.press("/order/problem")
	ben.text("the other side has been told")
	dean.signIn("dean@campus.edu")
	dean.open("/dashboard/reports")
	dean.follow("/dashboard/reports/report")
	dean.text("The corner is bent.")
	w.film(dean, "settle")
	dean.follow("/dashboard/reports/decide")
	dean.typed("note", "A fair price.")
	dean.press("/dashboard/reports/decide")
	dean.text("The decision is stored")
	dean.open("/dashboard/orders/queue?stage=settle")
	dean.text("Settle the sale")
	w.film(dean, "settle")
	dean.follow("/dashboard/orders/settle")
	dean.press("/dashboard/orders/settle")
	dean.text("The buyer has been charged and the seller has been paid.")
	ben.open("/order?id=" + w.order)
	ben.text("Was it as described?")
	w.film(ben, "settle")
	ben.press("/order/rate")
	ben.text("Thank you.")
}
