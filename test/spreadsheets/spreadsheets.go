// Package spreadsheets has files of the same ten books as spreadsheets save them: LibreOffice on a desktop in nine languages,
// and Excel.
package spreadsheets

import (
	"bytes"
	"embed"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/sheet"
	"github.com/octavo-books/octavo/test/must"
)

//go:embed testdata
var files embed.FS

// File is a file of the ten books.
type File struct {
	Name   string
	Data   []byte
	Lossy  bool   // its encoding has only the characters of Western Europe
	Dates  string // the order of its dates, which nothing in the file shows; "": it does
	Locale string // of the desktop
}

// Files are the files, by their names.
func Files(t testing.TB) []File {
	t.Helper()
	all := []File{
		{Name: "en-US.csv", Dates: "month"}, {Name: "fr-FR.csv"}, {Name: "de-DE.csv"}, {Name: "ja-JP.csv"}, {Name: "sv-SE.csv"}, {Name: "hi-IN.csv", Dates: "day"},
		{Name: "es-ES.csv"}, {Name: "pt-BR.csv"}, {Name: "pl-PL.csv"},
		{Name: "fr-FR.semicolons.csv"}, {Name: "de-DE.windows-1252.csv", Lossy: true}, {Name: "sv-SE.utf-16.csv"},
	}
	for i := range all {
		all[i].Locale, all[i].Data = all[i].Name[:5], must.Get(files.ReadFile("testdata/"+all[i].Name))(t)
	}
	return append(all, excel(t)...)
}

// excel are the files that Excel saves on a French desktop, of the cells that LibreOffice has saved there: "CSV", "CSV UTF-8",
// "Unicode text" and, with the line ends of old, "CSV (Macintosh)".
func excel(t testing.TB) []File {
	t.Helper()
	cells := must.Get(files.ReadFile("testdata/fr-FR.semicolons.csv"))(t)
	text := strings.ReplaceAll(string(cells), "\n", "\r\n")
	wide := unicodeText(t, cells)
	western := must.Get(files.ReadFile("testdata/de-DE.windows-1252.csv"))(t)
	return []File{
		{Name: "Excel's CSV UTF-8", Data: []byte(sheet.ByteOrderMark + text), Locale: "fr-FR"},
		{Name: "Excel's CSV", Data: bytes.ReplaceAll(western, []byte("\n"), []byte("\r\n")), Lossy: true, Locale: "de-DE"},
		{Name: "Excel's CSV with its line for the separator", Data: []byte(sheet.ByteOrderMark + "sep=;\r\n" + text), Locale: "fr-FR"},
		{Name: "Excel's CSV for an old Mac", Data: bytes.ReplaceAll(western, []byte("\n"), []byte("\r")), Lossy: true, Locale: "de-DE"},
		{Name: "Excel's Unicode text", Data: wide, Locale: "fr-FR"},
	}
}

// unicodeText is a file in UTF-16 with tabs between its cells.
func unicodeText(t testing.TB, file []byte) (wide []byte) {
	t.Helper()
	s := must.Get(sheet.Read(file, func(string) bool { return false }))(t)
	text := sheet.ByteOrderMark + sheet.Line(s.Header, "\t")
	for row, ok := s.Next(); ok; row, ok = s.Next() {
		text += sheet.Line(row.Cells, "\t")
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	return wide
}

// Books are the ten books, whatever the language of their file.
func Books() []book.Details {
	rows := []struct {
		name, course string
		edition      int
		price        money.Amount
		condition    book.Condition
		isbn         book.ISBN
		authors      string
	}{
		{"Algèbre linéaire", "MTH 165", 3, 1250, book.LikeNew, "9780306406157", "Jane Stuart"},
		{"Topology, a first course", "MTH 440", 2, 123450, book.Good, "9780134685991", "J. R. Munkres"},
		{"Effective “Java”", "CSC 172", 3, 4225, book.New, "9780134685991", "Joshua Bloch"},
		{"C++ für Anfänger; Band 2", "CSC 171", 1, 800, book.Fair, "", "Bjørn Åström"},
		{"線形代数入門", "MTH 235", 3, 3000, book.Poor, "9784130620017", "齋藤正彦"},
		{"Économie & société", "ECO 108", 2, 1999, book.Good, "9782070368228", "Max Weber"},
		{"Señales y sistemas", "ECE 241", 4, 5550, book.LikeNew, "", "Alan Oppenheim"},
		{"Chemistry 101", "CHM 131", 10, 10000, book.New, "9780134414232", "Theodore L. Brown"},
		{"O’Reilly: Go", "CSC 254", 1, 2575, book.Good, "9781491941294", "Caleb Doxsey"},
		{"Physics for poets", "PHY 100", 2, 300, book.Fair, "", "Robert March"},
	}
	books := make([]book.Details, len(rows))
	for i, r := range rows {
		books[i] = book.Details{
			Name: r.name, Course: r.course, Edition: r.edition, Price: r.price, Condition: r.condition, ISBN: r.isbn, Authors: r.authors,
			Date: time.Date(2026, time.December, i+1, 0, 0, 0, 0, time.UTC),
		}
	}
	return books
}

// Listed are the books that the file lists: of the others their spreadsheet has lost the title.
func (f File) Listed() []book.Details {
	return slices.DeleteFunc(Books(), func(b book.Details) bool { return strings.Contains(f.In(b.Name), "???") })
}

// In returns a text as the file has it.
func (f File) In(text string) string {
	if !f.Lossy {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r > 0xff && !strings.ContainsRune("“”’", r) {
			return '?'
		}
		return r
	}, text)
}
