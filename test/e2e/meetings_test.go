package e2e_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
)

// aMeeting is a server on which people meet, with an order of Ben from Ada.
type aMeeting struct {
	*e2e.Server
	ada, ben, eve, dean e2e.Client
	order, place        string
}

func meetsOn(t *testing.T, mode string, settings ...string) aMeeting {
	t.Helper()
	s := e2e.StartWith(t, append(settings, "HANDOVER="+mode, "CAMPUS_TIMEZONE=America/New_York"))
	m := aMeeting{Server: s, ada: s.Student("ada@campus.edu", "Ada"), ben: s.Student("ben@campus.edu", "Ben"), eve: s.Student("eve@campus.edu", "Eve"), dean: s.Student("dean@campus.edu", "Dean")}
	s.Promote("dean@campus.edu", "admin")
	var place struct{ ID string }
	m.dean.Must(t, http.StatusOK, "POST", "/api/dashboard/savePlace", map[string]any{
		"university": "university of rochester", "name": "Library <script>document.title='stolen'</script>", "hours": "8–20", "directions": "Left of\nthe clock",
	}).Data(t, &place)
	id := m.ada.Post(t, "Topology <and> Knots", "MTH 440")
	m.ben.Must(t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
	var orders []struct{ ID string }
	m.ben.Must(t, http.StatusOK, "GET", "/api/user/getOrders", nil).Data(t, &orders)
	m.order, m.place = orders[0].ID, place.ID
	return m
}

// orderWithMeeting is what the API answers of an order.
type orderWithMeeting struct {
	BookID string
	Status int
	Next   *struct{ Who, What string }

	Meeting *struct {
		ProposalID string
		Accepted   bool
		Code       *string
	}
}

func (m aMeeting) orderOf(t *testing.T, who e2e.Client) (o orderWithMeeting) {
	t.Helper()
	who.Must(t, http.StatusOK, "GET", "/api/user/getOrder/"+m.order, nil).Data(t, &o)
	return o
}

// mustNotContain looks for a code in all files of the server and in its log.
func (m aMeeting) mustNotContain(t *testing.T, code string) {
	t.Helper()
	plain := strings.ReplaceAll(code, "-", "")
	if strings.Contains(m.Log(), code) || strings.Contains(m.Log(), plain) {
		t.Error("the log has the code")
	}
	files := 0
	err := filepath.WalkDir(m.DataDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files++
		if bytes.Contains(content, []byte(code)) || bytes.Contains(content, []byte(plain)) {
			t.Errorf("%s has the code", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("read %d files: %v", files, err)
	}
}

func TestOrdersUnderWayFollowAChangeOfHandover(t *testing.T) {
	t.Parallel()
	m := meetsOn(t, "desk")
	body := map[string]any{"orderId": m.order, "placeId": m.place, "at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}
	m.ben.Must(t, http.StatusConflict, "POST", "/api/user/proposeMeeting", body)
	if o := m.orderOf(t, m.ben); o.Next.What != "hand_in" {
		t.Errorf("at the desk the next task is %+v, want hand_in", o.Next)
	}
	m.Roll("HANDOVER=meet")
	if o := m.orderOf(t, m.ben); o.Next.What != "propose" || o.Next.Who != "either" {
		t.Errorf("where people meet the next task is %+v, want propose", o.Next)
	}
	m.ben.Must(t, http.StatusCreated, "POST", "/api/user/proposeMeeting", body)
}

func TestTwoBrowsersMeetHandOverAndRate(t *testing.T) {
	t.Parallel()
	m := meetsOn(t, "meet")
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	buyer, seller := openBrowser(t, m.URL), openBrowser(t, m.URL)
	buyer.signIn("ben@campus.edu")
	seller.signIn("ada@campus.edu")

	buyer.open("/order?id=" + m.order)
	buyer.text("Agree with Ada on where and when to meet.")
	buyer.do(chromedp.Click(chromedp.CSS("#otherwise summary")))
	buyer.text("Time zone: America/New_York")
	at := time.Now().In(zone).Add(30 * time.Minute)
	buyer.evaluate(`document.querySelector("[name=at]").value = "` + at.Format("2006-01-02T15:04") + `"`)
	buyer.do(chromedp.Click(chromedp.CSS("#otherwise button")))
	buyer.text("Your proposal is sent.")
	buyer.text("Library <script>document.title='stolen'</script>")

	seller.open("/notifications")
	seller.follow("/order?id=" + m.order)
	seller.text("Proposed by Ben")
	seller.text(at.Format("15:04"))
	seller.press("/order/meeting/accept")
	seller.text("You have agreed on where and when to meet.")
	if title := seller.evaluate("document.title"); strings.Contains(title, "stolen") {
		t.Error("a script in the name of a place has run")
	}

	buyer.open("/order?id=" + m.order)
	buyer.text("show this code to Ada")
	buyer.picture("order-meeting-buyer")
	code := buyer.evaluate(`document.querySelector(".handover").innerText`)
	seller.typed("code", strings.ToLower(strings.ReplaceAll(code, "-", " ")))
	seller.do(chromedp.Click(chromedp.CSS(`form[action="/order/handover"] button`)))
	seller.text("The book is handed over. We charge the buyer next, and then pay you.")
	seller.picture("order-meeting-over")
	buyer.text("You have the book. We charge you") // in the other browser, which nobody has touched
	m.dean.Must(t, http.StatusOK, "POST", "/api/dashboard/settleOrder", map[string]any{"bookId": m.orderOf(t, m.ben).BookID})
	buyer.text("Seller paid")

	for _, b := range []*tab{buyer, seller} {
		b.open("/order?id=" + m.order)
		b.text("Was it as described?")
		b.press("/order/rate")
		b.text("Thank you. You can change it until 14 days after the delivery.")
	}
	buyer.text("The buyer says: as described")
	m.Mail("ben@campus.edu", "book_delivered")
	m.Mail("ada@campus.edu", "payment_sent")
	m.mustNotContain(t, code)
}

func TestWithoutAZoneOfTheCampusTheTimesThatAreOfferedAreThoseOfTheReader(t *testing.T) {
	t.Parallel()
	m := meetsOn(t, "meet")
	m.Roll("CAMPUS_TIMEZONE=UTC")
	b := openBrowser(t, m.URL)
	tokyo := emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"}
	must.Do(t, must.Err(chromedp.Call(b.ctx, emulation.SetTimezoneOverride, tokyo)))
	b.signIn("ben@campus.edu")
	b.open("/order?id=" + m.order)
	b.await(`document.querySelector(".slots .chip").innerText`, "7:00") // 10:00 in GMT
	b.await(`document.querySelector("[data-zone]").innerText`, "Tokyo")
	b.do(chromedp.Click(chromedp.CSS(".slots .chip")))
	b.do(chromedp.Click(chromedp.CSS(`form[action="/order/meeting"] .act button`)))
	b.text("Your proposal is sent.")
	b.await(`document.querySelector(".spot").innerText`, "7:00")
}

func TestABuyerPaysTheSellerDirectly(t *testing.T) {
	t.Parallel()
	m := meetsOn(t, "meet", "SETTLEMENT=direct", "MARKET_FEE_BPS=0")
	var proposed, over orderWithMeeting
	m.ada.Must(t, http.StatusCreated, "POST", "/api/user/proposeMeeting", map[string]any{
		"orderId": m.order, "placeId": m.place, "at": time.Now().Add(30 * time.Minute).UTC().Format(time.RFC3339),
	}).Data(t, &proposed)
	m.ben.Must(t, http.StatusOK, "POST", "/api/user/acceptMeeting", map[string]any{"proposalId": proposed.Meeting.ProposalID})
	code := *m.orderOf(t, m.ben).Meeting.Code
	m.Stop()
	m.Restart() // the key of the codes is kept
	if again := *m.orderOf(t, m.ben).Meeting.Code; again != code {
		t.Errorf("after a restart the code is %q, was %q", again, code)
	}
	m.ada.Must(t, http.StatusOK, "POST", "/api/user/confirmHandover", map[string]any{"orderId": m.order, "code": code}).Data(t, &over)
	if over.Status != 3 || over.Next != nil {
		t.Errorf("after the hand-over the order is %+v, want it complete", over)
	}
	if mail := m.Mail("ben@campus.edu", "purchase_placed"); !strings.Contains(mail.Text, "when you meet") || strings.Contains(mail.Text, "charge") {
		t.Errorf("the buyer was told: %s", mail.Text)
	}
	m.dean.Must(t, http.StatusConflict, "POST", "/api/dashboard/settleOrder", map[string]any{"bookId": over.BookID})
	if out, code := m.Octavo("ledger", "check"); code != 0 {
		t.Errorf("the ledger does not balance: %s", out)
	}
}
