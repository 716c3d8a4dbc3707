package sheet_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/sheet"
	"github.com/octavo-books/octavo/test/must"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"pgregory.net/rapid"
)

func known(cell string) bool {
	return slices.Contains([]string{"name", "price", "date"}, strings.ToLower(strings.TrimSpace(cell)))
}

// utf16Of encodes a text without a byte order mark.
func utf16Of(order binary.AppendByteOrder, text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

// rowsOf are the rows below the header, with | between cells and / between rows.
func rowsOf(s *sheet.Sheet) string {
	var rows []string
	for row, ok := s.Next(); ok; row, ok = s.Next() {
		text := strings.Join(row.Cells, "|")
		if row.Broken {
			text = "broken " + row.Text
		}
		rows = append(rows, text)
	}
	return strings.Join(rows, "/")
}

func TestAFileIsReadAsSpreadsheetsSaveIt(t *testing.T) {
	const text = "name;price;date\nL’énergie;12,50;07/12/2026\n"
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	for name, file := range map[string][]byte{
		"UTF-8": []byte(text), "with CRLF and a byte order mark": []byte("\ufeff" + crlf), "of an old Mac": []byte(strings.ReplaceAll(text, "\n", "\r")),
		"UTF-16 little-endian": utf16Of(binary.LittleEndian, "\ufeff"+crlf), "UTF-16 big-endian": utf16Of(binary.BigEndian, "\ufeff"+crlf),
		"UTF-16 without a mark": utf16Of(binary.LittleEndian, crlf), "UTF-16 big-endian without a mark": utf16Of(binary.BigEndian, crlf),
		"Windows-1252": []byte("name;price;date\r\nL\x92\xe9nergie;12,50;07/12/2026\r\n"), "Excel's sep line": []byte("sep=;\r\n" + crlf), "a sep line in quotes": []byte("\"sep=;\"\n" + text),
		"Unicode text": utf16Of(binary.LittleEndian, "\ufeff"+strings.ReplaceAll(crlf, ";", "\t")), "pipes": []byte(strings.ReplaceAll(text, ";", "|")),
		"quotes everywhere": []byte("\"name\",\"price\",\"date\"\n\"L’énergie\",\"12,50\",\"07/12/2026\"\n"), "a title above": []byte("My books, 2026\n;;\n" + text), "without a last line end": []byte(strings.TrimSpace(text)),
	} {
		s, err := sheet.Read(file, known)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := rowsOf(s); got != "L’énergie|12,50|07/12/2026" || !slices.Equal(s.Header, []string{"name", "price", "date"}) {
			t.Errorf("%s (%s, %q): %q, %q", name, s.Encoding, s.Separator, s.Header, got)
		}
	}
}

func TestAJapaneseFileIsToldFromAWesternOne(t *testing.T) {
	for text, want := range map[string]sheet.Encoding{
		"name,price\nデータサイエンス入門,1200\n": sheet.ShiftJIS, "題名,価格\n線形代数学,1200\n": sheet.ShiftJIS,
		"name,price\nあい,1\n": sheet.ShiftJIS, "name,price\nこころ～上巻,1\n": sheet.ShiftJIS,
	} {
		file := must.Get(japanese.ShiftJIS.NewEncoder().Bytes([]byte(text)))(t)
		s, err := sheet.Read(file, known)
		if err != nil || s.Encoding != want || !strings.Contains(text, strings.Split(rowsOf(s), "|")[0]) {
			t.Errorf("%q is %q in %s: %v", text, rowsOf(s), s.Encoding, err)
		}
	}
	for _, text := range []string{
		"name;price\nL’Énergie à l’état pur – “première” partie…;12\n", "name;price\nAlgèbre linéaire;12,50 €\n", "name,price\nMaß- und Integrationstheorie,3\n",
		"name;price\nElectrònica ‚àéî‚ ƒelices;1\n", "name,price\nŒuvre žlutý kůň,1\n", "name,price\nÁlgebra ¿qué?,1\n", "name,price\nDüüsseldorf öööö ääää,2\n",
	} {
		file := must.Get(encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()).Bytes([]byte(text)))(t)
		if s, err := sheet.Read(file, known); err != nil || s.Encoding != sheet.Windows1252 {
			t.Errorf("%q is read as %q in %s: %v", text, rowsOf(s), s.Encoding, err)
		}
	}
}

