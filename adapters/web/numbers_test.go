package web

import (
	"testing"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

func TestNumbersAreFormattedForTheReadersLanguage(t *testing.T) {
	for cents, want := range map[money.Amount][2]string{
		0: {"$0.00", "0,00\u00a0$"}, 5: {"$0.05", "0,05\u00a0$"}, 99_999: {"$999.99", "999,99\u00a0$"}, 100_000: {"$1,000.00", "1\u202f000,00\u00a0$"},
		123_450: {"$1,234.50", "1\u202f234,50\u00a0$"}, -123_456_789: {"-$1,234,567.89", "-1\u202f234\u202f567,89\u00a0$"},
	} {
		if en, fr := dollars(user.EN, cents), dollars(user.FR, cents); en != want[0] || fr != want[1] {
			t.Errorf("%d cents are %q and %q, want %q", int64(cents), en, fr, want)
		}
	}
	for n, want := range map[int][2]string{0: {"0", "0"}, 999: {"999", "999"}, 1000: {"1,000", "1\u202f000"}, 1_234_567: {"1,234,567", "1\u202f234\u202f567"}} {
		if en, fr := number(user.EN, n), number(user.FR, n); en != want[0] || fr != want[1] {
			t.Errorf("%d is %q and %q, want %q", n, en, fr, want)
		}
	}
	if en, fr := decimal(user.EN, 3.46), decimal(user.FR, 3.46); en != "3.5" || fr != "3,5" {
		t.Errorf("%q, %q", en, fr)
	}
}
