// Package sample makes believable payloads for every event of the table: for
// trying out a receiver, for examples and for measuring. All of them tell of the
// same invented repository and people.
package sample

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook"
)

// object is a JSON object; encoding/json writes its members sorted.
type object = map[string]any

// Payload makes the payload of an event, "push", or of an event with an action,
// "issues.opened". An event that has actions but is named without one gets a
// payload without an action. ok is false for a name outside the table.
func Payload(name webhook.EventName) (payload json.RawMessage, ok bool) {
	if !name.Known() {
		return nil, false
	}
	event, action, dotted := strings.Cut(string(name), ".")
	body := object{"sender": user("ada"), "repository": repository()}
	if dotted {
		body["action"] = action
	}
	if strings.HasPrefix(event, "org") || strings.HasPrefix(event, "team") || strings.HasPrefix(event, "member") {
		body["organization"] = organization()
	}
	if about := subjects[event]; about != nil {
		maps.Copy(body, about())
	} else {
		body[event] = thing(event)
	}
	payload, err := json.Marshal(body)
	return payload, err == nil
}

// thing stands for what an event without a shape of its own is about.
func thing(kind string) object {
	return object{
		"id": 7201, "node_id": "T_kwDOAB12", "url": repoURL + "/" + kind + "s/7201", "name": "fall-term",
		"state": "open", "created_at": morning, "updated_at": noon, "creator": user("grace"),
	}
}
