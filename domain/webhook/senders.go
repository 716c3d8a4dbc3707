package webhook

import (
	"cmp"
	"fmt"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// row is a predefined sender: a description as users write them, and what only these have.
type row struct {
	CustomSender
	name string
	also []CustomSender // further ways in which it signs, for the same events and ids

	special      *special
	extra        func(Request) bool
	vendor       *certificate
	confirm      string // the path of the URL to confirm, in the challenge
	token        string // the parameter of the verify token, in the challenge
	needsEvent   bool   // there is no other event if it is not where it should be
	needsID      bool
	actions      bool
	closed       bool
	standardKeys bool
	anyType      bool
	unauthorized bool
}

// sender makes the sender of a row. It panics if the row is invalid, which is a mistake of this
// package that every program would show.
func (p row) sender() *Sender {
	s := &Sender{
		name: p.name, special: p.special, extra: p.extra, actions: p.actions, closed: p.closed, standardKeys: p.standardKeys,
		anyType:      p.anyType,
		unauthorized: p.unauthorized,
	}
	if p.special != nil {
		p.Signature = SignaturePlace{Header: "None"}
	}
	if err := p.compile(s); err != nil {
		panic(p.name + ": " + err.Error())
	}
	if s.certificate = cmp.Or(s.certificate, p.vendor); p.special != nil {
		s.schemes = nil
	}
	for _, c := range p.also {
		sc, err := c.compileScheme(s.id)
		if err != nil {
			panic(p.name + ": " + err.Error())
		}
		s.schemes = append(s.schemes, sc)
	}
	s.usesURL = s.findURL() || p.extra != nil
	if p.needsEvent {
		s.event.fallback = ""
	}
	if p.needsID {
		s.id.hash = false
	}
	for _, one := range s.challenges {
		one.token = p.token
		if p.confirm != "" {
			one.confirm, _ = rawjson.ParsePath(p.confirm)
		}
	}
	return s
}

func header(name string) Place { return Place{Header: name} }
func inJSON(path string) Place { return Place{JSON: path} }
func firstOf(first, then Place) Place {
	first.Else = &then
	return first
}

// Senders returns every predefined sender.
func Senders() []*Sender {
	return []*Sender{
		Host, GitHub, Gitea, Forgejo, Gogs, GitLab, Bitbucket, Stripe, Slack, Shopify, Standard,
		Svix, Zoom, Paddle, Calendly, Square, HubSpot, Twilio, SendGrid, Discord, Mailgun, PayPal, SNS, Graph, Meta, Vercel, Intercom,
		Trello, Paystack,
		PagerDuty, Linear, WooCommerce, Razorpay, Sentry, Typeform, Octavo,
	}
}

// SenderNamed finds a sender by its name. The error lists the names.
func SenderNamed(name string) (*Sender, error) {
	var names []string
	for _, s := range Senders() {
		if s.name == name {
			return s, nil
		}
		names = append(names, s.name)
	}
	return nil, fmt.Errorf("webhook: unknown sender %.100q; the senders are %v", name, names)
}
