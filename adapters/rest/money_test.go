package rest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/octavo-books/octavo/adapters/rest/formats"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/money"
)

// An amount that the document accepts is formatted with the same value and two decimals.
func FuzzMoney(f *testing.F) {
	for _, seed := range []string{"1", "0.1", "0.01", "16777217.01", "1e2", "-1", "1.005", "00", `"1"`, "999999999999999", "1."} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m, again wire.Money
		h := &Handler{}
		if json.Unmarshal(b, &m) != nil || formats.In(h.cfg.Currency)["money"](json.Number(m)) != "" {
			return
		}
		text, err := json.Marshal(h.money(h.amountOf(m)))
		if err != nil || json.Unmarshal(text, &again) != nil || h.amountOf(again) != h.amountOf(m) || h.amountOf(m) < 0 || !bytes.HasSuffix(text[:len(text)-2], []byte(".")) {
			t.Errorf("%s became %s: %v", b, text, err)
		}
	})
}

func TestAPriceIsCheckedByTheRulesOfTheCurrency(t *testing.T) {
	for code, prices := range map[string]map[json.Number]string{
		"USD": {"12.5": "", "0.01": "", "10000": "", "10000.01": "Must be from 0.01 to 10000.00.", "0": "Must be from 0.01 to 10000.00.", "1.001": "Must be an amount in USD with at most two decimals, such as 12.50."},
		"JPY": {"1": "", "1000000": "", "1000001": "Must be from 1 to 1000000.", "0.5": "Must be an amount in JPY without decimals, such as 1250."},
		"KWD": {"0.001": "", "1000": "", "1000.001": "Must be from 0.001 to 1000.000.", "1.0001": "Must be an amount in KWD with at most three decimals, such as 1.250."},
	} {
		currency, err := money.ParseCurrency(code)
		if err != nil {
			t.Fatal(err)
		}
		for price, want := range prices {
			if got := formats.In(currency)["price"](price); got != want {
				t.Errorf("%s %s: %q, want %q", code, price, got, want)
			}
		}
	}
}
