package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
)

// Rules parses the limits.
func (l LimitSettings) Rules() (auth.LimitRules, error) {
	rules := auth.DefaultLimits()
	var errs []error
	for _, r := range []struct {
		name, value string
		into        *limit.Rule
	}{
		{"LIMIT_SIGN_IN_FAILURES", l.SignInFailures, &rules.SignInFailures},
		{"LIMIT_ACCOUNT_FAILURES", l.AccountFailures, &rules.AccountFailures},
		{"LIMIT_SIGN_INS", l.SignIns, &rules.SignIns},
		{"LIMIT_SIGN_UPS", l.SignUps, &rules.SignUps},
		{"LIMIT_MAIL_REQUESTS", l.MailRequests, &rules.MailRequests},
		{"LIMIT_CODES", l.Codes, &rules.Codes},
		{"LIMIT_TOTP_FAILURES", l.TotpFailures, &rules.TotpFailures},
		{"LIMIT_SIGN_UP_MAILS", l.SignUpMails, &rules.SignUpMails[0]},
	} {
		errs = append(errs, readRate(r.name, r.value, r.into))
	}
	rules.Mails = make([]limit.Rule, len(l.Mails))
	for i, value := range l.Mails {
		errs = append(errs, readRate("LIMIT_MAILS", value, &rules.Mails[i]))
	}
	return rules, Together(append(errs,
		between("LIMIT_HASHING_QUEUE", l.HashingQueue, 1, 10_000),
		between("LIMIT_POSTS", l.Posts, 0, 1_000_000),
		between("LIMIT_IMPORT_LINES", l.ImportLines, 0, 1_000_000),
		between("LIMIT_OPEN_PURCHASES", l.OpenPurchases, 1, 10_000),
		between("LIMIT_STREAMS", l.Streams, 1, 1000),
	)...)
}

func readRate(name, text string, into *limit.Rule) error {
	count, period, err := parseRate(text)
	if err != nil {
		return Errorf(name, "%q is not a rate such as 10/15m", text)
	}
	into.Burst, into.Period = count, period
	return nil
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
