package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// at returns the byte at i, 0 after the end; no JSON token begins with 0.
func at(data []byte, i int) byte {
	if i < len(data) {
		return data[i]
	}
	return 0
}

// skipSpace returns the offset of the first byte that is not white space.
func skipSpace(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' && isSpace(data[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// skipKey skips a key and its colon and returns the offset of the value.
func skipKey(data []byte, i int) int {
	if at(data, i) != '"' {
		return ^i
	}
	if i = skipString(data, i); i < 0 {
		return i
	}
	if i = skipSpace(data, i); at(data, i) != ':' {
		return ^i
	}
	return skipSpace(data, i+1)
}

// A byte repeated eight times, for examining eight bytes at once (SWAR).
const (
	ones       = 0x0101010101010101
	highs      = 0x80 * ones
	spaces     = 0x20 * ones
	quotes     = '"' * ones
	backslashs = '\\' * ones
)

// stops sets the high bit of each byte of w that is a quote, a backslash or a control
// character. The lowest mark is always right; the borrow of the subtraction may set
// false marks above it.
func stops(w uint64) uint64 {
	quote, backslash := w^quotes, w^backslashs
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-spaces)&^w) & highs
}

// skipString returns the offset after the string whose opening quote is at i.
func skipString(data []byte, i int) int {
	i++
	for {
		for i+8 <= len(data) {
			found := stops(binary.LittleEndian.Uint64(data[i:]))
			if found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		switch c := at(data, i); {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = skipEscape(data, i); i < 0 {
				return i
			}
		case c < ' ': // also the end of the text
			return ^i
		default:
			i++
		}
	}
}

// skipEscape returns the offset after the escape whose backslash is at i.
func skipEscape(data []byte, i int) int {
	switch at(data, i+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		for j := i + 2; j < i+6; j++ {
			if !isHex(at(data, j)) {
				return ^j
			}
		}
		return i + 6
	}
	return ^(i + 1)
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// skipLiteral returns the offset after the number, true, false or null at i.
func skipLiteral(data []byte, i int) int {
	switch c := at(data, i); {
	case c == 't':
		return skipWord(data, i, "true")
	case c == 'f':
		return skipWord(data, i, "false")
	case c == 'n':
		return skipWord(data, i, "null")
	case c == '-' || isDigit(c):
		return skipNumber(data, i)
	}
	return ^i
}

func skipWord(data []byte, i int, word string) int {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return ^i
	}
	return i + len(word)
}

// skipNumber returns the offset after the number at i, which has no leading zeros and
// digits on both sides of a decimal point.
func skipNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	if at(data, i) == '0' {
		i++
	} else if i = skipDigits(data, i); i < 0 {
		return i
	}
	if at(data, i) == '.' {
		if i = skipDigits(data, i+1); i < 0 {
			return i
		}
	}
	if c := at(data, i); c == 'e' || c == 'E' {
		i++
		if c = at(data, i); c == '+' || c == '-' {
			i++
		}
		return skipDigits(data, i)
	}
	return i
}

// skipDigits requires at least one digit.
func skipDigits(data []byte, i int) int {
	start := i
	for isDigit(at(data, i)) {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}
