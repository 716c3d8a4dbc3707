package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// isbnTable writes a table of ISBNs and returns the setting for it.
func isbnTable(t *testing.T, lines string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "isbn.csv")
	write(t, path, "isbn,name,edition,course\n"+lines)
	return []string{"ISBN_TABLE=" + path}
}

// sellThrice sells and delivers three copies of a book to three people.
func sellThrice(t *testing.T, s *e2e.Server, seller e2e.Client) {
	t.Helper()
	dean := s.Student("dean@campus.edu", "Dean")
	s.Promote("dean@campus.edu", "admin")
	for i, price := range []float64{20, 30, 40} {
		body := e2e.Draft("Introduction to Algorithms", "CSC 172")
		body["price"], body["ISBN"] = price, "978-0-262-03384-8"
		var posted struct{ ID string }
		seller.Must(t, 201, "POST", "/api/books/postBook", body).Data(t, &posted)
		buyer := s.Student(fmt.Sprintf("buyer%d@campus.edu", i), "Buyer")
		buyer.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{posted.ID}})
		for _, step := range []string{"confirmBook", "setBookPaid"} {
			dean.Must(t, 200, "POST", "/api/dashboard/"+step, map[string]any{"bookId": posted.ID})
		}
	}
}

func TestAWrongTableOfISBNsStopsTheStartWithItsLine(t *testing.T) {
	t.Parallel()
	env := append(isbnTable(t, "9780306406157,Signals,1,EE 1\n9780306406158,Noise,1,EE 1\n"), "DATA_DIR="+t.TempDir(), "PORT=0")
	out, code := e2e.Octavo(t, env, "serve", "market")
	if code != 2 || !strings.Contains(out, "ISBN_TABLE") || !strings.Contains(out, "line 3") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestAFormIsFilledFromTheDumpOfOpenLibrary(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	path := filepath.Join(t.TempDir(), "ol_dump_editions_2026-10-31.txt")
	write(t, path, "/type/edition\t/books/OL1M\t3\t2024-01-01T00:00:00.0\t"+
		`{"title": "Signals", "subtitle": "a first course", "isbn_10": ["0306406152"], "by_statement": "by Ada Byron", "edition_name": "2nd ed.", "publish_date": "c1980"}`+"\n")
	s := e2e.StartWith(t, []string{"ISBN_TABLE=" + path}, "market")
	ada := s.Student("ada@campus.edu", "Ada")
	a := ada.Must(t, 200, "GET", "/api/books/suggest?ISBN=978-0-306-40615-7", nil)
	if !strings.Contains(string(a.Body), `"name":"Signals: a first course"`) || !strings.Contains(string(a.Body), `"edition":2`) || !strings.Contains(string(a.Body), `"year":1980`) ||
		!strings.Contains(string(a.Body), "Ada Byron") {
		t.Errorf("suggested: %s", a.Body)
	}
}

func TestABookIsSoldFromItsISBNInABrowser(t *testing.T) {
	t.Parallel()
	for name, scriptless := range map[string]bool{"with scripts": false, "without scripts": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := e2e.StartWith(t, isbnTable(t, "0-306-40615-2,\"Signals, Noise & Power\",,EE 1\n"))
			sellThrice(t, s, s.Student("ada@campus.edu", "Ada"))
			s.Student("ben@campus.edu", "Ben")
			b := openBrowser(t, s.URL)
			if scriptless {
				b.do(withoutScript())
				b.scriptless = true
			}
			b.signIn("ben@campus.edu")
			b.open("/sell")
			b.text("Start with the ISBN")
			b.typed("isbn", "9780306406157\r")
			b.await(`document.querySelector("[name=name]").value`, "Signals, Noise & Power") // of the table
			b.open("/sell")
			b.typed("isbn", "0-262-03384-4\r")
			b.text("We filled in what is known of this ISBN.")
			b.text("Half of the copies sold for $25.00 to $35.00; the typical price is $30.00.")
			b.typed("condition", "Good", "price", "28")
			b.do(chromedp.Click(chromedp.CSS(`button[formaction="/sell/preview"]`)))
			b.text("The buyer pays")
			b.text("$29.40")
			b.text("This copy: $28.00")
			b.do(chromedp.Click(chromedp.CSS(`button[form="listing"]`)))
			b.text("Your book is listed.")
			b.do(chromedp.Click(chromedp.CSS(`a[href^="/sell?copy="]`)))
			b.text("This is another copy of a book of yours.")
			b.typed("condition", "Poor")
			b.press("/sell")
			b.text("Your book is listed.")
			b.await(`document.querySelectorAll('a[href^="/book?id="]').length + ' books'`, "2 books")
			b.do(chromedp.Click(chromedp.CSS(`a[href^="/book?id="]`)))
			b.text("What it sells for")
			b.keep("book-hint")
		})
	}
}

