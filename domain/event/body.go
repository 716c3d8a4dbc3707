package event

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// timestamp is RFC 3339 with the microseconds that times have here.
const timestamp = "2006-01-02T15:04:05.000000Z"

// Body returns the event as the JSON object of Standard Webhooks: id, type, timestamp in
// UTC and data.
func (e Event) Body() ([]byte, error) {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Type, err)
	}
	b := make([]byte, 0, len(data)+128)
	b = append(b, `{"id":`...)
	b = strconv.AppendQuote(b, e.ID.String())
	b = append(b, `,"type":`...)
	b = strconv.AppendQuote(b, string(e.Type))
	b = append(b, `,"timestamp":"`...)
	b = e.At.UTC().AppendFormat(b, timestamp)
	b = append(b, `","data":`...)
	b = append(b, data...)
	return append(b, '}'), nil
}

// Stored is an event in the form in which it is stored and sent.
type Stored struct {
	ID   ID
	Type Type
	Body []byte // of Event.Body
}

// The limits of the outbox of events. Events beyond them, which no webhook service has taken,
// are deleted.
const (
	MaxAge     = 7 * 24 * time.Hour
	MaxWaiting = 1_000_000 // the oldest go first
)
