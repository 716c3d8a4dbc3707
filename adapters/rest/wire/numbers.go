package wire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxDigits bounds the digits on either side of the decimal point. No valid value
// has as many.
const maxDigits = 30

// Normalize rewrites the numbers in a decoded JSON value: 1e2 and 100.0 become 100.
// They are equal in JSON, and encoders of floats use all of these spellings.
func Normalize(v any) any {
	switch v := v.(type) {
	case json.Number:
		return normalizeNumber(v)
	case []any:
		for i := range v {
			v[i] = Normalize(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = Normalize(v[name])
		}
	}
	return v
}

// normalizeNumber removes the exponent and redundant zeros from n without losing a
// digit. It returns a number with too many digits unchanged, so that validation
// refuses it. Its cost depends on the length of the text, not on the exponent.
func normalizeNumber(n json.Number) json.Number {
	text, negative := strings.CutPrefix(string(n), "-")
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	zeros := len(whole) + len(fraction) - len(digits)
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0"
	}
	scale, err := strconv.ParseInt(exponent, 10, 32)
	scale += int64(zeros - len(fraction)) // the number is digits × 10^scale
	if err != nil || len(digits) > maxDigits || scale < -maxDigits || scale > maxDigits {
		return n
	}
	digits = writeDecimal(digits, int(scale))
	if negative {
		digits = "-" + digits
	}
	return json.Number(digits)
}

// writeDecimal formats digits × 10^scale.
func writeDecimal(digits string, scale int) string {
	if scale >= 0 {
		return digits + strings.Repeat("0", scale)
	}
	digits = strings.Repeat("0", max(0, 1-scale-len(digits))) + digits
	at := len(digits) + scale
	return digits[:at] + "." + digits[at:]
}
