package web

import (
	"testing"

	"github.com/octavo-books/octavo/domain/money"
)

func TestPeopleTypeAmountsAsTheyWriteThem(t *testing.T) {
	for _, c := range []struct {
		code, typed string
		want        money.Amount // -1: refused
	}{
		{"USD", "$12.50", 1250}, {"USD", "12,50 $", 1250}, {"GBP", "£12.50", 1250}, {"GBP", "12,5\u00a0£", 1250}, {"GBP", "GBP 12", 1200},
		{"GBP", "$12.50", -1}, {"JPY", "¥1250", 1250}, {"JPY", "12.5", -1}, {"KWD", "KWD\u00a01.250", 1250}, {"SEK", "125 kr", 12500},
		{"USD", "1,234.50", 123450}, {"USD", "1.2.3", -1}, {"USD", "", -1}, {"USD", "$", -1}, {"USD", "-1", -1},
	} {
		currency, err := money.ParseCurrency(c.code)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := AmountOf(currency, c.typed); c.want < 0 && err == nil || c.want >= 0 && (err != nil || got != c.want) {
			t.Errorf("%q in %s is %d, %v", c.typed, c.code, int64(got), err)
		}
	}
}
