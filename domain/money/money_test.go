package money_test

import (
	"errors"
	"math"
	"testing"

	"github.com/octavo-books/octavo/domain/money"
	"pgregory.net/rapid"
)

func TestEveryAmountIsParsedFromItsOwnText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := money.Amount(rapid.Int64Range(0, 1e17-1).Draw(t, "cents"))
		if got, err := money.Parse(c.String()); err != nil || got != c {
			t.Fatalf("%s is read as %d, %v", c, got, err)
		}
	})
}

func TestOnlyPlainAmountsAreParsed(t *testing.T) {
	for in, want := range map[string]money.Amount{
		"0": 0, "5": 500, "5.": -1, ".5": -1, "5.5": 550, "5.05": 505, "00012.30": 1230, "16777217.01": 1677721701, "999999999999999.99": 99999999999999999,
		"": -1, "-1": -1, "+1": -1, "1e2": -1, "1.234": -1, "1,50": -1, " 1": -1, "0x10": -1, "1_000": -1, "NaN": -1, "1.2.3": -1, "١": -1, "1000000000000000": -1,
	} {
		got, err := money.Parse(in)
		if want < 0 && !errors.Is(err, money.ErrInvalid) || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q is read as %d, %v", in, got, err)
		}
	}
}

func TestAmountsAreWrittenWithTwoDecimals(t *testing.T) {
	for c, want := range map[money.Amount]string{0: "0.00", 5: "0.05", 99: "0.99", 100: "1.00", 123450: "1234.50", -5: "-0.05", math.MinInt64: "-92233720368547758.08"} {
		if got := c.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(c), got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.50", "0", "-1", "1e9", "999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := money.Parse(s)
		if err != nil {
			return
		}
		if again, err := money.Parse(c.String()); err != nil || again != c || c < 0 {
			t.Fatalf("%q is %d, then %d, %v", s, c, again, err)
		}
	})
}
