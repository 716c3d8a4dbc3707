package web

import (
	"regexp"
	"strings"

	"github.com/octavo-books/octavo/domain/user"
)

// AddressRule says what addresses of students end in.
const AddressRule = "It ends in %s."

// listOr joins the last two domains in a rule.
const listOr = " or "

// reasons are the texts of the domain that contain values, as formats. Their keys in the
// catalogues are the formats.
var reasons = []string{
	"Must be an amount in %s without decimals, such as %s.",
	"Must be an amount in %s with at most two decimals, such as %s.",
	"Must be an amount in %s with at most three decimals, such as %s.",
	"Must be from %s to %s.",
	"must end in %s",
	"Time zone: %s",
	AddressRule,
}

var reasonPatterns = func() []*regexp.Regexp {
	all := make([]*regexp.Regexp, len(reasons))
	for i, r := range reasons {
		all[i] = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(r), "%s", "(.+)") + "$")
	}
	return all
}()

// Reason translates why a field is invalid.
func Reason(lang user.Lang, why string) string { return translateReason(lang, why) }

// translateReason translates why a field is invalid, and writes its numbers with the decimal
// comma of the language.
func translateReason(lang user.Lang, why string) string {
	for i, pattern := range reasonPatterns {
		found := pattern.FindStringSubmatch(why)
		if found == nil {
			continue
		}
		values := make([]any, 0, len(found)-1)
		for _, v := range found[1:] {
			if lang == user.FR && decimalNumber.MatchString(v) {
				v = strings.Replace(v, ".", ",", 1)
			}
			values = append(values, strings.ReplaceAll(v, listOr, Translate(lang, listOr)))
		}
		return Translate(lang, reasons[i], values...)
	}
	return Translate(lang, why)
}

var decimalNumber = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
