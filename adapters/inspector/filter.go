package inspector

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/webhook"
)

// filter is the form above the list, as its fields were given.
type filter struct {
	State, Source, Event, Text, Range, From, To, Cursor string
	Sources                                             []string
	Ranges                                              []period
}

// period is a choice of the field Range.
type period struct {
	Value, Label string
	length       time.Duration
}

var periods = []period{
	{"hour", "Last hour", time.Hour}, {"day", "Last 24 hours", 24 * time.Hour}, {"week", "Last 7 days", 7 * 24 * time.Hour},
	{"month", "Last 30 days", 30 * 24 * time.Hour},
}

func filterFrom(values url.Values, sources []string) filter {
	get := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	f := filter{
		State: get("state"), Source: get("source"), Event: get("event"), Text: get("text"), Range: get("range"), From: get("from"),
		To: get("to"), Cursor: get("cursor"),
		Sources: sources, Ranges: periods,
	}
	if f.Source != "" && !slices.Contains(sources, f.Source) {
		f.Sources = append(slices.Clone(sources), f.Source)
	}
	return f
}

// Empty reports whether every delivery matches.
func (f filter) Empty() bool {
	return f.State == "" && f.Source == "" && f.Event == "" && f.Text == "" && f.Range == "" && f.From == "" && f.To == ""
}

// query converts the fields; the error names the first wrong one.
func (f filter) query(now time.Time) (q inbox.Query, err error) {
	q = inbox.Query{State: f.State, Source: f.Source, Event: webhook.EventName(f.Event), Text: f.Text}
	if q.From, err = parseTime("from", f.From); err != nil {
		return q, err
	}
	if q.To, err = parseTime("to", f.To); err != nil {
		return q, err
	}
	if f.Range != "" {
		at := slices.IndexFunc(periods, func(p period) bool { return p.Value == f.Range })
		switch {
		case at < 0:
			return q, inbox.ErrQuery.WithField("range", "must be hour, day, week or month")
		case f.From != "" || f.To != "":
			return q, inbox.ErrQuery.WithField("range", "cannot be combined with from and to")
		}
		q.From = now.Add(-periods[at].length)
	}
	if f.Cursor != "" {
		var ok bool
		if q.Before, ok = id.Parse(f.Cursor); !ok {
			return q, inbox.ErrQuery.WithField("cursor", "must be the cursor of an earlier page")
		}
	}
	return q, nil
}

// timeLayouts are those of browsers, in UTC, and of the JSON API.
var timeLayouts = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339}

func parseTime(field, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, value); err == nil && at.Year() > 1970 && at.Year() < 2200 {
			return at.UTC(), nil
		}
	}
	return time.Time{}, inbox.ErrQuery.WithField(field, "must be a time such as 2026-11-20T12:00")
}

// link returns the path of the list with these filters and a cursor.
func (f filter) link(cursor string) string {
	values := url.Values{}
	for name, value := range map[string]string{
		"state": f.State, "source": f.Source, "event": f.Event, "text": f.Text, "range": f.Range, "from": f.From, "to": f.To,
		"cursor": cursor,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return Base
	}
	return Base + "?" + values.Encode()
}

// between returns the path of the list with these filters from one time until another.
func (f filter) between(from, to time.Time) string {
	const layout = "2006-01-02T15:04:05"
	f.Range, f.From, f.To = "", from.UTC().Format(layout), to.UTC().Format(layout)
	return f.link("")
}
