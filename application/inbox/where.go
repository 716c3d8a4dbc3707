package inbox

import (
	"encoding/json"
	"fmt"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Expressions compiles the conditions of rules.
type Expressions interface {
	// CompileExpression compiles a condition over the event, id, source and payload of a
	// delivery. The error says in one line what is wrong, and where. Text, parts and the
	// time to compile are bounded.
	CompileExpression(text string) (Expression, error)
}

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

	payload []byte
	found   map[string]json.RawMessage // by the text of the path
}

// NewFacts makes the facts about a delivery.
func NewFacts(d Delivery) *Facts {
	return &Facts{Event: string(d.Event), ID: d.ID, Source: d.Source, payload: d.Payload}
}

// Field returns the undecoded value at a path of the payload, nil if there is none. name
// identifies the path. A path that several conditions ask for is looked up once.
func (f *Facts) Field(name string, path []PathStep) json.RawMessage {
	if value, known := f.found[name]; known {
		return value
	}
	value := json.RawMessage(f.payload)
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
		return webhook.Member(document, s.Name)
	}
	n := 0
	for element := range webhook.Elements(document) {
		if n == s.Index {
			return element
		}
		n++
	}
	return nil
}

// CompileWhere compiles the rule's condition, nil if it has none. The error is an ErrRule.
func (r Rule) CompileWhere(e Expressions) (Expression, error) {
	if r.Where == "" {
		return nil, nil //nolint:nilnil // no condition is no error
	}
	if e == nil {
		return nil, ruleError("where", "this service evaluates no conditions")
	}
	where, err := e.CompileExpression(r.Where)
	if err != nil {
		return nil, ruleError("where", "%v", err)
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
