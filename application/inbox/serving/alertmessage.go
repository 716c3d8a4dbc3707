package serving

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// alertBody is the body of the request to Config.AlertURL.
type alertBody struct {
	Type      inbox.AlertKind `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Rule      string          `json:"rule"`
	Target    string          `json:"target"`
	Since     time.Time       `json:"since"`
	Status    *int            `json:"status"`           // of the last response, null without one
	Error     *string         `json:"error"`            // of the last attempt
	Source    string          `json:"source,omitempty"` // of the newest delivery that was given up
	Event     string          `json:"event,omitempty"`
	Delivery  string          `json:"delivery,omitempty"`
	Text      string          `json:"text"` // for people; chat services show it
}

func (s *Service) sendAlert(ctx context.Context, a inbox.Alert) error {
	subject, text := messageOf(a)
	if a.Channel == inbox.AlertByMail {
		return s.ports.MailAlert(ctx, a.ID, subject, text, a.At)
	}
	body := alertBody{
		Type: a.Kind, Timestamp: a.At, Rule: a.Rule, Target: a.Target, Since: a.Since, Source: a.Source, Event: a.Event,
		Delivery: a.Delivery, Text: subject + ". " + text,
	}
	if a.Last.Status != 0 {
		body.Status = &a.Last.Status
	}
	if a.Last.Error != "" {
		body.Error = &a.Last.Error
	}
	payload, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.postAlert(ctx, a, payload)
}

// postAlert posts an alert in the way of a delivery: signed as a Standard Webhook, with the
// same id on every attempt, without redirects and only to an allowed address.
func (s *Service) postAlert(ctx context.Context, a inbox.Alert, payload []byte) error {
	id := "alert_" + strconv.FormatInt(a.ID, 10)
	timestamp, signature := s.alertSigner.Load().Sign(id, s.ports.Clock.Now(), payload)
	response, err := s.ports.Forwarder.ForwardDelivery(ctx, inbox.ForwardRequest{
		URL: s.config.AlertURL, Private: s.config.AlertPrivate, ID: id, Header: map[string]string{},
		Timestamp: timestamp, Signature: signature, Attempt: a.Attempts, Payload: payload,
	})
	if err == nil && (response.Status < 200 || response.Status > 299) {
		err = fmt.Errorf("answered %d", response.Status)
	}
	return err
}

// messageOf returns the text of an alert for people.
func messageOf(a inbox.Alert) (subject, text string) {
	since := a.Since.UTC().Format("2006-01-02 15:04 MST")
	last := a.Last.Error
	if last == "" {
		last = fmt.Sprintf("answered %d", a.Last.Status)
	}
	switch a.Kind {
	case inbox.RuleFailing:
		return "The target of webhook rule " + a.Rule + " is failing",
			fmt.Sprintf(
				"%s has not accepted a delivery since %s. Last attempt: %s. Octavo stores the deliveries and keeps trying.", a.Target,
				since, last,
			)
	case inbox.RuleDead:
		return "Webhook rule " + a.Rule + " gave up on a delivery",
			fmt.Sprintf("Octavo gave up on %s to %s at %s. Last attempt: %s. "+
				"`octavo webhooks list --state dead` shows it, `octavo webhooks redeliver` sends it again.", deliveryOf(a), a.Target, since, last)
	}
	return "The target of webhook rule " + a.Rule + " works again",
		fmt.Sprintf(
			"%s answers again since %s. Waiting deliveries are being sent; those that were given up stay dead until you redeliver them.",
			a.Target, since,
		)
}

// deliveryOf names the delivery of the alert.
func deliveryOf(a inbox.Alert) string {
	if a.Delivery == "" {
		return "a delivery"
	}
	return fmt.Sprintf("the delivery %s (%s from %s)", a.Delivery, a.Event, a.Source)
}
