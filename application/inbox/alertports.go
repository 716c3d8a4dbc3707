package inbox

import (
	"context"
	"time"
)

// MailAlert sends an alert by mail. It may drop a mail whose id it has sent before.
type MailAlert func(ctx context.Context, id int64, subject, text string, at time.Time) error

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
