package order_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// saleAt is a sale between two people who have no other sale.
func saleAt(n int, price money.Amount) order.Sale {
	return order.Sale{
		Order: order.ID(n), Buyer: user.ID(2 * n), Seller: user.ID(2*n + 1), Price: price,
		DeliveredAt: time.Date(2026, time.March, 9, 12, 0, 0, 0, time.UTC),
	}
}

func salesAt(prices ...money.Amount) (sales []order.Sale) {
	for i, p := range prices {
		sales = append(sales, saleAt(i+1, p))
	}
	return sales
}

func TestQuartilesAreInterpolatedAndRoundedToACent(t *testing.T) {
	for name, c := range map[string]struct {
		prices            []money.Amount
		low, median, high money.Amount
	}{
		"three":                {[]money.Amount{30_00, 10_00, 20_00}, 15_00, 20_00, 25_00},
		"four":                 {[]money.Amount{10_00, 20_00, 30_00, 40_00}, 17_50, 25_00, 32_50},
		"five":                 {[]money.Amount{5, 1, 4, 2, 3}, 2, 3, 4},
		"half a cent":          {[]money.Amount{1, 2, 2, 3}, 2, 2, 2}, // 1.75, 2, 2.25
		"half a cent is up":    {[]money.Amount{1, 1, 2, 2}, 1, 2, 2}, // 1, 1.5, 2
		"all the same":         {[]money.Amount{7, 7, 7, 7, 7, 7}, 7, 7, 7},
		"one expensive of six": {[]money.Amount{10, 10, 10, 10, 10, 9000}, 10, 10, 10},
	} {
		h := order.NewPriceHint(book.ByISBN, salesAt(c.prices...))
		if want := (order.PriceHint{Basis: book.ByISBN, Count: len(c.prices), Low: c.low, Median: c.median, High: c.high}); h != want {
			t.Errorf("%s: %+v, want %+v", name, h, want)
		}
	}
}

func TestAHintSaysHowSoonCopiesAtTheUsualPricesSell(t *testing.T) {
	const day = 24 * time.Hour
	sales := salesAt(1_00, 28_00, 30_00, 32_00, 33_00, 35_00, 90_00)
	for i, days := range []time.Duration{0, 2, 9, 4, 3, 40, 100} { // those at 29.00 to 34.00 waited for 9, 4 and 3 days
		sales[i].Waited = days * day
	}
	h := order.NewPriceHint(book.ByISBN, sales)
	if h.Low != 29_00 || h.Median != 32_00 || h.High != 34_00 || h.Within != 9*day {
		t.Errorf("%+v, want what sells within 9 days", h)
	}
	if h := order.NewPriceHint(book.ByISBN, sales[:4]); h.Within != 0 {
		t.Errorf("%+v, though only two copies sold for about as much", h)
	}
}

func TestFewerThanThreeSalesGiveNoPrice(t *testing.T) {
	for n := range order.MinHintSales {
		h := order.NewPriceHint(book.ByTitle, salesAt([]money.Amount{10_00, 20_00}[:n]...))
		if h.Known() || h != (order.PriceHint{Basis: book.ByTitle, Count: n}) {
			t.Errorf("%d sales: %+v", n, h)
		}
	}
}

func TestSalesBetweenTheSameTwoPeopleCountOnceAMonth(t *testing.T) {
	between := func(n int, buyer, seller user.ID, day string, price money.Amount) order.Sale {
		at := must.Get(time.Parse(time.RFC3339, day))(t)
		return order.Sale{Order: order.ID(n), Buyer: buyer, Seller: seller, Price: price, DeliveredAt: at}
	}
	sales := []order.Sale{
		between(1, 1, 2, "2026-03-01T00:00:00Z", 1_00),
		between(2, 1, 2, "2026-03-31T23:59:59Z", 2_00),      // the last of March counts
		between(3, 2, 1, "2026-03-30T12:00:00Z", 3_00),      // in the other direction
		between(4, 1, 2, "2026-03-31T21:00:00-04:00", 4_00), // in UTC this is April
		between(5, 1, 2, "2025-03-31T12:00:00Z", 5_00),      // another year
		between(6, 1, 3, "2026-03-31T12:00:00Z", 6_00),
		between(7, 3, 3, "2026-03-31T12:00:00Z", 100_00), // seller and buyer are the same
	}
	h := order.NewPriceHint(book.ByISBN, sales)
	if want := (order.PriceHint{Basis: book.ByISBN, Count: 4, Low: 3_50, Median: 4_50, High: 5_25}); h != want {
		t.Errorf("%+v, want %+v", h, want)
	}
}

func TestTheOrderOfSalesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sales := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) order.Sale {
			return order.Sale{
				Order: order.ID(rapid.Int64Range(1, 1<<40).Draw(t, "id")),
				Buyer: user.ID(rapid.IntRange(1, 4).Draw(t, "buyer")), Seller: user.ID(rapid.IntRange(1, 4).Draw(t, "seller")),
				Price:       money.Amount(rapid.Int64Range(1, 1_000_000).Draw(t, "price")),
				DeliveredAt: time.UnixMicro(rapid.Int64Range(0, 1e14).Draw(t, "at")),
			}
		}), 0, 30).Draw(t, "sales")
		h := order.NewPriceHint(book.ByCourse, sales)
		shuffled := rapid.Permutation(slices.Clone(sales)).Draw(t, "shuffled")
		unique := map[order.ID]bool{}
		for _, s := range sales {
			unique[s.Order] = true
		}
		if again := order.NewPriceHint(book.ByCourse, shuffled); len(unique) == len(sales) && again != h {
			t.Fatalf("%+v, in another order %+v", h, again)
		}
		if h.Low > h.Median || h.Median > h.High || h.Count > len(sales) {
			t.Fatalf("%+v", h)
		}
	})
}

func TestACodeLeadsBackToItsOrderHoweverItIsTyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := order.ID(rapid.Int64Range(1, math.MaxInt64).Draw(t, "id"))
		code := string(id.Code())
		for _, typed := range []string{
			code, strings.ToLower(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " "),
			strings.ReplaceAll(code, "0", "o"), strings.ReplaceAll(code, "1", "l"), strings.ReplaceAll(code, "1", "I"),
		} {
			if got, ok := order.ParseCode(typed); !ok || got != id {
				t.Fatalf("%q of %d is read as %d", typed, id, got)
			}
		}
	})
}

func TestATypingErrorDoesNotLeadToANeighbouringOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Int64Range(1<<58, 1<<59).Draw(t, "id")
		code := []byte(strings.ReplaceAll(string(order.ID(id).Code()), "-", ""))
		at := rapid.IntRange(0, len(code)-1).Draw(t, "at")
		was := code[at]
		code[at] = rapid.SampledFrom([]byte("0123456789ABCDEFGHJKMNPQRSTVWXYZ")).Draw(t, "digit")
		got, ok := order.ParseCode(string(code))
		if far := int64(got) - id; ok && code[at] != was && -1000 < far && far < 1000 {
			t.Fatalf("%s with an error is the code of %d, next to %d", code, got, id)
		}
	})
}

func TestOtherTextsAreNoCodes(t *testing.T) {
	for _, s := range []string{"", "0000-0000-00000", "calculus", "1234-5678-9012", "1234-5678-901234", "8000-0000-00000", "1234-5678-9012U", "1234-5678-9012é", "ann@rochester"} {
		if id, ok := order.ParseCode(s); ok {
			t.Errorf("%q is read as %d", s, id)
		}
	}
}
