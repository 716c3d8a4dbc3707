package inbox

import (
	"context"
	"time"
)

// Alerts stores the alerts about rules. Every adapter passes contract.Inbox.
type Alerts interface {
	// ListTroubledRules returns the states, without the numbers of attempts and jobs, of
	// the rules that fail, have a dead letter newer than their last alert, or whose last
	// alert was about a failure. The service calls it every few seconds, so it is cheap.
	ListTroubledRules(ctx context.Context) ([]RuleState, error)
	// FindDead returns the newest delivery with a dead job of a rule, without its payload, or
	// ErrNotFound.
	FindDead(ctx context.Context, rule string) (Delivery, error)
	// RaiseAlerts stores alerts about a rule and increments its AlertCount, if that is still
	// count. raised is false if another process was first: of concurrent calls one raises
	// its alerts.
	RaiseAlerts(ctx context.Context, rule string, count int, at time.Time, alerts []Alert) (raised bool, err error)
	// ClaimAlert returns the oldest alert of a channel, if it is due, counts an attempt and
	// leases it to the caller until a time. Later alerts wait for it.
	ClaimAlert(ctx context.Context, channel string, now, until time.Time) (a Alert, found bool, err error)
	// FinishAlert deletes a claimed alert, or makes it due again if retryAt is not zero. It
	// changes nothing once another process has claimed the alert.
	FinishAlert(ctx context.Context, a Alert, retryAt time.Time) error
}

// AlertMailer sends alerts by mail.
type AlertMailer interface {
	// MailAlert sends a mail. It may drop a mail whose id it has sent before.
	MailAlert(ctx context.Context, id int64, subject, text string, at time.Time) error
}

// The channels of alerts.
const (
	AlertByURL  = "url"
	AlertByMail = "mail"
)

// AlertKind is what an alert says.
type AlertKind string

// The kinds of alerts, as they are sent.
const (
	RuleFailing   AlertKind = "rule.failing"   // no attempt was answered for ten minutes
	RuleDead      AlertKind = "rule.dead"      // a delivery was given up
	RuleRecovered AlertKind = "rule.recovered" // an attempt was answered after one of the others
)

// Alert informs operators about a rule.
type Alert struct {
	ID       int64  `json:"-"`
	Channel  string `json:"-"`
	Attempts int    `json:"-"` // to send it

	Kind   AlertKind     `json:"kind"`
	Rule   string        `json:"rule"`   // its Label
	Target string        `json:"target"` // without its query
	At     time.Time     `json:"at"`
	Since  time.Time     `json:"since"` // when the target began to fail or, after a recovery, to work
	Last   AttemptResult `json:"last"`

	// The newest delivery that was given up; only of RuleDead.
	Source   string `json:"source,omitempty"`
	Event    string `json:"event,omitempty"` // with its action
	Delivery string `json:"delivery,omitempty"`
}
