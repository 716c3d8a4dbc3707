// Package writes checks that the tests of stores know every method that may write.
package writes

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

var reads = []string{"Find", "List", "Lock", "Count", "Is", "Has", "Are", "Sample"}

// Check fails when somebody adds a method to a store that may write: say in the test whether it
// changes what a visitor sees and, if so, watch it.
func Check[Store any](t *testing.T, known ...string) {
	t.Helper()
	store := reflect.TypeFor[Store]()
	for i := range store.NumMethod() {
		name := store.Method(i).Name
		read := slices.ContainsFunc(reads, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if !read && !slices.Contains(known, name) {
			t.Errorf("nobody knows whether %s changes what a visitor sees", name)
		}
	}
}