// chosen puts two pictures, a red and a blue one, into the field for photos.
const chosen = `(async () => {
	const files = new DataTransfer();
	for (const colour of ["red", "blue"]) {
		const canvas = new OffscreenCanvas(600, 400), c = canvas.getContext("2d");
		c.fillStyle = colour;
		c.fillRect(0, 0, 600, 400);
		files.items.add(new File([await canvas.convertToBlob()], colour + ".png", { type: "image/png" }));
	}
	const field = document.getElementById("f-tray");
	field.files = files.files;
	field.dispatchEvent(new Event("change"));
})() && "chosen"`

func TestPhotosAreChosenBeforeTheBookIsListedAndDraftsAreKept(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ada := s.Student("ada@campus.edu", "Ada")
	b := openBrowserThat(t, s.URL, func(m chromedp.ConsoleMessage) bool {
		return strings.Contains(m.Text, "400 (Bad Request)") // the refused form
	})
	b.signIn("ada@campus.edu")
	b.open("/sell")
	b.typed("name", "Topology", "course", "MTH 440")
	b.open("/")
	b.open("/sell")
	b.text("We kept what you had typed.")
	b.await(`document.querySelector("[name=name]").value`, "Topology")
	b.await(chosen, "chosen")
	b.await(`document.querySelectorAll(".tray canvas").length + " photos"`, "2 photos")
	b.do(chromedp.Click(chromedp.CSS(`.tray li:first-child .tools button:nth-child(2)`))) // the blue one becomes the cover
	b.typed("edition", "2", "condition", "Good")
	b.press("/sell") // the browser asks for the price
	b.typed("price", "0")
	b.press("/sell")
	b.text("Some fields are invalid.")
	b.await(`document.querySelectorAll(".tray canvas").length + " photos"`, "2 photos")
	b.do(chromedp.SetValue(chromedp.CSS(`[name="price"]`), "20"))
	b.press("/sell")
	b.text("Your book is listed.")
	b.await(`document.querySelectorAll(".photos img").length + " photos"`, "2 photos")
	b.await(`document.getElementById("share").value`, s.URL+"/book?id=")
	var mine []struct {
		Photos []struct {
			ID            string
			Width, Height int
		}
	}
	ada.Must(t, 200, "GET", "/api/books/getUsersPosts", nil).Data(t, &mine)
	if len(mine) != 1 || len(mine[0].Photos) != 2 || mine[0].Photos[0].Width != 300 || mine[0].Photos[0].Height != 400 {
		t.Errorf("listed %+v", mine)
	}
	id := b.at("id")
	b.open("/book?id=" + id)
	b.await(`(() => { const c = document.createElement("canvas").getContext("2d"); c.drawImage(document.querySelector(".hero img"), 0, 0); return [...c.getImageData(9, 9, 1, 1).data].map((n) => Math.round(n / 255)).join("") })()`, "0011")
	b.do(chromedp.Click(chromedp.CSS(`.hero a`)))
	b.await(`document.querySelectorAll("dialog[open] img").length + " large"`, "2 large")
	b.open("/sell")
	b.await(`document.querySelector("[name=name]").value + "|"`, "|")
	b.arranges(id, mine[0].Photos[1].ID)
}

// arranges makes another photo the cover of a book, and turns it.
func (b *tab) arranges(id, photo string) {
	b.t.Helper()
	b.see(setting{390, 844, "dark", "en"})
	b.open("/book/photos?id=" + id)
	b.keep("photos-arranged")
	b.fits()
	const first = `document.querySelector(".photos img").getAttribute("src")`
	b.do(chromedp.Click(chromedp.CSS(`.photos form:has([name=to]) button`)))
	b.await(first, "/photos/"+photo+"/")
	b.do(chromedp.Click(chromedp.CSS(`.photos form[action="/book/photos/turn"] button`)))
	b.await(`String(`+first+` !== "/photos/`+photo+`/thumb")`, "true")
	b.await(`document.querySelector(".photos img").naturalWidth + " wide"`, "400 wide")
}

// at returns a value in the query of the page.
func (b *tab) at(name string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`new URL(location).searchParams.get("`+name+`")`))
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}
