package order

import (
	"strings"
	"unicode"
)

// Code is the ID of an order as people read it from a slip, such as 6A63-1SV6-9T1EX. It gives no
// access to the order.
type Code string

// CodeDigits are the 32 digits of codes that people read and type. I, L, O and U are missing,
// because they are mistaken for others.
const CodeDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	codeLen = 13
	idMask  = 1<<63 - 1
	// scramble is odd, so multiplication by it modulo 2^63 can be undone. Without it, the
	// orders of one checkout would differ in their last digit alone, and a typing error
	// could lead to the next order.
	scramble = 0x4f1bbcdcbfa53e0b
)

// unscramble is the inverse of scramble modulo 2^64. Each round of Newton's method doubles
// the number of correct low bits, from 3.
var unscramble = func() uint64 {
	inverse := uint64(scramble)
	for range 5 {
		inverse *= 2 - scramble*inverse
	}
	return inverse
}()

// Code returns the code of an order.
func (i ID) Code() Code {
	n := uint64(i) * scramble & idMask // ids are not negative
	digits := make([]byte, codeLen)
	for at := codeLen - 1; at >= 0; at-- {
		digits[at] = CodeDigits[n%32]
		n /= 32
	}
	return Code(digits[:4]) + "-" + Code(digits[4:8]) + "-" + Code(digits[8:])
}

// FoldCode returns what somebody has typed in the digits of codes: in capitals, without spaces
// and dashes, and with the letters O, I and L as the digits 0 and 1.
func FoldCode(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Pd, r):
			return -1
		case r == 'O':
			return '0'
		case r == 'I', r == 'L':
			return '1'
		}
		return r
	}, strings.ToUpper(s))
}

// ParseCode returns the ID of a code; false if s is not a code. It accepts what FoldCode folds.
func ParseCode(s string) (ID, bool) {
	s = FoldCode(s)
	if len(s) != codeLen {
		return 0, false
	}
	var n uint64
	for at := range len(s) {
		digit := strings.IndexByte(CodeDigits, s[at])
		if digit < 0 || at == 0 && digit > 7 { // 13 digits have two bits more than an ID
			return 0, false
		}
		n = n<<5 | uint64(digit)
	}
	id := ID(n * unscramble & idMask) // 63 bits
	return id, id != 0
}
