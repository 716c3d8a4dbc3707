package webhook

import (
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/typo"
)

// emitted maps event and action to the joined name, so that dispatching does not
// concatenate strings. Every event is a key, also events without actions.
var emitted = indexTable()

// names holds every known name, sorted.
var names = listNames()

func indexTable() map[EventName]map[string]EventName {
	index := make(map[EventName]map[string]EventName, len(table))
	for _, row := range table {
		actions := map[string]EventName{}
		for action := range strings.FieldsSeq(row.actions) {
			actions[action] = EventName(row.event + "." + action)
		}
		index[EventName(row.event)] = actions
	}
	return index
}

func listNames() []EventName {
	var list []EventName
	for event, actions := range emitted {
		list = append(list, event)
		for _, name := range actions {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// EventNames returns every known name, events and events with an action, sorted. The
// caller may modify the slice.
func EventNames() []EventName {
	return slices.Clone(names)
}

// Known reports whether n is one of EventNames.
func (n EventName) Known() bool {
	_, found := slices.BinarySearch(names, n)
	return found
}

// With joins an event and an action to the name under which both are dispatched. ok is
// false if there is no such name: an event in the table has only its listed actions,
// any other event has every well-formed action.
func (n EventName) With(action string) (name EventName, ok bool) {
	if actions, listed := emitted[n]; listed {
		name, ok = actions[action]
		return name, ok
	}
	if !n.IsEvent() || !isWord(action) {
		return "", false
	}
	return n + "." + EventName(action), true
}

// IsEmitted reports whether a delivery can be dispatched under n: n is in the table, or
// its event is not. It is false for an action that the table does not list.
func (n EventName) IsEmitted() bool {
	event, action, dotted := strings.Cut(string(n), ".")
	if !dotted {
		return n.IsEvent()
	}
	_, ok := EventName(event).With(action)
	return ok
}

// Nearest returns the known name with the smallest edit distance to n, for a "did you
// mean" in an error. It is empty if no name is close.
func Nearest(n EventName) EventName { return typo.Nearest(n, names) }
