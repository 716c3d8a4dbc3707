package inbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// CompileExpression compiles a condition of a rule over the event, id, source, header and payload of
// a delivery. The error says in one line what is wrong, and where. Text, parts and the time to compile
// are bounded.
type CompileExpression func(text string) (Expression, error)

// Expression is a compiled condition. It may be used concurrently.
type Expression interface {
	// Matches reports whether the condition holds. A condition that depends on a field
	// which is missing, or whose type does not fit, does not hold. The time is
	// proportional to the size of the payload, and the memory does not depend on it.
	Matches(f *Facts) bool
}

// Facts are what a condition can ask about a delivery. Use them in one goroutine.
type Facts struct {
	Event, ID, Source string

	header  map[string]string
	payload []byte
	read    bool                       // payload is the document that document returns
	found   map[string]json.RawMessage // by the text of the path
}

// NewFacts makes the facts about a delivery.
func NewFacts(d Delivery) *Facts {
	f := &Facts{Event: string(d.Event), ID: d.SenderID(), Source: d.Source, header: d.Header, payload: d.Payload}
	if d.Header == nil {
		f.header = map[string]string{"X-Host-Event": f.Event, "X-Host-Delivery": f.ID, "Content-Type": "application/json"}
	}
	return f
}

// Header returns a header of the delivery by its canonical name.
func (f *Facts) Header(name string) (value string, ok bool) {
	value, ok = f.header[name]
	return value, ok
}

// document returns the payload as JSON: a form as the object of its fields, in which a repeated
// one is a list, and as a text what is neither a form nor JSON.
func (f *Facts) document() json.RawMessage {
	if f.read {
		return f.payload
	}
	f.read = true
	kind, _, _ := strings.Cut(strings.ToLower(f.header["Content-Type"]), ";")
	switch kind = strings.TrimSpace(kind); {
	case kind == "application/x-www-form-urlencoded":
		f.payload = formDocument(f.payload)
	case !isJSONType(kind) && !isDocument(f.payload):
		f.payload, _ = json.Marshal(string(f.payload)) // a string always marshals
	}
	return f.payload
}

// isJSONType reports whether the content type says that a body is JSON.
func isJSONType(kind string) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// isDocument reports whether a body is a JSON object or array, whatever its content type says:
// Amazon SNS calls its objects text.
func isDocument(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
}

func formDocument(body []byte) json.RawMessage {
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil
	}
	object := make(map[string]any, len(fields))
	for name, values := range fields {
		if object[name] = values; len(values) == 1 {
			object[name] = values[0]
		}
	}
	document, _ := json.Marshal(object) // texts always marshal
	return document
}

// Field returns the undecoded value at a path of the payload, nil if there is none. name
// identifies the path. A path that several conditions ask for is looked up once.
func (f *Facts) Field(name string, path []PathStep) json.RawMessage {
	if value, known := f.found[name]; known {
		return value
	}
	value := f.document()
	for _, s := range path {
		if value == nil {
			break
		}
		value = s.valueIn(value)
	}
	if f.found == nil {
		f.found = map[string]json.RawMessage{}
	}
	f.found[name] = value
	return value
}

// valueIn returns the member or element of the document, nil if there is none.
func (s PathStep) valueIn(document json.RawMessage) json.RawMessage {
	if s.Name != "" {
		return rawjson.Member(document, s.Name)
	}
	n := 0
	for element := range rawjson.Elements(document) {
		if n == s.Index {
			return element
		}
		n++
	}
	return nil
}

// CompileWhere compiles the rule's condition, nil if it has none. The error is an ErrRule.
func (r Rule) CompileWhere(compile CompileExpression) (Expression, error) {
	if r.Where == "" {
		return nil, nil //nolint:nilnil // no condition is no error
	}
	if compile == nil {
		return nil, RuleError("where", "this service evaluates no conditions")
	}
	where, err := compile(r.Where)
	if err != nil {
		return nil, RuleError("where", "%v", err)
	}
	return where, nil
}

// String is the path as an expression.
func (s PathStep) String() string {
	if s.Name == "" {
		return fmt.Sprintf("[%d]", s.Index)
	}
	return fmt.Sprintf("[%q]", s.Name)
}
