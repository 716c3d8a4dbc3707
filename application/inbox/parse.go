package inbox

import (
	"regexp"
	"strings"
)

// nextForward matches a comma that ends a rule, because another rule follows it.
// Other commas belong to the URL.
var nextForward = regexp.MustCompile(`,+([A-Za-z0-9_.*]+=[A-Za-z][A-Za-z0-9+.-]*://)`)

// ParseForwards parses any number of rules in their short form, match=url,
// separated by spaces, line breaks or commas. A URL that itself contains
// ",name=x://" must write the comma as %2C.
func ParseForwards(text string, options ...RuleOption) ([]Rule, error) {
	var rules []Rule
	for one := range strings.FieldsSeq(nextForward.ReplaceAllString(text, " $1")) {
		if one = strings.Trim(one, ","); one == "" {
			continue
		}
		rule, err := ParseForward(one, options...)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	if rules == nil {
		_, err := ParseForward(text, options...)
		return nil, err
	}
	return rules, nil
}
