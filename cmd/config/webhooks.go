package config

import (
	"cmp"
	"net/mail"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/adapters/rulefile"
	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

func (s *Settings) checkWebhooks() error {
	v := &s.Webhooks
	given := v.Path
	v.Path = strings.TrimRight(given, "/")
	_, sender := s.WebhookSender()
	_, secrets := s.additionalSecrets()
	_, keeps := s.InboxConfig()
	errs := []error{sender, secrets, keeps, s.CheckAlerts(), oneOf("WEBHOOK_EVENTS", cmp.Or(v.Events, "auto"), "auto", "on", "off")}
	if u, err := url.Parse(v.Path); err != nil || !strings.HasPrefix(v.Path, "/") || u.Path != v.Path || path.Clean(v.Path) != v.Path ||
		strings.ContainsAny(v.Path, ":*{}") {
		errs = append(errs, Errorf("WEBHOOK_PATH", "%q is not a path such as /api/host/webhooks", given))
	}
	return Together(errs...)
}

// CheckAlerts checks where alerts go. Errors do not show ALERT_URL, which may be a secret.
func (s *Settings) CheckAlerts() error { return Together(s.checkAlertURL(), s.checkAlertMail()) }

func (s *Settings) checkAlertURL() error {
	v := &s.Webhooks
	if v.AlertURL == "" {
		return nil
	}
	_, err := inbox.Rule{Match: "*", URL: v.AlertURL, Private: v.AlertPrivate}.Complete()
	if f := fault.As(err); f != nil {
		why := strings.ReplaceAll(f.Fields["url"], "private: true", "ALERT_PRIVATE=true")
		return Errorf("ALERT_URL", "%s", strings.ReplaceAll(why, v.AlertURL, "the value"))
	}
	return nil
}

func (s *Settings) checkAlertMail() error {
	v := &s.Webhooks
	if v.AlertMail == "" {
		return nil
	}
	if address, err := mail.ParseAddress(v.AlertMail); err != nil || address.Address != v.AlertMail {
		return Errorf("ALERT_MAIL", "%q is not an address such as ops@example.edu", v.AlertMail)
	}
	return nil
}

// checkAlertSender checks that alerts can be mailed: over SMTP, or into the mailbox of
// development, which is where accounts are.
func (s *Settings) checkAlertSender(c Components) error {
	if !c.Webhooks || s.Webhooks.AlertMail == "" || s.Mail.SMTPURL != "" || s.unreadable("SMTP_URL") || c.Identity() && s.DevMailbox() {
		return nil
	}
	return Errorf("ALERT_MAIL", "requires a mail server; set SMTP_URL too")
}

// WebhookSender is the sender of the default source.
func (s *Settings) WebhookSender() (*webhook.Sender, error) {
	if s.Webhooks.Sender == "custom" {
		return nil, Errorf("WEBHOOK_SENDER", "a custom sender needs fields of its own; describe it in the file of WEBHOOK_SOURCES")
	}
	if s.Webhooks.Sender == "" {
		return webhook.Host, nil
	}
	sender, err := webhook.SenderNamed(s.Webhooks.Sender)
	if err != nil {
		return nil, Errorf("WEBHOOK_SENDER", "%s", strings.TrimPrefix(err.Error(), "webhook: "))
	}
	return sender, nil
}

// PublishEvents reports whether a process with these components writes events for the webhook
// service.
func (s *Settings) PublishEvents(c Components) bool {
	switch s.Webhooks.Events {
	case "on":
		return c.Identity()
	case "off":
		return false
	}
	return c.Identity() && c.Webhooks
}

// RelayEvents reports whether a process with these components relays the waiting events to its
// webhook service.
func (s *Settings) RelayEvents(c Components) bool {
	return c.Webhooks && (c.Identity() || s.Webhooks.Events == "on")
}

// WebhookSources returns the sources of the file of WEBHOOK_SOURCES.
func (s *Settings) WebhookSources() ([]sourcefile.Source, error) {
	if s.Webhooks.Sources == "" {
		return nil, nil
	}
	shortest := 1
	if s.Production() {
		shortest = shortestSecret
	}
	sources, err := sourcefile.Load(s.Webhooks.Sources, shortest)
	if err != nil {
		return nil, Errorf("WEBHOOK_SOURCES", "%v", err)
	}
	for _, source := range sources {
		if source.Path == s.Webhooks.Path {
			return nil, Errorf("WEBHOOK_SOURCES", "%s: the path %s is that of the default source, WEBHOOK_PATH", source.Place, source.Path)
		}
	}
	return sources, nil
}

// committersOnPostgres is how many transactions store deliveries concurrently.
const committersOnPostgres = 3

// InboxConfig is the configuration of the durable webhook service.
func (s *Settings) InboxConfig() (serving.Config, error) {
	c := serving.DefaultConfig()
	c.PayloadRetention, c.DeliveryRetention, c.ReplayWindow = s.Webhooks.KeepBodies, s.Webhooks.KeepIDs, s.Webhooks.ReplayWindow
	c.MaxPending, c.MaxDeliveries = s.Webhooks.MaxPending, s.Webhooks.KeepMost
	if s.checkAlertURL() == nil { // what is wrong with it has a line of its own
		c.AlertURL, c.AlertPrivate = s.Webhooks.AlertURL, s.Webhooks.AlertPrivate
	}
	if !s.SQLite() {
		c.Committers = committersOnPostgres
	}
	if err := c.Validate(); err != nil {
		return c, Errorf("WEBHOOK_KEEP_BODIES, WEBHOOK_KEEP_IDS, WEBHOOK_KEEP_MOST, WEBHOOK_REPLAY_WINDOW, WEBHOOK_MAX_PENDING", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return c, nil
}

// ForwardingRules returns the rules of --forward and of the rules file.
func (s *Settings) ForwardingRules() ([]inbox.Rule, error) {
	var rules []inbox.Rule
	var options []inbox.RuleOption
	if sender, err := s.WebhookSender(); err != nil {
		return nil, err
	} else if sender != webhook.Host {
		options = append(options, inbox.AnyName)
	}
	for _, text := range s.Webhooks.Forward {
		some, err := inbox.ParseForwards(text, options...)
		if err != nil {
			return nil, Errorf("--forward, WEBHOOK_FORWARD", "%v", err)
		}
		rules = append(rules, some...)
	}
	if s.Webhooks.Rules != "" {
		more, err := rulefile.Load(s.Webhooks.Rules, expression.Compile, options...)
		if err != nil {
			return nil, Errorf("WEBHOOK_RULES", "%v", err)
		}
		if err := s.checkRuleSources(more); err != nil {
			return nil, err
		}
		rules = append(rules, more...)
	}
	if err := inbox.CheckKeys(rules); err != nil {
		return nil, Errorf("--forward, WEBHOOK_FORWARD, WEBHOOK_RULES", "%v", err)
	}
	return rules, nil
}

// checkRuleSources returns an error for a rule that names a source which does not exist.
func (s *Settings) checkRuleSources(rules []inbox.Rule) error {
	sources, err := s.WebhookSources()
	if err != nil {
		return err
	}
	names := []string{inbox.DefaultSource, event.Source}
	for _, source := range sources {
		names = append(names, source.Name)
	}
	for i, rule := range rules {
		if rule.Source != "" && !slices.Contains(names, rule.Source) {
			return Errorf(
				"WEBHOOK_RULES", "%s: rule %d: the source %s is not one of %s", s.Webhooks.Rules, i+1, rule.Source,
				strings.Join(names, ", "),
			)
		}
	}
	return nil
}
