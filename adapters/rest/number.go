package rest

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxPlain is how many digits a number may have on either side of its point once
// it is written out; no legal value has as many.
const maxPlain = 30

// plain rewrites the numbers of a decoded JSON value as people write them: 1e2
// and 100.0 are 100. JSON knows no difference between them, and encoders of
// floats use all of these spellings.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		return plainNumber(v)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	}
	return v
}

// plainNumber writes n, a JSON number, without exponent and needless zeros, to
// the last digit. It leaves what would be too long as it is, for the checks to
// refuse; the work depends on the length of the text and not on the exponent.
func plainNumber(n json.Number) json.Number {
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
	if err != nil || len(digits) > maxPlain || scale < -maxPlain || scale > maxPlain {
		return n
	}
	digits = point(digits, int(scale))
	if negative {
		digits = "-" + digits
	}
	return json.Number(digits)
}

// point writes digits × 10^scale.
func point(digits string, scale int) string {
	if scale >= 0 {
		return digits + strings.Repeat("0", scale)
	}
	digits = strings.Repeat("0", max(0, 1-scale-len(digits))) + digits
	at := len(digits) + scale
	return digits[:at] + "." + digits[at:]
}
