package inboxhttp

import (
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/id"
)

// Page is a page of deliveries, newest first. Cursor is the parameter that returns
// the next page, null at the end.
type Page struct {
	Deliveries []Delivery `json:"deliveries"`
	Cursor     *string    `json:"cursor"`
}

// Delivery is a delivery as the API and the command line show it.
type Delivery struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`     // the id, or that with ~2, ~3 and so on where an earlier delivery has the same
	Conflict   bool      `json:"conflict"` // no earlier delivery with the same id has its body
	Source     string    `json:"source"`
	Event      string    `json:"event"`
	Action     *string   `json:"action"` // null if the payload has none
	State      string    `json:"state"`  // pending, delivered, dead or unmatched
	ReceivedAt time.Time `json:"receivedAt"`
	Targets    []Target  `json:"targets"`
}

// DeliveryWithPayload is a delivery with its attempts, oldest first, and its payload,
// null once it has been pruned; one that is not JSON is a string.
type DeliveryWithPayload struct {
	Delivery
	Others   []string        `json:"others"` // names of the deliveries with the same id
	Attempts []Attempt       `json:"attempts"`
	Payload  json.RawMessage `json:"payload"`
}

// Target is a forwarding job of a delivery.
type Target struct {
	Rule       string     `json:"rule"`
	State      string     `json:"state"` // pending, delivered, dead or replaced
	Attempts   int        `json:"attempts"`
	Status     *int       `json:"status"` // of the last response; null without one
	Error      *string    `json:"error"`
	DueAt      *time.Time `json:"dueAt"` // of a pending one
	ChangedAt  time.Time  `json:"changedAt"`
	Redelivery bool       `json:"redelivery"`
}

// Redelivery reports the number of targets of a redelivery.
type Redelivery struct {
	ID      string `json:"id"`
	Targets int    `json:"targets"`
}

// ViewPage converts a page; next is the cursor of the next page, 0 at the end.
func ViewPage(deliveries []inbox.Delivery, next int64) Page {
	page := Page{Deliveries: make([]Delivery, 0, len(deliveries))}
	for _, d := range deliveries {
		page.Deliveries = append(page.Deliveries, View(d))
	}
	if next != 0 {
		page.Cursor = optional(id.Format(next))
	}
	return page
}

// View converts a delivery.
func View(d inbox.Delivery) Delivery {
	v := Delivery{
		ID: d.SenderID(), Name: d.Name(), Conflict: d.Conflict, Source: d.Source, Event: string(d.Event), Action: optional(d.Action),
		State: d.State(), ReceivedAt: d.ReceivedAt, Targets: make([]Target, 0, len(d.Jobs)),
	}
	for _, job := range d.Jobs {
		t := Target{
			Rule: job.Rule, State: job.State.String(), Attempts: job.Attempts, Status: optional(job.Status), Error: optional(job.Error),
			ChangedAt: job.ChangedAt, Redelivery: job.Redelivery,
		}
		if job.State == inbox.Open {
			t.DueAt = &job.DueAt
		}
		v.Targets = append(v.Targets, t)
	}
	return v
}

// ViewWithPayload converts a delivery with its attempts and payload.
func ViewWithPayload(d inbox.Delivery) DeliveryWithPayload {
	return DeliveryWithPayload{View(d), append([]string{}, d.Others...), viewAttempts(d.Attempts), viewPayload(d.Payload)}
}

// viewPayload returns a payload that is JSON as it is, and any other as a text.
func viewPayload(payload []byte) json.RawMessage {
	if payload == nil || json.Valid(payload) {
		return payload
	}
	text, _ := json.Marshal(string(payload)) // a string always marshals
	return text
}

// optional returns nil for the zero value.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
