package pasted_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"pgregory.net/rapid"
)

const goBook = book.ISBN("9780134685991")

func TestAnISBNIsReadFromWhateverSurroundsIt(t *testing.T) {
	for _, typed := range []string{
		"9780134685991", "ISBN 978-0-13-468599-1 (pbk.)", "ISBN-13: 978-0-13-468599-1", "ISBN-13 978-0-13-468599-1", "isbn9780134685991", "９７８０１３４６８５９９１",
		" 978 0 13 468599 1\n", "ISBN-10 0-13-468599-7", "0134685997", "978‑0‑13‑468599‑1", "978–0–13–468599–1", "Effective Java, 3rd Edition (2018) 9780134685991",
		"ISBN-10: 0134685997, ISBN-13: 978-0134685991", "https://www.amazon.com/dp/0134685997/ref=sr_1_1?qid=1600000001&s=books", "https://shop.example/9780134685991?from=0201633612",
		"https://shop.example/book?isbn=9780134685991", "134685997", "9,780,134,685,991", "9 780 134 685 991", `="9780134685991"`, "'9780134685991", "9780134685991.0", "९७८०१३४६८५९९१",
	} {
		if got, ok := pasted.ISBN(typed); !ok || got != goBook {
			t.Errorf("%q is read as %q, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{
		"", "ISBN", "978-0-13-468599-2", "9780134685991 or 9780262033848", "0134685997 0262033844", "9.78013E+12", "2018", "979-0-2600-0043-8",
		strings.Repeat("x", 3000) + "9780134685991", "\xff9780134685991",
	} {
		if got, ok := pasted.ISBN(typed); ok {
			t.Errorf("%q is read as %q", typed, got)
		}
	}
	if !pasted.Shortened("9,78013E+12") || !pasted.Shortened("9.78013E+12") || pasted.Shortened("9780134685991") {
		t.Error("what a spreadsheet has rounded is not recognised")
	}
}

func TestAWrongDigitBehind978IsNotTakenForANumberOfTen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nine := rapid.StringMatching(`[0-9]{9}`).Draw(t, "digits")
		last := rapid.StringMatching(`[0-9]`).Draw(t, "last")
		typed := "978-" + nine[:1] + "-" + nine[1:] + "-" + last
		want, valid := book.ParseISBN(typed)
		if got, ok := pasted.ISBN("ISBN " + typed + "."); ok != valid || got != want {
			t.Fatalf("%q is read as %q, %v; want %q, %v", typed, got, ok, want, valid)
		}
	})
}

