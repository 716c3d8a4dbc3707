// Package altered undoes what editors, shells and JSON libraries do to a body, for people who look
// for the reason why its signature does not match.
package altered

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Variant is what a body may have been before something on the way changed it.
type Variant struct {
	Text string // how it differs, after "the body"
	Body []byte
}

// Bodies returns the variants of a body, of which some may be the same as it is.
func Bodies(body []byte) []Variant {
	all := []Variant{
		{"without the line break at its end", bytes.TrimRight(body, "\r\n")},
		{"with a line break at its end", append(bytes.Clone(body), '\n')},
		{"with CR and LF at its end", append(bytes.TrimRight(bytes.Clone(body), "\r\n"), "\r\n"...)},
		{"with line breaks of LF alone", bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))},
		{"with line breaks of CR and LF", bytes.ReplaceAll(
			bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"),
		)},
		{"without the byte order mark", bytes.TrimPrefix(body, []byte("\ufeff"))},
		{"without the space around it", bytes.TrimSpace(body)},
		{"of no bytes", nil},
	}
	var compact bytes.Buffer
	if json.Compact(&compact, body) != nil {
		return all
	}
	dense := compact.Bytes()
	return append(all,
		Variant{"without spaces between the members, as another JSON library writes it", dense},
		Variant{"with spaces after : and ,, as another JSON library writes it", spaced(dense)},
		Variant{"without the escapes that a JSON library has put in", unescaped(dense)},
		Variant{"with characters beyond ASCII escaped, as another JSON library writes it", asciiOnly(dense)},
		Variant{"with slashes escaped, as another JSON library writes it", bytes.ReplaceAll(dense, []byte("/"), []byte(`\/`))},
	)
}

// spaced adds a space after each colon and comma of compact JSON outside strings.
func spaced(dense []byte) []byte {
	var out bytes.Buffer
	inString, escaped := false, false
	for _, c := range dense {
		out.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			out.WriteByte(' ')
		}
	}
	return out.Bytes()
}

// unescaped replaces the escapes that Go's encoder and others add.
func unescaped(dense []byte) []byte {
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\/`, "/").Replace(string(dense))
	return []byte(text)
}

// asciiOnly escapes characters beyond ASCII, those beyond the basic plane as pairs.
func asciiOnly(dense []byte) []byte {
	var out bytes.Buffer
	for _, c := range string(dense) {
		switch {
		case c < 0x80:
			out.WriteRune(c)
		case c > 0xffff:
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, c)
		}
	}
	return out.Bytes()
}
