package arch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Graph maps each package of this module to its imports. Paths of this module come without its
// name.
type Graph map[string][]string

// Check returns every import that breaks a rule, each with the chain of
// packages that leads to it, one violation a line, sorted.
func Check(g Graph) []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		for _, r := range rules {
			if r.applies(pkg) {
				found = append(found, walk(g, r, pkg)...)
			}
		}
	}
	return found
}

// walk visits the imports of pkg and, for a transitive rule, those that it reaches through
// packages of this module, nearest first. It does not follow a package to which the rule
// itself applies, because that one is checked separately.
func walk(g Graph, r rule, pkg string) []string {
	var found []string
	via := map[string]string{pkg: ""}
	for queue := []string{pkg}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for _, to := range g[from] {
			if _, seen := via[to]; seen {
				continue
			}
			via[to] = from
			if !r.allowed(pkg, to) {
				found = append(found, fmt.Sprintf("%s: %s", r.name, chain(via, to)))
				continue
			}
			if r.transitive && isOurs(to) && !r.applies(to) {
				queue = append(queue, to)
			}
		}
	}
	return found
}

func chain(via map[string]string, to string) string {
	var steps []string
	for p := to; p != ""; p = via[p] {
		steps = append(steps, p)
	}
	slices.Reverse(steps)
	return strings.Join(steps, " -> ")
}
