package webhook

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// SamplePayload returns a body with these event, action and id where the sender has them, and its
// content type. What is in headers, and an action or id that is empty, is left out.
func (s *Sender) SamplePayload(event EventName, action, id string, now time.Time) (body []byte, contentType string) {
	s = s.orHost()
	if s.takes(bodyForm) && !s.takes(bodyArray) && s.event.formField() != "" {
		return []byte(url.Values{s.event.formField(): {string(event)}, "id": {id}}.Encode()), formType
	}
	var root any = map[string]any{}
	if len(s.bodies) > 0 && s.bodies[0] == bodyArray {
		root = []any{map[string]any{}}
	}
	if path := s.event.jsonPath(); path != nil {
		root = rawjson.SetIn(root, path, string(event))
	}
	if path := s.id.jsonPath(); path != nil && id != "" {
		root = rawjson.SetIn(root, path, id)
	}
	if members, ok := root.(map[string]any); ok && action != "" {
		members["action"] = action
	}
	for _, sc := range s.schemes {
		if sc.timestamp != nil && sc.timestamp.from.path != nil {
			root = rawjson.SetIn(root, sc.timestamp.from.path, sc.timestamp.value(now))
		}
	}
	body, _ = json.Marshal(root) // maps of texts always marshal
	return body, "application/json"
}

// ContentTypeOf returns the content type with which the sender would send a body.
func (s *Sender) ContentTypeOf(body []byte) string {
	s = s.orHost()
	switch c := rawjson.First(body); {
	case c == '{', c == '[', !s.takes(bodyForm) && !s.takes(bodyText):
		return "application/json"
	case s.takes(bodyForm):
		return formType
	}
	return "text/plain"
}

// jsonPath returns the path of the text, nil if a header has it.
func (p places) jsonPath() rawjson.Path {
	if len(p.list) == 0 || p.list[0].header != "" {
		return nil
	}
	return p.list[0].path
}

// formField returns the field of a form that has the text, "" if it is elsewhere.
func (p places) formField() string {
	if len(p.list) == 0 {
		return ""
	}
	return p.list[0].form
}

// value is a time as JSON has it: a number unless it is a text.
func (c *clock) value(now time.Time) any {
	if c.Unit == "rfc3339" {
		return c.format(now)
	}
	return json.Number(c.format(now))
}
