package config_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheLeastPriceOfASaleFollowsTheCurrency(t *testing.T) {
	for _, c := range []struct {
		currency, price string
		want            money.Amount
		ok              bool
	}{
		{"USD", "5.00", 500, true}, {"JPY", "5.00", 5, true}, {"KWD", "5.00", 5000, true}, {"JPY", "500", 500, true},
		{"USD", "0", 0, true}, {"USD", "five", 0, false}, {"JPY", "5.50", 0, false}, {"USD", "-1", 0, false},
	} {
		s := settings.Default(t)
		s.Market.Currency, s.Market.ReportMinPrice = c.currency, c.price
		if err := s.Validate(); (err == nil) != c.ok || s.ReportMinPrice() != c.want {
			t.Errorf("%s %s is %d, %v", c.price, c.currency, s.ReportMinPrice(), err)
		}
	}
}
