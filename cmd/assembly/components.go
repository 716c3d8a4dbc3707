package assembly

import (
	"slices"
	"strings"
)

// Components are the parts of the program that one process serves.
type Components struct {
	Auth, Market, Webhooks, Mailer bool
}

// All is what `octavo serve` serves.
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
			return Components{}, refused("serve", "%q is none of auth, market, webhooks, mailer", name)
		}
		*part = true
	}
	return c, nil
}

// Identity reports whether accounts are needed.
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

// check refuses what a component could not do its work without; in production
// that is more.
func (c Components) check(s *Settings) error {
	if c.Mailer && s.Storage.QueueURL == "" {
		return refused("QUEUE_URL", "the mailer takes mails from a queue: redis://... or nats://...")
	}
	if c.Webhooks {
		if _, err := s.forwardingRules(); err != nil {
			return err
		}
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
			return refused(n.name, "%s (for: %s)", n.why, c)
		}
	}
	if c.Webhooks {
		return s.weakSecret()
	}
	return nil
}