func currency(t testing.TB, code string) money.Currency {
	t.Helper()
	c, err := money.ParseCurrency(code)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAmountsAreReadAsPeopleAndSpreadsheetsWriteThem(t *testing.T) {
	for _, c := range []struct {
		code, typed string
		want        money.Amount // -1: refused
	}{
		{"USD", "12.50", 1250}, {"USD", "12,50", 1250}, {"USD", "$12.50", 1250}, {"USD", "$ 12.5", 1250}, {"USD", "US$12.50", 1250}, {"USD", "12.50 USD", 1250}, {"USD", "１２．５０", 1250},
		{"USD", "１２，５０", 1250}, {"USD", "1,234.50", 123450}, {"USD", "1.234,50", 123450}, {"USD", "1 234,50", 123450}, {"USD", "1\u202f234,50\u00a0$", 123450}, {"USD", "1'234.50", 123450},
		{"USD", "1’234.50", 123450}, {"USD", "1,234", 123400}, {"USD", "1.234", 123400}, {"USD", "1,23,456.50", 12345650}, {"USD", "1,234,567", 123456700}, {"USD", "12.500,00", 1250000},
		{"USD", "12.–", 1200}, {"USD", "12,-", 1200}, {"USD", "12.--", 1200}, {"USD", "12.5000", 1250}, {"USD", "१२.५०", 1250}, {"USD", "١٢٫٥٠", 1250}, {"USD", "12 dollars", 1200},
		{"EUR", "12 €", 1200}, {"EUR", "€12,50", 1250}, {"EUR", "12,50 EUR", 1250}, {"EUR", "12€50", 1250}, {"EUR", "1.234,50\u00a0€", 123450}, {"CHF", "Fr. 12.50", 1250}, {"CHF", "12.50 CHF", 1250},
		{"JPY", "¥1,200", 1200}, {"JPY", "￥１，２００", 1200}, {"JPY", "1200円", 1200}, {"JPY", "1,200.00", 1200}, {"JPY", "12.5", -1}, {"SEK", "125:-", 12500}, {"SEK", "1 250,50 kr", 125050},
		{"INR", "₹1,23,456.50", 12345650}, {"INR", "Rs. 250", 25000}, {"BRL", "R$ 1.234,50", 123450}, {"KWD", "1.250", 1250}, {"KWD", "1,250", 1250}, {"KWD", "1,250.500", 1250500}, {"GBP", "£12.50", 1250},
		{"USD", "", -1}, {"USD", "$", -1}, {"USD", "-1", -1}, {"USD", "1.2.3", -1}, {"USD", "1,2,3", -1}, {"USD", "12.345", 1234500}, {"USD", "0.125", -1}, {"USD", "12.34.56", -1}, {"USD", "€12", -1}, {"USD", "twelve", -1}, {"GBP", "$12.50", -1},
		{"USD", "1e3", -1}, {"USD", "12..50", -1}, {"USD", "1  234", 123400}, {"USD", "1,234 567.00", -1}, {"USD", "1.234,5.6", -1}, {"USD", ".5", -1}, {"USD", "5.", -1}, {"USD", "12-", -1}, {"USD", strings.Repeat("1", 200), -1},
	} {
		got, ok := pasted.Amount(c.typed, currency(t, c.code))
		if ok != (c.want >= 0) || ok && got != c.want {
			t.Errorf("%q in %s is read as %d, %v; want %d", c.typed, c.code, int64(got), ok, c.want)
		}
	}
}

func TestACommaBeforeTheDecimalsIsToldFromOneBetweenThousands(t *testing.T) {
	for _, c := range []struct{ code, with, without string }{
		{"USD", "12,5;12,50;$12,50;1.234,50;1 234,50 $;12,-", "12;12.50;1,234;1,234.50;1,23,456.50;,5;1,2,3"},
		{"JPY", "1200,0;1.200,00;1200,-", "1200;1,200;￥１，２００;1,200円;1,234,567;1,200.00"},
		{"KWD", "1,250;1,5;12,50 KWD;1.234,500;1 234,500", "1.250;1,250.500;1250;1,234,567;1,2345"},
	} {
		for is, cells := range map[bool]string{true: c.with, false: c.without} {
			for cell := range strings.SplitSeq(cells, ";") {
				if got := pasted.HasDecimalComma(cell, currency(t, c.code)); got != is {
					t.Errorf("%q in %s has a decimal comma: %v", cell, c.code, got)
				}
			}
		}
	}
}

var window = pasted.Dates{From: time.Date(2024, 9, 7, 0, 0, 0, 0, time.UTC), To: time.Date(2028, 9, 7, 0, 0, 0, 0, time.UTC)}

func TestAPointBeforeTheDecimalsIsToldFromOneBetweenThousands(t *testing.T) {
	for _, c := range []struct{ code, with, without string }{
		{"USD", "12.5;12.50;$12.50;1,234.50;12.-;1'234.50", "12;12,50;1.234;1.234,50;.;1.2.3"}, {"JPY", "", "1200.0;1.200;1200"},
	} {
		for is, cells := range map[bool]string{true: c.with, false: c.without} {
			for cell := range strings.SplitSeq(cells, ";") {
				if got := pasted.HasDecimalPoint(cell, currency(t, c.code)); cell != "" && got != is {
					t.Errorf("%q in %s has a decimal point: %v", cell, c.code, got)
				}
			}
		}
	}
}

func TestADateIsReadInEveryShape(t *testing.T) {
	for _, typed := range []string{
		"2026-12-07", "2026-12-07T00:00:00Z", "2026/12/7", "2026.12.07", "2026. 12. 7.", "20261207", "2026年12月7日", "2026年12月7日(月)", "2026年12月7日 月曜日", "２０２６／１２／０７", "2026년 12월 7일",
		"7.12.2026", "07.12.26", "7. 12. 2026", "7 December 2026", "December 7, 2026", "Dec 7, 2026", "Mon, Dec 7th, 2026", "7 déc. 2026", "lundi 7 décembre 2026", "7-Dec-26", "1796601600000", "46363",
		"2026-12-07 00:00:00", "7.12.2026 0:00", "07 DEC 2026",
		"7. Dezember 2026", "Montag, 7. Dez. 2026", "7 de diciembre de 2026", "lunes, 7-dic-26", "7 de dezembro de 2026", "segunda-feira, 7 de dez. de 2026", "lunedì 7 dicembre 2026", "7 gru 2026",
		"poniedziałek, 7 grudnia 2026 r.", "måndag 7 december 2026", "maandag 7 december 2026",
	} {
		if got, err := window.Read(typed); err != nil || got.Format(time.DateOnly) != "2026-12-07" {
			t.Errorf("%q is read as %v, %v", typed, got, err)
		}
	}
	for typed, want := range map[string]string{"25/12/2026": "2026-12-25", "12/25/2026": "2026-12-25", "1er décembre 2026": "2026-12-01", "07/07/2026": "2026-07-07", "mar. 1 déc. 2026": "2026-12-01", "martedì 1 mar 2026": "2026-03-01",
		"1. März 2026": "2026-03-01", "1 października 2026": "2026-10-01", "1 ene 2026": "2026-01-01", "1 de março de 2026": "2026-03-01", "1 mrt 2026": "2026-03-01", "3 août 2026": "2026-08-03", "1 maja 2026": "2026-05-01", "12/25/26": "2026-12-25", "1999-01-01": "1999-01-01"} {
		if got, err := window.Read(typed); err != nil || got.Format(time.DateOnly) != want {
			t.Errorf("%q is read as %v, %v", typed, got, err)
		}
	}
	for _, typed := range []string{"", "soon", "2026-13-07", "2026-02-30", "32/12/2026", "12/2026", "2026", "1/2/3/4", "7 Smarch 2026", "7/12/026", "a2026-12-07", strings.Repeat("1", 300), "Dec Dec 2026", "7 mar mar 2026", "7 Dec Jan 2026"} {
		if got, err := window.Read(typed); typed != "2026" && !errors.Is(err, pasted.ErrDate) {
			t.Errorf("%q is read as %v, %v", typed, got, err)
		}
	}
}

func TestTheOrderOfDaysAndMonthsIsGivenOrShownByTheColumnOrAskedFor(t *testing.T) {
	for _, typed := range []string{"07/12/2026", "7/12/26", "07-12-2026"} {
		if got, err := window.Read(typed); !errors.Is(err, pasted.ErrTwoDates) {
			t.Errorf("%q is read as %v, %v", typed, got, err)
		}
		for order, want := range map[pasted.DateOrder]string{pasted.DayFirst: "2026-12-07", pasted.MonthFirst: "2026-07-12"} {
			d := window
			d.Order = order
			if got, err := d.Read(typed); err != nil || got.Format(time.DateOnly) != want {
				t.Errorf("%q is read as %v, %v; want %s", typed, got, err, want)
			}
		}
	}
	for _, c := range []struct {
		column string
		want   pasted.DateOrder
	}{
		{"07/12/2026 25/12/2026", pasted.DayFirst}, {"07/12/2026 12/25/2026", pasted.MonthFirst}, {"07/12/2026 08/11/2026", pasted.AnyOrder},
		{"25/12/2026 12/25/2026", pasted.AnyOrder}, {"26/12/07 26/12/25", pasted.YearFirst}, {"2026-12-25", pasted.AnyOrder}, {"x 7.12.2026", pasted.DayFirst}, {"07/07/2026", pasted.AnyOrder},
		{"26/12/1 26/12/10", pasted.YearFirst}, {"26/12/25 26/12/26 26/12/27", pasted.YearFirst}, {"25/09/26 26/09/26 27/10/26", pasted.DayFirst},
	} {
		if got, agreed := window.OrderOf(slices.Values(strings.Fields(c.column))); got != c.want || agreed == (c.column == "25/12/2026 12/25/2026") {
			t.Errorf("%s is in the order %d, want %d", c.column, got, c.want)
		}
	}
}

func TestADateThatOnlyItsColumnDecidesIsWrittenSoThatNothingNeedsTo(t *testing.T) {
	d := window
	d.Order = pasted.DayFirst
	for typed, want := range map[string]string{
		"07/12/2026": "2026-12-07", "7-12-26": "2026-12-07", "25/12/2026": "25/12/2026", "2026-12-07": "2026-12-07", "7.12.2026": "7.12.2026", "soon": "soon", "": "", "7 déc. 2026": "7 déc. 2026",
	} {
		if got := d.Decided(typed); got != want {
			t.Errorf("%q became %q, want %q", typed, got, want)
		}
	}
	d.Order = pasted.YearFirst
	if got := d.Decided("26/12/25"); got != "2026-12-25" {
		t.Errorf("a year of two digits first became %q", got)
	}
}

func TestTheColumnsOfFilesAreKnownInTheLanguagesOfDesktops(t *testing.T) {
	for field, names := range map[string]string{
		"name": "Título,Tytuł,Titel,Título del libro", "edition": "Edición,Wydanie,Druk", "course": "Asignatura,Disciplina,Przedmiot,Vak", "price": "Precio (€),Preço,Cena,Prijs",
		"condition": "Estado,Estado de conservação,Stan,Staat", "date": "Disponible desde,Disponível a partir de,Dostępne od,Beschikbaar vanaf,Disponibile dal", "authors": "Autor(es),Autorzy,Auteur", "Comments": "Notas,Observações,Uwagi,Opmerkingen",
	} {
		for name := range strings.SplitSeq(names, ",") {
			if got := pasted.Column(name); got != field {
				t.Errorf("%q means %q, want %q", name, got, field)
			}
		}
	}
}

func TestConditionsAreReadByTheirNamesInEnglishAndFrench(t *testing.T) {
	for typed, want := range map[string]book.Condition{
		"New": book.New, "like new": book.LikeNew, "LIKE-NEW": book.LikeNew, "Used - Like New": book.LikeNew, "Used: Very good": book.Good, "very good condition": book.Good, "Neuf": book.New,
		"comme neuf": book.LikeNew, "très bon état": book.Good, "Bon": book.Good, "état correct": book.Fair, "Acceptable": book.Fair, "moyen": book.Fair, "usé": book.Poor, "Mauvais état": book.Poor, "Jak nowa": book.LikeNew, "bardzo dobry": book.Good, "dostateczny": book.Fair, "zły": book.Poor, "zo goed als nieuw": book.LikeNew,
		"poor": book.Poor, "良い": book.Good, "wie neu": book.LikeNew, "Condition: good": book.Good, "ｇｏｏｄ": book.Good, "D’occasion : bon": book.Good,
	} {
		if got, ok := pasted.Condition(typed); !ok || got != want {
			t.Errorf("%q is read as %v, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{"", "old", "used", "occasion", "goodish", "not good", "3", "Bad", strings.Repeat("used ", 19), strings.Repeat("good", 100)} {
		if got, ok := pasted.Condition(typed); ok {
			t.Errorf("%q is read as %v", typed, got)
		}
	}
}

func TestEditionsAreReadInNumbersAndWords(t *testing.T) {
	for _, typed := range []string{
		"3", "3.", "3.0", "3,00", "3rd", "3rd ed.", "3rd Edition", "Third edition", "3e", "3e éd.", "3ème édition", "troisième", "Édition 3", "第3版", "第三版", "3. Auflage", "３", "3ª edição", "3:e upplagan", "III", "tredje", "Ed. 3", "3d", "wydanie III", "3 wyd.", "3e druk", "derde druk", "terza edizione", "trzecie wydanie", "3ª ed.", "tercera edición",
	} {
		if got, ok := pasted.Edition(typed); !ok || got != 3 {
			t.Errorf("%q is read as %d, %v", typed, got, ok)
		}
	}
	for typed, want := range map[string]int{"1st": 1, "première édition": 1, "1ère": 1, "2nde": 2, "twelfth": 12, "1000": 1000, "21st": 21} {
		if got, ok := pasted.Edition(typed); !ok || got != want {
			t.Errorf("%q is read as %d, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{"", "x", "3.5", "-3", "3 4", "deluxe", "12345", "edition", "3rd, 2nd printing", strings.Repeat("3", 200)} {
		if got, ok := pasted.Edition(typed); ok {
			t.Errorf("%q is read as %d", typed, got)
		}
	}
}

func TestTheYearOfABookIsReadAsCataloguesWriteIt(t *testing.T) {
	for typed, want := range map[string]int{
		"2009": 2009, "March 2009": 2009, "Mar 3, 2009": 2009, "2009-03-01": 2009, "12/31/2009": 2009, "31.12.2009": 2009, "20090301": 2009, "2009年3月": 2009,
		"c1998": 1998, "©2009": 2009, "[1998?]": 1998, "1998-": 1998, "1998-2001": 1998, "1998, c1996": 1998, "1998 [i.e. 1999]": 1999, "2009.": 2009,
		"２００９": 2009, "٢٠٠٩": 2009, "0000 2009": 2009, "9999/2009": 2009, "1st ed., 1st printing 1987": 1987, "1450": 1450, "2100": 2100,
		"": 0, "n.d.": 0, "19--": 0, "199?": 0, "20xx": 0, "9999": 0, "1449": 0, "2101": 0, "12009": 0, "200912": 0, "9780134685991": 0, "31122009": 0, "07": 0, "1998 [i.e. n.d.]": 0,
		strings.Repeat("x", 200) + "2009": 0, "\xff2009": 0,
	} {
		if got, ok := pasted.Year(typed); got != want || ok != (want != 0) {
			t.Errorf("%q is read as %d, %v; want %d", typed, got, ok, want)
		}
	}
}

func TestTextsBecomeLinesAndOurGuardsGo(t *testing.T) {
	if got := pasted.Course(" ＣＳ　１０１\n"); got != "CS 101" {
		t.Errorf("a course became %q", got)
	}
	if got := pasted.Line("Linear\tAlgebra \r\n2"); got != "Linear Algebra 2" {
		t.Errorf("a title became %q", got)
	}
	for cell, want := range map[string]string{"'=1+1": "=1+1", "a\n'-b": "a\n-b", "it's = x": "it's = x", "'tis": "'tis"} {
		if got := pasted.Unguarded(cell); got != want {
			t.Errorf("%q became %q", cell, got)
		}
	}
}

// TestOurOwnFormsAreReadAsThemselves: what the site shows can be pasted back.
func TestOurOwnFormsAreReadAsThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := money.ParseCurrency(rapid.SampledFrom([]string{"USD", "EUR", "JPY", "KWD", "CHF"}).Draw(t, "currency"))
		a := money.Amount(rapid.Int64Range(0, 1_000_000).Draw(t, "amount"))
		if got, ok := pasted.Amount(c.Format(a), c); err != nil || !ok || got != a {
			t.Fatalf("%s is read as %d, %v", c.Format(a), int64(got), ok)
		}
		day := window.From.AddDate(0, 0, rapid.IntRange(0, 1400).Draw(t, "day"))
		layout := rapid.SampledFrom([]string{time.DateOnly, "2 Jan 2006", "2006/1/2", "2.1.2006", "January 2, 2006", "2.1.06"}).Draw(t, "layout")
		if got, err := window.Read(day.Format(layout)); err != nil || !got.Equal(day) {
			t.Fatalf("%s is read as %v, %v", day.Format(layout), got, err)
		}
	})
}

func FuzzPasted(f *testing.F) {
	for _, s := range []string{"ISBN 978-0-13-468599-1 (pbk.)", "1.234,50 €", "7.12.2026", "troisième", "comme neuf", "12.–", "第3版", "https://a/b?c=1", "1998 [i.e. 1999]", "20090301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if isbn, ok := pasted.ISBN(s); ok {
			if again, same := book.ParseISBN(string(isbn)); !same || again != isbn {
				t.Fatalf("%q is read as %q", s, isbn)
			}
		}
		for _, code := range []string{"USD", "JPY", "KWD"} {
			c := currency(t, code)
			if a, ok := pasted.Amount(s, c); ok {
				if again, ok := pasted.Amount(c.Format(a), c); !ok || again != a || a < 0 {
					t.Fatalf("%q is %d, then %d", s, int64(a), int64(again))
				}
			}
		}
		if n, ok := pasted.Edition(s); ok && (n < 0 || n > 9999) {
			t.Fatalf("%q is edition %d", s, n)
		}
		if n, ok := pasted.Year(s); ok != (n != 0) || ok && (n < book.MinYear || n > book.MaxYear) {
			t.Fatalf("%q is the year %d, %v", s, n, ok)
		}
		_, _ = window.Read(s)
		_, _ = pasted.Condition(s)
		if line := pasted.Line(s); pasted.Line(line) != line {
			t.Fatalf("%q is not a line yet", line)
		}
	})
}
