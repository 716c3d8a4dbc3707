package money_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/money"
	"pgregory.net/rapid"
)

func currency(t testing.TB, code string) money.Currency {
	t.Helper()
	c, err := money.ParseCurrency(code)
	if err != nil || c.Code() != code {
		t.Fatalf("%s is %v, %v", code, c, err)
	}
	return c
}

func TestEveryAmountIsParsedFromItsOwnText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := money.ParseCurrency(rapid.SampledFrom([]string{"USD", "JPY", "KWD", "GBP"}).Draw(t, "currency"))
		a := money.Amount(rapid.Int64Range(0, 1e15-1).Draw(t, "amount"))
		if got, wrong := c.Parse(c.Format(a)); err != nil || wrong != nil || got != a {
			t.Fatalf("%s is read as %d, %v", c.Format(a), got, wrong)
		}
	})
}

func TestOnlyPlainAmountsAreParsed(t *testing.T) {
	for in, want := range map[string]money.Amount{
		"0": 0, "5": 500, "5.": -1, ".5": -1, "5.5": 550, "5.05": 505, "00012.30": 1230, "16777217.01": 1677721701, "999999999999999.99": 99999999999999999,
		"": -1, "-1": -1, "+1": -1, "1e2": -1, "1.234": -1, "1,50": -1, " 1": -1, "0x10": -1, "1_000": -1, "NaN": -1, "1.2.3": -1, "١": -1, "1000000000000000": -1,
	} {
		got, err := money.Currency{}.Parse(in)
		if want < 0 && !errors.Is(err, money.ErrInvalid) || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q is read as %d, %v", in, got, err)
		}
	}
}

func TestAmountsHaveTheDecimalsOfTheirCurrency(t *testing.T) {
	for _, c := range []struct {
		code, text string
		amount     money.Amount
	}{
		{"USD", "0.00", 0}, {"USD", "0.05", 5}, {"GBP", "0.99", 99}, {"EUR", "1.00", 100}, {"USD", "1234.50", 123450}, {"USD", "-0.05", -5},
		{"USD", "-92233720368547758.08", math.MinInt64}, {"JPY", "1250", 1250}, {"JPY", "0", 0}, {"JPY", "-7", -7},
		{"KWD", "1.250", 1250}, {"KWD", "0.001", 1}, {"KWD", "-0.010", -10},
	} {
		if got := currency(t, c.code).Format(c.amount); got != c.text {
			t.Errorf("%d %s is written %s, want %s", int64(c.amount), c.code, got, c.text)
		}
	}
	for text, code := range map[string]string{"12.5": "JPY", "12.0": "JPY", "12.": "JPY", "1.2345": "KWD", "1.001": "GBP"} {
		if a, err := currency(t, code).Parse(text); !errors.Is(err, money.ErrInvalid) || !strings.Contains(err.Error(), code) {
			t.Errorf("%s %s is read as %d, %v", text, code, int64(a), err)
		}
	}
}

func TestOnlyCurrenciesInCirculationAreParsed(t *testing.T) {
	if c := (money.Currency{}); c.Code() != "USD" || c.Decimals() != 2 {
		t.Errorf("the default is %s with %d decimals", c, c.Decimals())
	}
	for _, code := range []string{"", "usd", "US", "USDX", "XXX", "XTS", "XAU", "CLF", "USD EUR", "£"} {
		if c, err := money.ParseCurrency(code); !errors.Is(err, money.ErrCurrency) {
			t.Errorf("%q is %v, %v, want %v", code, c, err, money.ErrCurrency)
		}
	}
	for code, want := range map[string]string{
		"USD": "Must be an amount in USD with at most two decimals, such as 12.50.", "JPY": "Must be an amount in JPY without decimals, such as 1250.",
		"KWD": "Must be an amount in KWD with at most three decimals, such as 1.250.",
	} {
		if got := currency(t, code).Hint(); got != want {
			t.Errorf("the hint is %q, want %q", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.50", "0", "-1", "1e9", "999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, code := range []string{"USD", "JPY", "KWD"} {
			c := currency(t, code)
			a, err := c.Parse(s)
			if err != nil {
				continue
			}
			if again, err := c.Parse(c.Format(a)); err != nil || again != a || a < 0 {
				t.Fatalf("%q is %d, then %d, %v", s, a, again, err)
			}
		}
	})
}
