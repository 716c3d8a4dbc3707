package inbox

import (
	"regexp"
	"strings"
)

// nextForward is where a comma ends a rule: another one begins behind it. The other
// commas belong to the URL.
var nextForward = regexp.MustCompile(`,+([A-Za-z0-9_.*]+=[A-Za-z][A-Za-z0-9+.-]*://)`)

// ParseForwards reads any number of rules in their short form, match=url, with
// spaces, line breaks or commas between them. A URL that itself has ",name=x://"
// in it must spell the comma %2C.
func ParseForwards(text string) ([]Rule, error) {
	var rules []Rule
	for _, one := range strings.Fields(nextForward.ReplaceAllString(text, " $1")) {
		if one = strings.Trim(one, ","); one == "" {
			continue
		}
		rule, err := ParseForward(one)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	if rules == nil {
		_, err := ParseForward(text)
		return nil, err
	}
	return rules, nil
}
