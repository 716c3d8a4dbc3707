package assembly

import (
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
)

// rules reads the limits; what is a promise about mails is not for an operator
// to loosen and stays as it is.
func (l LimitSettings) rules() (auth.LimitRules, error) {
	rules := auth.DefaultLimits()
	for _, r := range []struct {
		name, value string
		into        *limit.Rule
	}{
		{"LIMIT_SIGN_IN_FAILURES", l.SignInFailures, &rules.SignInFailures},
		{"LIMIT_SIGN_INS", l.SignIns, &rules.SignIns},
		{"LIMIT_SIGN_UPS", l.SignUps, &rules.SignUps},
		{"LIMIT_MAIL_REQUESTS", l.MailRequests, &rules.MailRequests},
		{"LIMIT_CODES", l.Codes, &rules.Codes},
	} {
		count, period, err := parseRate(r.value)
		if err != nil {
			return rules, refused(r.name, "%q is not a rate such as 10/15m", r.value)
		}
		r.into.Burst, r.into.Period = count, period
	}
	return rules, nil
}

func parseRate(text string) (count int, period time.Duration, err error) {
	before, after, _ := strings.Cut(text, "/")
	if count, err = strconv.Atoi(before); err != nil {
		return 0, 0, err
	}
	if period, err = time.ParseDuration(after); err != nil {
		return 0, 0, err
	}
	if count < 1 || count > 1_000_000 || period < time.Second || period > 30*24*time.Hour {
		return 0, 0, strconv.ErrRange
	}
	return count, period, nil
}
