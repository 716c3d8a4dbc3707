package pushing

import (
	"context"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports to which browsers notifications are pushed, and when not.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) {
		all, err := r.ListSubscriptions(ctx, of)
		exported := make([]ExportedSubscription, len(all))
		for i, s := range all {
			exported[i] = exportedSubscription(s)
		}
		out.Add("pushSubscriptions", exported, err)
		quiet, err := r.FindQuiet(ctx, of)
		out.Add("quietHours", ExportedQuiet{quiet.From, quiet.To}, err)
	}
}

// exportedSubscription leaves out what lets others send messages to the browser.
func exportedSubscription(s push.Subscription) ExportedSubscription {
	e := ExportedSubscription{CreatedAt: s.CreatedAt, Kinds: []string{}}
	if endpoint, err := url.Parse(s.Endpoint); err == nil {
		e.Service = endpoint.Host
	}
	for _, k := range s.Kinds {
		e.Kinds = append(e.Kinds, string(k))
	}
	return e
}

// ExportedSubscription is a browser of the user that gets notifications.
type ExportedSubscription struct {
	Service   string    `json:"service"` // the host of its push service
	Kinds     []string  `json:"kinds"`   // of notifications; none: all
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedQuiet are the user's quiet hours in minutes after midnight; none if both are equal.
type ExportedQuiet struct {
	From int `json:"from"`
	To   int `json:"to"`
}
