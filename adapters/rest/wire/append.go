package wire

import (
	"encoding/json"
	"time"
	"unicode/utf8"
)

// AppendTime appends a time as a JSON string, in UTC.
func AppendTime(b []byte, t time.Time) []byte {
	b = t.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano)
	return append(b, '"')
}

// AppendText appends a JSON string: it quotes plain ASCII and leaves texts that need escaping to json.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f {
			text, _ := json.Marshal(s) // cannot fail
			return append(b, text...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}
