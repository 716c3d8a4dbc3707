package rest

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

func TestHandWrittenJSONEqualsThatOfTheGeneratedTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency, err := money.ParseCurrency(rapid.SampledFrom([]string{"USD", "JPY", "KWD"}).Draw(t, "currency"))
		if err != nil {
			t.Fatal(err)
		}
		h := &Handler{cfg: Config{Currency: currency}, Services: Services{Market: &rooms.Market{Buying: &rooms.Buying{Meetings: new(buying.Meetings), Orders: new(buying.Orders)}}}}
		views := rapid.SliceOfN(rapid.Custom(drawView), 0, 3).Draw(t, "views")
		want, err := json.Marshal(convertAll(views, h.bookOf))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h.appendBooks(nil, views); err != nil || string(got) != string(want) {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	})
}

func drawView(t *rapid.T) market.BookView {
	text := func(label string) string {
		return rapid.OneOf(rapid.StringMatching(`[ -~]{0,20}`), rapid.String(), rapid.Just("a\x7fb\u2028<&>\xff")).Draw(t, label)
	}
	moment := func(label string) time.Time {
		zone := time.FixedZone("", rapid.IntRange(-12, 12).Draw(t, "zone")*3600)
		return time.UnixMicro(rapid.Int64Range(-1<<50, 1<<52).Draw(t, label)).In(zone)
	}
	v := market.BookView{SellerName: text("seller"), Book: book.Book{
		ID: book.ID(rapid.Int64Range(1, 1<<62).Draw(t, "id")), Seller: user.ID(rapid.Int64Range(1, 1<<62).Draw(t, "seller id")),
		University: text("university"), Status: book.Status(rapid.SampledFrom([]int{0, 1, 2, 3, 5}).Draw(t, "status")), CreatedAt: moment("created"),
		Details: book.Details{
			Name: text("name"), Course: text("course"), Comments: text("comments"), Date: moment("date"),
			Edition: rapid.IntRange(1, 1000).Draw(t, "edition"), Price: money.Amount(rapid.Int64Range(1, 1_000_000).Draw(t, "price")),
			Condition: rapid.SampledFrom(book.Conditions()).Draw(t, "condition"), ISBN: rapid.SampledFrom([]book.ISBN{"", "9780306406157"}).Draw(t, "isbn"),
		},
	}}
	for i := range rapid.IntRange(0, 2).Draw(t, "photos") {
		v.Photos = append(v.Photos, photo.Photo{ID: photo.ID(1 + i), Width: 1600, Height: rapid.IntRange(1, 1600).Draw(t, "height")})
	}
	if rapid.IntRange(0, 4).Draw(t, "sold") == 0 {
		v.Order = &market.OrderView{Order: order.Order{ID: 1, Book: v.ID, Name: v.Name, Status: order.Placed}}
	}
	return v
}
