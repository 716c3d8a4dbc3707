package text

import "unicode"

// Digit returns the ASCII digit of a decimal digit of any script, of which each has its ten in a row, and
// other characters as they are.
func Digit(r rune) rune {
	if r <= unicode.MaxASCII || !unicode.Is(unicode.Nd, r) {
		return r
	}
	zero := r
	for range 9 {
		if !unicode.Is(unicode.Nd, zero-1) {
			break
		}
		zero--
	}
	for _, t := range unicode.Nd.R32 { // the mathematical digits are several rows without a gap
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return '0' + r - zero
}
