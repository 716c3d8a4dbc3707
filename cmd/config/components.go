package config

import (
	"slices"
	"strings"
)

// Components are the parts of the program that one process serves.
type Components struct {
	Auth, Market, Webhooks, Mailer bool
}

// All are the components that `octavo serve` serves by default.
var All = Components{Auth: true, Market: true, Webhooks: true}

// ParseComponents reads the names on the command line; none means All.
func ParseComponents(names []string) (Components, error) {
	if len(names) == 0 {
		return All, nil
	}
	var c Components
	known := map[string]*bool{"auth": &c.Auth, "market": &c.Market, "webhooks": &c.Webhooks, "mailer": &c.Mailer}
	for _, name := range names {
		part, ok := known[name]
		if !ok {
			return Components{}, Errorf("serve", "%q is not one of auth, market, webhooks, mailer", name)
		}
		*part = true
	}
	return c, nil
}

// Identity reports whether a component needs accounts.
func (c Components) Identity() bool { return c.Auth || c.Market }

func (c Components) String() string {
	var names []string
	for name, on := range map[string]bool{"auth": c.Auth, "market": c.Market, "webhooks": c.Webhooks, "mailer": c.Mailer} {
		if on {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Check returns an error if a setting is missing that one of the components cannot
// work without. Production requires more than development.
func (c Components) Check(s *Settings) error {
	if c.Mailer && s.Storage.QueueURL == "" {
		return Errorf("QUEUE_URL", "the mailer takes mails from a queue: redis://... or nats://...")
	}
	if c.Webhooks {
		if _, err := s.ForwardingRules(); err != nil {
			return err
		}
		if _, err := s.WebhookSources(); err != nil {
			return err
		}
	}
	if s.Webhooks.Events == "on" && s.SQLite() && (!c.Webhooks || !c.Identity()) && (c.Webhooks || c.Identity()) {
		return Errorf("WEBHOOK_EVENTS", "events pass from one process to another only on Postgres; on SQLite serve webhooks in the same process as auth and market")
	}
	if !s.Production() {
		return nil
	}
	needed := []struct {
		on    bool
		value string
		name  string
		why   string
	}{
		{c.Identity(), s.Identity.PrivateKey, "PUBLIC_KEY, PRIVATE_KEY", "production refuses generated keys; `octavo keys generate` makes a pair"},
		{c.Identity(), s.Mail.SMTPURL + s.Storage.QueueURL, "SMTP_URL or QUEUE_URL", "production needs a way to mail"},
		{c.Mailer, s.Mail.SMTPURL, "SMTP_URL", "the mailer sends over it"},
		{c.Webhooks, s.Webhooks.Secret, "WEBHOOK_SECRET", "production refuses a generated secret"},
	}
	for _, n := range needed {
		if n.on && n.value == "" {
			return Errorf(n.name, "%s (for: %s)", n.why, c)
		}
	}
	if c.Webhooks {
		return s.CheckSecretLength()
	}
	return nil
}
