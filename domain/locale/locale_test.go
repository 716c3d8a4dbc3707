package locale_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func format(t *testing.T, lang user.Lang, code string) locale.Format {
	t.Helper()
	c := must.Get(money.ParseCurrency(code))(t)
	return locale.Format{Lang: lang, Currency: c}
}

func TestMoneyIsWrittenAsTheReaderExpects(t *testing.T) {
	for _, c := range []struct {
		code   string
		amount money.Amount
		en, fr string
	}{
		{"USD", 0, "$0.00", "0,00\u00a0$"}, {"USD", 5, "$0.05", "0,05\u00a0$"}, {"USD", 1234567_89, "$1,234,567.89", "1\u202f234\u202f567,89\u00a0$"},
		{"USD", -1050, "-$10.50", "-10,50\u00a0$"}, {"GBP", 1250, "£12.50", "12,50\u00a0£"}, {"EUR", 999_99, "€999.99", "999,99\u00a0€"},
		{"JPY", 1000000, "¥1,000,000", "1\u202f000\u202f000\u00a0¥"}, {"KWD", 1250, "KWD\u00a01.250", "1,250\u00a0KWD"},
		{"SEK", 12500, "kr\u00a0125.00", "125,00\u00a0kr"}, {"BRL", 100, "R$1.00", "1,00\u00a0R$"},
	} {
		if en, fr := format(t, user.EN, c.code).Money(c.amount), format(t, user.FR, c.code).Money(c.amount); en != c.en || fr != c.fr {
			t.Errorf("%d %s is %s and %s", int64(c.amount), c.code, en, fr)
		}
	}
}

func TestNumbersHaveTheSeparatorsOfTheLanguage(t *testing.T) {
	en, fr := locale.Format{Lang: user.EN}, locale.Format{Lang: user.FR}
	for n, want := range map[int][2]string{0: {"0", "0"}, 999: {"999", "999"}, -1234: {"-1,234", "-1\u202f234"}, 1234567: {"1,234,567", "1\u202f234\u202f567"}} {
		if got := [2]string{en.Number(n), fr.Number(n)}; got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	if a, b := en.Decimal(3.5), fr.Decimal(3.5); a != "3.5" || b != "3,5" {
		t.Errorf("3.5 is %s and %s", a, b)
	}
}

func TestTimesAreThoseOfTheCampus(t *testing.T) {
	at := time.Date(2026, 7, 31, 23, 30, 0, 0, time.UTC)
	london := must.Get(time.LoadLocation("Europe/London"))(t)
	for _, c := range []struct{ got, want string }{
		{locale.Format{}.Day(at), "31\u00a0Jul 2026"},
		{locale.Format{Zone: london}.Day(at), "1\u00a0Aug 2026"},
		{locale.Format{Zone: london}.Minute(at), "1\u00a0Aug 2026, 00:30"},
		{locale.Format{Zone: london, Lang: user.FR}.Minute(at), "1er\u00a0août 2026 à 00\u00a0h\u00a030"},
		{locale.Format{Zone: london}.LongMinute(at), "1 August 2026, 00:30"},
		{locale.Format{Lang: user.FR}.LongMinute(at), "31 juillet 2026 à 23\u00a0h\u00a030 (GMT)"},
		{locale.Format{Zone: london}.Weekday(at), "Sat\u00a01\u00a0Aug"},
		{locale.Format{Lang: user.FR}.Weekday(at), "ven.\u00a031\u00a0juil."},
		{locale.Format{Zone: london}.Date(at), "31\u00a0Jul 2026"},
	} {
		if c.got != c.want {
			t.Errorf("%q is not %q", c.got, c.want)
		}
	}
	for zone, want := range map[*time.Location]int{nil: 0, london: -1} {
		if days := (locale.Format{Zone: zone}).DaysFrom(at, at.Add(-time.Hour)); days != want {
			t.Errorf("an hour before half past midnight is %d days away in %s", days, zone)
		}
	}
}