func TestQuotesAreReadAsSpreadsheetsAndPeopleWriteThem(t *testing.T) {
	for in, want := range map[string]string{
		"\"a\"\"b\",2": "a\"b|2", "\"a\nb\",2\nc": "a\nb|2/c", "5\" ruler,2": "5\" ruler|2", "\"a\"b,2": "ab|2", "\"a,2\nb,3": "broken \"a,2/b|3", "a,\"2\nb,\"3\"": "a|2\nb,3\"",
		"=\"0123\",x": "0123|x", "\n,\nx": "/|/x", "a,\"\"": "a|", "\"" + strings.Repeat("x", 20<<10) + "\",1\ny,2": "broken \"" + strings.Repeat("x", 16<<10-1) + "/y|2",
	} {
		s, err := sheet.Read([]byte("name,price\n"+in), known)
		if err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(s); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
}

func TestUnknownHeadersAreFoundByTheirShape(t *testing.T) {
	s, err := sheet.Read([]byte("Books of Ada\nWhat;How much, about;When\nAlgebra;12,50;soon\nTopology;9,00;later\n"), known)
	if err != nil || s.Separator != ';' || s.HeaderLine != 2 || s.Header[1] != "How much, about" {
		t.Errorf("read %+v, %v", s, err)
	}
}

func TestWhatIsNoTableIsRefusedWithTheReason(t *testing.T) {
	for file, want := range map[string]error{
		"": sheet.ErrEmpty, "\n\n": sheet.ErrEmpty, "\xff\xfe": sheet.ErrEmpty, "PK\x03\x04...": sheet.ErrWorkbook, "PK\x05\x06": sheet.ErrWorkbook, "%PDF-1.7\n1 0 obj\n": sheet.ErrDocument, "\ufeff<?xml version=\"1.0\"?>\n": sheet.ErrDocument, "<!DOCTYPE html>": sheet.ErrDocument, "{\\rtf1": sheet.ErrDocument, "\xd0\xcf\x11\xe0...": sheet.ErrWorkbook,
		"a\x00b,c\n": sheet.ErrEncoding, "name,\x81 price\n": sheet.ErrEncoding, "\xff\xfea": sheet.ErrEncoding,
	} {
		if s, err := sheet.Read([]byte(file), known); !errors.Is(err, want) {
			t.Errorf("%q is read as %+v, %v; want %v", file, s, err, want)
		}
	}
}

func TestEveryTableComesBackFromItsOwnFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		separator := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "separator")
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		cells := rapid.SliceOfN(rapid.StringMatching(`[ -~é\n]{0,12}`), 3, 3)
		rows := rapid.SliceOfN(cells, 0, 5).Draw(t, "rows")
		var b strings.Builder
		b.WriteString("name" + separator + "price" + separator + "date" + end)
		for _, row := range rows {
			for i, cell := range row {
				if i > 0 {
					b.WriteString(separator)
				}
				b.WriteString(`"` + strings.ReplaceAll(strings.ReplaceAll(cell, `"`, `""`), "\n", end) + `"`)
			}
			b.WriteString(end)
		}
		s, err := sheet.Read([]byte(b.String()), known)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range rows {
			got, ok := s.Next()
			for i := range want {
				if text, formula := strings.CutPrefix(want[i], `="`); formula && strings.HasSuffix(text, `"`) {
					want[i] = strings.TrimSuffix(text, `"`)
				}
			}
			if !ok || !slices.Equal(got.Cells, want) {
				t.Fatalf("%q came back as %q", want, got.Cells)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"name,price\na,1\n", "sep=;\nname;price\n\"a;1", "\xff\xfen\x00a\x00", "name\tprice\r\"\r\r", "\"\"\"\n,,,|;"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := sheet.Read(file, known)
		if err != nil {
			return
		}
		last := s.HeaderLine
		for row, ok := s.Next(); ok; row, ok = s.Next() {
			if row.Line <= last || len(row.Cells) > sheet.MaxColumns+1 {
				t.Fatalf("line %d follows %d with %d cells", row.Line, last, len(row.Cells))
			}
			for _, cell := range row.Cells {
				if !utf8.ValidString(cell) {
					t.Fatalf("%q is no text", cell)
				}
			}
			last = row.Line
		}
	})
}
