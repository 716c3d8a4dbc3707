package sheet

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// Encoding is how a file writes its characters.
type Encoding string

// The encodings.
const (
	UTF8        Encoding = "UTF-8"
	UTF16       Encoding = "UTF-16"
	Windows1252 Encoding = "Windows-1252"
	ShiftJIS    Encoding = "Shift_JIS"
)

// beginnings are what other files begin with: workbooks are .xlsx, .ods and .xls, documents are PDF, RTF, web pages, XML and
// pictures.
var beginnings = []struct {
	magic string
	err   error
}{
	{"PK\x03\x04", ErrWorkbook}, {"PK\x05\x06", ErrWorkbook}, {"\xd0\xcf\x11\xe0", ErrWorkbook},
	{"%PDF-", ErrDocument}, {`{\rtf`, ErrDocument}, {"<!DOCTYPE", ErrDocument}, {"<html", ErrDocument}, {"<?xml", ErrDocument},
	{"\x89PNG", ErrDocument}, {"\xff\xd8\xff", ErrDocument}, {"\x1f\x8b", ErrDocument},
}

// decode returns the text of a file.
func decode(file []byte) (string, Encoding, error) {
	for _, other := range beginnings {
		if bytes.HasPrefix(bytes.TrimPrefix(file, []byte(ByteOrderMark)), []byte(other.magic)) {
			return "", "", other.err
		}
	}
	if order := utf16Order(file); order != nil {
		return utf16Text(file, order)
	}
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	switch {
	case bytes.IndexByte(file, 0) >= 0:
		return "", "", ErrEncoding
	case utf8.Valid(file):
		return string(file), UTF8, nil
	}
	eastern, ok := shiftJISText(file)
	text, western, err := windowsText(file)
	if !ok || err == nil && !hasKana(eastern) {
		return text, western, err
	}
	return eastern, ShiftJIS, nil
}

// shiftJISText reads Shift_JIS, which Excel writes on a Japanese desktop. Nearly half of the texts in Windows-1252
// are also valid Shift_JIS: an accent and the letter behind it would be one Chinese character.
func shiftJISText(file []byte) (string, bool) {
	text, err := japanese.ShiftJIS.NewDecoder().Bytes(file)
	return string(text), err == nil && !bytes.ContainsRune(text, utf8.RuneError)
}

// hasKana reports whether a text has two letters in a row that only Japanese has. Their first byte is a comma-like
// quotation mark or a florin sign in Windows-1252.
func hasKana(text string) bool {
	before := false
	for _, r := range text {
		kana := r >= 0x3041 && r <= 0x30fe
		if kana && before {
			return true
		}
		before = kana
	}
	return false
}

// utf16Order returns the order of the bytes of UTF-16: as a byte order mark says, or the zeros of its Latin characters;
// nil for another encoding.
func utf16Order(file []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xfe")):
		return binary.LittleEndian
	case bytes.HasPrefix(file, []byte("\xfe\xff")):
		return binary.BigEndian
	}
	var zeros [2]int
	head := file[:min(len(file), 512)]
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	const few = 8 // one in so many characters, at least, is Latin
	least := max(len(head)/2/few, few)
	switch {
	case zeros[1] >= least && zeros[0] == 0:
		return binary.LittleEndian
	case zeros[0] >= least && zeros[1] == 0:
		return binary.BigEndian
	}
	return nil
}

func utf16Text(file []byte, order binary.ByteOrder) (string, Encoding, error) {
	units := make([]uint16, len(file)/2)
	for i := range units {
		units[i] = order.Uint16(file[2*i:])
	}
	text := strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
	if len(file)%2 != 0 || strings.ContainsRune(text, 0) {
		return "", "", ErrEncoding
	}
	return text, UTF16, nil
}

// windows has the characters from 0x80 to 0x9f of Windows-1252; a space: none. The others are those of Latin-1.
var windows = []rune("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ")

// windowsText reads Windows-1252. A file with bytes that have no character there is in another encoding.
func windowsText(file []byte) (string, Encoding, error) {
	var b strings.Builder
	b.Grow(len(file) + len(file)/8)
	for _, c := range file {
		r := rune(c)
		if c >= 0x80 && c <= 0x9f {
			if r = windows[c-0x80]; r == ' ' {
				return "", "", ErrEncoding
			}
		}
		b.WriteRune(r)
	}
	return b.String(), Windows1252, nil
}
