package inspector

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/octavo-books/octavo/domain/text"
)

// maxIndent bounds the levels of indentation: deeply nested JSON would become mostly spaces, up to
// thousands of times as long.
const maxIndent = 24

// pretty indents JSON of at most limit bytes; anything else is shown as it is. cut reports whether
// only the beginning is shown. Control and hidden characters become escapes, which do not change
// the value.
func pretty(payload []byte, limit int) (shown string, cut bool) {
	var indented bytes.Buffer
	if len(payload) <= limit && nesting(payload) <= maxIndent && json.Indent(&indented, payload, "", "  ") == nil {
		payload = bytes.TrimSpace(indented.Bytes())
	}
	cut = len(payload) > limit
	return text.Visible(strings.ToValidUTF8(string(payload[:min(limit, len(payload))]), "\ufffd")), cut
}

// nesting returns how deep the brackets of a text are nested, apart from those within quotes.
func nesting(payload []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(payload); i++ {
		switch c := payload[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
