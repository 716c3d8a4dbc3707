package mailer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// EventTypePrefix begins the CloudEvents type of each message on a queue.
const EventTypePrefix = "octavo.mail."

// event is a CloudEvent 1.0 in the JSON format. ExpiryTime and TraceParent are the
// extensions "expirytime" and "distributed tracing".
type event struct {
	SpecVersion     string            `json:"specversion"`
	ID              string            `json:"id"`
	Source          string            `json:"source"`
	Type            string            `json:"type"`
	Time            time.Time         `json:"time"`
	ExpiryTime      *time.Time        `json:"expirytime,omitempty"`
	TraceParent     string            `json:"traceparent,omitempty"`
	DataContentType string            `json:"datacontenttype"`
	Data            map[string]string `json:"data"`
}

// The members of data that are not parameters.
const (
	dataTo   = "to"
	dataLang = "lang"
	dataCode = "code"
	dataLink = "link"
)

// MarshalEvent encodes a message as a CloudEvent. The source is a URI, the program's base
// URL. The data holds to, lang, code and link, as far as the message has them, and its
// parameters beside them.
func MarshalEvent(m message.Message, source string) ([]byte, error) {
	data := make(map[string]string, len(m.Params)+4)
	for name, value := range m.Params {
		data[name] = value
	}
	for _, name := range []string{dataCode, dataLink} {
		delete(data, name)
	}
	data[dataTo], data[dataLang] = string(m.To), string(m.Lang)
	if m.Code != "" {
		data[dataCode] = m.Code
	}
	if m.Link != "" {
		data[dataLink] = m.Link
	}
	e := event{
		SpecVersion: "1.0", ID: id.Format(m.ID), Source: source, Type: EventTypePrefix + string(m.Kind),
		Time: m.CreatedAt.UTC(), DataContentType: "application/json", Data: data, TraceParent: m.Trace,
	}
	if !m.ExpiresAt.IsZero() {
		at := m.ExpiresAt.UTC()
		e.ExpiryTime = &at
	}
	return json.Marshal(e)
}

// UnmarshalEvent decodes what MarshalEvent encodes. For anything else its error is
// ErrPermanent.
func UnmarshalEvent(b []byte) (message.Message, error) {
	var e event
	if err := json.Unmarshal(b, &e); err != nil {
		return message.Message{}, fmt.Errorf("%w: not a CloudEvent: %w", ErrPermanent, err)
	}
	number, isID := id.Parse(e.ID)
	kind, isMail := strings.CutPrefix(e.Type, EventTypePrefix)
	if e.SpecVersion != "1.0" || !isID || !isMail || kind == "" || e.Data[dataTo] == "" {
		return message.Message{}, fmt.Errorf(
			"%w: not a mail message: specversion %q, id %q, type %q", ErrPermanent, e.SpecVersion, e.ID, e.Type,
		)
	}
	m := message.Message{
		ID: number, Kind: message.Kind(kind), To: user.Email(e.Data[dataTo]), Lang: user.Lang(e.Data[dataLang]),
		Code: e.Data[dataCode], Link: e.Data[dataLink], CreatedAt: e.Time, Trace: e.TraceParent,
	}
	if e.ExpiryTime != nil {
		m.ExpiresAt = *e.ExpiryTime
	}
	for _, name := range []string{dataTo, dataLang, dataCode, dataLink} {
		delete(e.Data, name)
	}
	if len(e.Data) > 0 {
		m.Params = e.Data
	}
	return m, nil
}
