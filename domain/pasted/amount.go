package pasted

import (
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
)

// Amount reads an amount as people and spreadsheets write it: with the sign or code of its currency, with a point or
// a comma before the decimals, with signs between the thousands, with a dash for no decimals.
//
// If there are two kinds of signs between the digits, the last one comes before the decimals. If one occurs once,
// it does so, too, unless exactly three digits follow it: then these are thousands, because amounts have no three
// decimals. Those of a currency with three decimals, such as the Kuwaiti dinar, have: there it always comes before them.
func Amount(typed string, c money.Currency) (money.Amount, bool) {
	s, ok := withoutSigns(plain(typed, maxValue), c)
	if !ok {
		return 0, false
	}
	whole, fraction, ok := parts(dashed.ReplaceAllString(s, "$1"), c.Decimals())
	if !ok {
		return 0, false
	}
	if most := c.Decimals(); len(fraction) > most && strings.Trim(fraction[most:], "0") == "" {
		fraction = fraction[:most]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	a, err := c.Parse(whole)
	return a, err == nil
}

// dashed matches what stands for no decimals, as in 12.– and 12:-.
var dashed = regexp.MustCompile(`^([0-9][0-9.,' ]*?)[.,:] ?[-‐-―−]{1,2}$`)

// moreSigns are further signs and names of currencies, in lower case. The plain sign is locale.Format's.
var moreSigns = map[string]string{
	"USD": "us$ u$ us dollars dollar", "CAD": "ca$ c$ dollars dollar", "AUD": "au$ a$ dollars dollar", "NZD": "nz$", "SGD": "s$",
	"HKD": "hk$", "MXN": "mx$ pesos", "TWD": "nt$ 元", "EUR": "euros euro", "GBP": "pounds pound", "JPY": "円 yen", "CNY": "元 rmb",
	"KRW": "원", "INR": "rs. rs", "PKR": "rs. rs", "LKR": "rs. rs", "SEK": "kr. kronor", "NOK": "kr.", "DKK": "kr",
	"CHF": "sfr. fr. sfr fr", "PLN": "zl", "CZK": "kc",
}

// signsOf are what stands for a currency, in lower case, the longest first.
func signsOf(c money.Currency) []string {
	all := append(strings.Fields(moreSigns[c.Code()]), strings.ToLower(locale.Format{Currency: c}.Sign()), strings.ToLower(c.Code()))
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// withoutSigns removes what stands for the currency before and after an amount. Within it, as in 12€50, it is
// the sign before the decimals.
func withoutSigns(s string, c money.Currency) (amount string, ok bool) {
	s = strings.ToLower(s)
	signs := signsOf(c)
	for range 2 { // a sign and a code
		for _, sign := range signs {
			if rest, found := strings.CutPrefix(s, sign); found {
				s = strings.TrimSpace(rest)
				break
			}
			if rest, found := strings.CutSuffix(s, sign); found {
				s = strings.TrimSpace(rest)
				break
			}
		}
	}
	for _, sign := range signs {
		if before, after, found := strings.Cut(s, sign); found {
			if strings.Trim(before, "0123456789 .,'") != "" || strings.Trim(after, "0123456789") != "" || len(after) != c.Decimals() {
				return "", false
			}
			return strings.TrimSpace(before) + "." + after, true
		}
	}
	return s, s != ""
}

// lastComma matches an amount with one comma, and what is between it and the sign of the currency.
var lastComma = regexp.MustCompile(`^[^,]*[0-9],([0-9]{1,3}|[-‐-―−]{1,2})[^0-9,]*$`)

// HasDecimalComma reports whether a cell of a column of amounts has a comma before the decimals. As for Amount, three
// digits behind it are thousands, unless the currency has three decimals.
func HasDecimalComma(cell string, c money.Currency) bool {
	found := lastComma.FindStringSubmatch(plain(cell, maxValue))
	return found != nil && (c.Decimals() == 3 || len(strings.Trim(found[1], "0123456789")) > 0 || len(found[1]) < 3)
}

// lastPoint is lastComma for a point.
var lastPoint = regexp.MustCompile(`^[^.]*[0-9]\.([0-9]{1,2}|[-‐-―−]{1,2})[^0-9.]*$`)

// HasDecimalPoint reports whether a cell of a column of amounts has a point before the decimals.
func HasDecimalPoint(cell string, c money.Currency) bool {
	return lastPoint.MatchString(plain(cell, maxValue)) && c.Decimals() > 0
}

var apostrophes = strings.NewReplacer("’", "'", "‘", "'", "´", "'", "`", "'", "٬", "'", "٫", ".", "、", ",", "·", ".")

// parts splits digits with signs between them into those before and after the decimal sign.
func parts(s string, decimals int) (whole, fraction string, ok bool) {
	var groups []string
	var signs []byte
	start := 0
	s = apostrophes.Replace(s)
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			continue
		}
		if !strings.ContainsRune(".,' ", rune(s[i])) || i == start {
			return "", "", false
		}
		groups, signs, start = append(groups, s[start:i]), append(signs, s[i]), i+1
	}
	if start == len(s) {
		return "", "", false
	}
	groups = append(groups, s[start:])
	n := len(signs)
	switch {
	case n == 0:
		return s, "", true
	case isDecimalSign(signs, groups, decimals):
		fraction, groups, signs = groups[n], groups[:n], signs[:n-1]
	}
	return strings.Join(groups, ""), fraction, inThousands(groups, signs)
}

// isDecimalSign reports whether the last of the signs comes before the decimals.
func isDecimalSign(signs []byte, groups []string, decimals int) bool {
	n := len(signs)
	last := signs[n-1]
	switch {
	case last != '.' && last != ',':
		return false
	case n > 1:
		return !slices.Contains(signs[:n-1], last)
	}
	thousands := len(groups[1]) == 3 && len(groups[0]) <= 3 && groups[0][0] != '0'
	return decimals == 3 || !thousands
}

// inThousands reports whether groups of digits are thousands with one sign between them: three digits each, or in
// India two but for the last. The first has one to three.
func inThousands(groups []string, signs []byte) bool {
	n := len(signs)
	if n == 0 {
		return true
	}
	for i, sign := range signs {
		length := len(groups[i])
		if sign != signs[0] || length > 3 || i > 0 && length < 2 || i == 0 && length == 0 {
			return false
		}
	}
	return len(groups[n]) == 3
}
