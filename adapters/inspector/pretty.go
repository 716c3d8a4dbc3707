package inspector

import (
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
)

// maxIndent bounds the levels of indentation: the beginning of deeply nested JSON would
// otherwise be mostly spaces.
const maxIndent = 24

// pretty indents JSON and stops after about limit bytes; cut reports whether it did. Control
// and hidden characters become escapes, which do not change the value. Invalid JSON is
// indented by its brackets and commas, too.
func pretty(payload []byte, limit int) (shown string, cut bool) {
	w := &indenter{limit: limit}
	rest := payload
	for len(rest) > 0 && w.b.Len() < limit {
		rest = rest[w.next(rest):]
	}
	return text.Visible(strings.ToValidUTF8(w.b.String(), "\ufffd")), len(rest) > 0
}

type indenter struct {
	b     strings.Builder
	depth int
	limit int
}

// next writes one token, or the beginning of a long one, and returns its length.
func (w *indenter) next(rest []byte) int {
	switch c := rest[0]; c {
	case ' ', '\t', '\r', '\n':
	case '"':
		n := min(stringLength(rest), w.limit)
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n-- // not in the middle of a character
		}
		w.b.Write(rest[:max(n, 1)])
		return max(n, 1)
	case '{', '[':
		w.b.WriteByte(c)
		if end := firstToken(rest[1:]); end > 0 {
			w.b.WriteByte(rest[end])
			return end + 1
		}
		w.depth++
		w.newLine()
	case '}', ']':
		w.depth--
		w.newLine()
		w.b.WriteByte(c)
	case ',':
		w.b.WriteByte(c)
		w.newLine()
	case ':':
		w.b.WriteString(": ")
	default:
		w.b.WriteByte(c)
	}
	return 1
}

func (w *indenter) newLine() {
	w.b.WriteByte('\n')
	for range min(max(w.depth, 0), maxIndent) {
		w.b.WriteString("  ")
	}
}

// firstToken returns 1 plus the place of a closing bracket that follows at once, else 0.
func firstToken(rest []byte) int {
	for i, c := range rest {
		switch c {
		case ' ', '\t', '\r', '\n':
		case '}', ']':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// stringLength returns the length of a string with its quotes.
func stringLength(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(rest)
}
