// Package sample makes realistic payloads for every event of the table: for trying out
// a receiver, for examples and for benchmarks. All are about the same fictional
// repository and people.
package sample

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook"
)

// object is a JSON object; encoding/json writes its members sorted.
type object = map[string]any

// Payload returns the payload of an event, "push", or of an event with an action,
// "issues.opened". Without an action in the name, the payload has none either. ok is
// false for a name outside the table.
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

// thing is the generic subject of an event without a specific payload.
func thing(kind string) object {
	return object{
		"id": 7201, "node_id": "T_kwDOAB12", "url": repoURL + "/" + kind + "s/7201", "name": "fall-term",
		"state": "open", "created_at": morning, "updated_at": noon, "creator": user("grace"),
	}
}
