package inbox

import (
	"strconv"
	"strings"
	"time"
)

// maxRate limits the number of a rate, because the time of each send is remembered.
const maxRate = 10_000

var ratePeriods = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// ParseRate parses a rate such as 10/s, 100/m or 1000/h. most is 0 for an empty text.
func ParseRate(text string) (most int, per time.Duration, err error) {
	if text == "" {
		return 0, 0, nil
	}
	number, period, _ := strings.Cut(text, "/")
	most, err = strconv.Atoi(number)
	if per = ratePeriods[period]; err != nil || per == 0 || most < 1 || most > maxRate || strconv.Itoa(most) != number {
		return 0, 0, RuleError("rate", "%.40q is not a rate such as 10/s, 100/m or 1000/h, with a number from 1 to %d", text, maxRate)
	}
	return most, per, nil
}
