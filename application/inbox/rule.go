package inbox

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/webhook"
)

// The defaults of a Rule's zero fields.
const (
	DefaultConcurrency = 4
	DefaultTimeout     = 10 * time.Second
	DefaultMaxTries    = 36 // about a day
)

// The limits of a rule's fields.
const (
	maxConcurrency = 256
	MaxTimeout     = 5 * time.Minute
	maxTries       = 1000
	maxURL         = 2048
	maxName        = 64
	maxOrderBy     = 1000
	maxKey         = 2400 // Postgres indexes up to 2,700 bytes
)

// AnyEvent matches every event.
const AnyEvent = "*"

// Rule is immutable. It forwards the deliveries that it matches to a target.
type Rule struct {
	Name        string            // identifies the rule to its jobs across changes; "" means Match=URL
	Source      string            // forwards only deliveries of this source; "" for any
	Match       string            // patterns, one a line: an event or event.action in which * stands for any characters
	Where       string            // a condition on the delivery, compiled by Expressions; "" for none
	URL         string            // of the target: http or https, without a user
	Secret      string            // signs what is forwarded; "" means the service's secret
	Sign        string            // SignStandard, SignSender or SignNone; all the same for webhook.Host
	Forwarded   []string          // the sender's headers that are forwarded, by name; nil for all
	Headers     map[string]string // added to them; the values may be secrets
	Paused      bool              // jobs wait until the rule is no longer paused
	Private     bool              // a name may resolve to a private or loopback address
	Concurrency int               // concurrent sends, 1 to 256
	Rate        string            // most sends by one process, such as 10/s, 100/m or 1000/h; "" for no limit
	OrderBy     string            // deliveries with the same value at this JSON path are sent in order, one at a time
	Timeout     time.Duration     // of one attempt, up to five minutes
	MaxTries    int               // attempts before a job is dead-lettered, 1 to 1,000
	AnyName     bool              // Match may name events outside webhook.Host's table without naming a source
}

// ParseForward parses the short form of a rule, match=url.
func ParseForward(text string, options ...RuleOption) (Rule, error) {
	match, target, ok := strings.Cut(text, "=")
	if !ok {
		return Rule{}, RuleError("forward", "%q is not match=url, for example push=http://127.0.0.1:9000/deploy", text)
	}
	return Rule{Match: match, URL: target}.With(options).Complete()
}

// RuleOption changes rules as they are parsed.
type RuleOption func(*Rule)

// AnyName lets rules match any name of an event, see Rule.AnyName.
func AnyName(r *Rule) { r.AnyName = true }

// With returns the rule with the options.
func (r Rule) With(options []RuleOption) Rule {
	for _, change := range options {
		change(&r)
	}
	return r
}

// Key identifies the rule in the store and in lists. It is unique among the rules.
func (r Rule) Key() string {
	if r.Name != "" {
		return r.Name
	}
	return r.matchText() + "=" + r.URL
}

// CheckKeys refuses two rules with the same Key: they could not be told apart.
func CheckKeys(rules []Rule) error {
	seen := make(map[string]bool, len(rules))
	for _, r := range rules {
		if seen[r.Key()] {
			return RuleError("match", "the rule %s is given twice", r.Key())
		}
		seen[r.Key()] = true
	}
	return nil
}

// matchText names the source, if there is one, and the patterns on one line.
func (r Rule) matchText() string {
	patterns := strings.ReplaceAll(r.Match, "\n", ",")
	if r.Source == "" {
		return patterns
	}
	return r.Source + "/" + patterns
}

