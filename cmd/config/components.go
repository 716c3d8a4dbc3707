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

// Check returns an error for every setting that is missing and that one of the components cannot
// work without, and for what production refuses.
func (c Components) Check(s *Settings) error {
	errs := []error{s.checkAlertSender(c)}
	if c.Mailer && s.Storage.QueueURL == "" && !s.unreadable("QUEUE_URL") {
		errs = append(errs, Errorf("QUEUE_URL", "the mailer takes mails from a queue: redis://... or nats://..."))
	}
	if c.Identity() {
		errs = append(errs, s.checkServices())
	}
	if c.Market {
		errs = append(errs, s.checkISBNTable())
	}
	if c.Webhooks {
		_, noRules := s.ForwardingRules()
		_, noSources := s.WebhookSources()
		errs = append(errs, noRules, noSources)
	}
	if s.Webhooks.Events == "on" && s.SQLite() && (!c.Webhooks || !c.Identity()) && (c.Webhooks || c.Identity()) {
		errs = append(errs, Errorf("WEBHOOK_EVENTS", "events pass from one process to another only on Postgres; on SQLite serve webhooks in the same process as auth and market"))
	}
	if s.Production() {
		errs = append(errs, c.checkNeeded(s), s.checkProduction())
	}
	if s.Production() && c.Webhooks {
		errs = append(errs, s.CheckSecretLength())
	}
	return Together(errs...)
}

// checkNeeded checks that the settings are there that production needs and development makes up
// for.
func (c Components) checkNeeded(s *Settings) error {
	var errs []error
	for _, n := range []struct {
		on    bool
		value string
		names []string
		why   string
	}{
		{c.Identity(), s.Identity.PublicKey + s.Identity.PrivateKey, []string{"PUBLIC_KEY", "PRIVATE_KEY"}, "production refuses generated keys; `octavo keys generate` makes a pair"},
		{c.Identity() && !c.Mailer, s.Mail.SMTPURL + s.Storage.QueueURL, []string{
			"SMTP_URL", "QUEUE_URL",
		}, "production needs a way to mail"},
		{c.Mailer, s.Mail.SMTPURL, []string{"SMTP_URL"}, "the mailer sends over it"},
		{c.Webhooks, s.Webhooks.Secret, []string{"WEBHOOK_SECRET"}, "production refuses a generated secret"},
	} {
		if !n.on || n.value != "" || s.unreadable(n.names...) {
			continue
		}
		separator := ", "
		if slices.Contains(n.names, "QUEUE_URL") {
			separator = " or " // either is enough
		}
		errs = append(errs, Errorf(strings.Join(n.names, separator), "%s (for: %s)", n.why, c))
	}
	return Together(errs...)
}
