package rest

import (
	"maps"
	"strings"

	"github.com/oapi-codegen/runtime"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/domain/fault"
)

// check applies domain rules to the input of an operation: the body or, without one, the query.
type check func(h *Handler, input map[string]any) []error

// rules maps operations to domain rules that the document cannot express. Use cases
// apply them as well, but never see input that fails validation against the
// document. Applied here, they complete that error, so that one response names
// everything that is wrong.
type rules map[string]check

// rule binds input as the generated code does. Missing fields stay empty.
func rule[B any](check func(*Handler, *B) []error) check {
	return func(h *Handler, input map[string]any) []error {
		var b B
		if err := runtime.BindJSONValue(input, &b); err != nil {
			return nil // input that cannot be bound has been refused already
		}
		return check(h, &b)
	}
}

// addRuleViolations applies the rules to the fields that are valid so far. A rule may name a
// field that is left out, such as the book that a message is about.
func (h *Handler) addRuleViolations(op *openapi.Operation, input map[string]any, problems openapi.Problems) {
	check, ok := h.rules[op.ID]
	if !ok {
		return
	}
	valid, refused := maps.Clone(input), map[string]bool{}
	for name := range problems {
		delete(valid, outermost(name))
		refused[outermost(name)] = true
	}
	for _, err := range check(h, valid) {
		if f := fault.As(err); f != nil {
			for field, why := range fieldsOf(f) {
				if problems[field] == "" && !refused[outermost(field)] {
					problems[field] = why
				}
			}
		}
	}
}

// outermost returns keys for keys.auth.
func outermost(field string) string {
	name, _, _ := strings.Cut(field, ".")
	return name
}