// Complete fills in the defaults and validates the rule. The error is an ErrRule
// that names the field.
func (r Rule) Complete() (Rule, error) {
	r.Concurrency = cmp.Or(r.Concurrency, DefaultConcurrency)
	r.Timeout = cmp.Or(r.Timeout, DefaultTimeout)
	r.MaxTries = cmp.Or(r.MaxTries, DefaultMaxTries)
	if err := checkName(r.Name); err != nil {
		return Rule{}, err
	}
	if err := checkName(r.Source); err != nil {
		return Rule{}, RuleError("source", "%.100q is not the name of a source", r.Source)
	}
	if err := r.checkMatch(); err != nil {
		return Rule{}, err
	}
	if len(r.Key()) > maxKey {
		return Rule{}, RuleError("name", "patterns and url have more than %d bytes, so the rule needs a name", maxKey)
	}
	if err := r.checkHeaders(); err != nil {
		return Rule{}, err
	}
	if err := r.checkSign(); err != nil {
		return Rule{}, err
	}
	if err := r.checkURL(); err != nil {
		return Rule{}, err
	}
	if err := r.checkLimits(); err != nil {
		return Rule{}, err
	}
	if _, _, err := ParseRate(r.Rate); err != nil {
		return Rule{}, err
	}
	if _, err := webhook.NewStandardSigner(r.Secret); r.Secret != "" && err != nil {
		return Rule{}, RuleError(
			"secret", "a secret that begins with whsec_ continues with the base64 of the key, and a whpk_ key cannot sign",
		)
	}
	if _, err := ParseJSONPath(r.OrderBy); err != nil {
		return Rule{}, err
	}
	if !IsStorable(r.OrderBy, maxOrderBy) {
		return Rule{}, RuleError("orderBy", "it is longer than %d bytes or not printable", maxOrderBy)
	}
	return r, nil
}

func (r Rule) checkLimits() error {
	switch {
	case r.Concurrency < 1 || r.Concurrency > maxConcurrency:
		return RuleError("concurrency", "%d is not from 1 to %d", r.Concurrency, maxConcurrency)
	case r.Timeout < time.Millisecond || r.Timeout > MaxTimeout:
		return RuleError("timeout", "%s is not from 1ms to %s", r.Timeout, MaxTimeout)
	case r.MaxTries < 1 || r.MaxTries > maxTries:
		return RuleError("maxTries", "%d is not from 1 to %d", r.MaxTries, maxTries)
	}
	return nil
}

// checkName permits no name that could be read as match=url.
func checkName(name string) error {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return RuleError("name", "%.100q may contain only letters, digits, -, _ and .", name)
		}
	}
	if len(name) > maxName {
		return RuleError("name", "it is longer than %d characters", maxName)
	}
	return nil
}

func (r Rule) checkURL() error {
	target, err := url.Parse(r.URL)
	switch {
	case err != nil || len(r.URL) > maxURL || !utf8.ValidString(r.URL):
		return RuleError("url", "%.100q is not a URL", r.URL)
	case target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "":
		return RuleError("url", "%q must begin with http:// or https:// and name a host", r.URL)
	case target.User != nil:
		return RuleError("url", "it must not contain a user or password, because lists and logs show it")
	case target.Fragment != "":
		return RuleError("url", "%q has a fragment, which is never sent", r.URL)
	}
	return r.checkAddress(target.Hostname())
}

// metadata are the addresses at which clouds tell their machines secrets, beyond 169.254.0.0/16:
// of Azure, of Alibaba, and of AWS and Google over IPv6.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), netip.MustParsePrefix("100.100.100.200/32"), netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::/32"),
}

// checkAddress refuses literal addresses that the Forwarder would refuse later. Names
// can only be checked when they are resolved.
func (r Rule) checkAddress(host string) error {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return nil //nolint:nilerr // it is a name
	}
	switch addr = addr.Unmap(); {
	case addr.IsUnspecified(), addr.IsLinkLocalUnicast(), addr.IsMulticast(), slices.ContainsFunc(
		metadata, func(p netip.Prefix) bool { return p.Contains(addr) },
	):
		return RuleError("url", "%s is never a target", addr)
	case addr.IsPrivate() && !r.Private:
		return RuleError("url", "%s is a private address, which needs private: true", addr)
	}
	return nil
}

// RuleError is an ErrRule that names one field.
func RuleError(field, format string, args ...any) error {
	why := fmt.Sprintf(format, args...)
	return ErrRule.WithMsg("Forwarding rule: "+field+": "+why).WithField(field, why)
}

// Label identifies a rule in logs and metrics: its name or, because a URL may hold
// a secret, its match and its number among the rules, from 1.
func (r Rule) Label(number int) string {
	if r.Name != "" {
		return r.Name
	}
	return r.matchText() + "#" + strconv.Itoa(number)
}

// Host is the host of the rule's URL.
func (r Rule) Host() string {
	target, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return target.Host
}
