package samlsp

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
)

// canonical writes tokens in the form of Exclusive XML Canonicalization 1.0 without comments: what a
// signature covers.
type canonical struct {
	out io.Writer
	// inclusive are prefixes that are declared as soon as they are in scope (PrefixList).
	inclusive []string
	declared  []map[string]string // of each open element and those around it, as written; shared
	err       error
}

func (c *canonical) write(t token) error {
	switch {
	case t.start != nil:
		c.start(t.start)
	case t.end != nil:
		c.declared = c.declared[:len(c.declared)-1]
		c.put("</" + qualified(t.end.prefix, t.end.local) + ">")
	default:
		c.put(textEscapes.Replace(string(t.text)))
	}
	return c.err
}

func (c *canonical) put(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.out, s)
	}
}

func (c *canonical) start(e *element) {
	var around map[string]string
	if n := len(c.declared); n > 0 {
		around = c.declared[n-1]
	}
	c.put("<" + qualified(e.prefix, e.local))
	now, copied := around, false
	for _, prefix := range c.needed(e) {
		space := e.names[prefix]
		if around[prefix] == space {
			continue
		}
		if !copied {
			now, copied = maps.Clone(around), true
		}
		if now == nil {
			now = map[string]string{}
		}
		now[prefix] = space
		c.put(" " + strings.TrimSuffix("xmlns:"+prefix, ":") + `="` + valueEscapes.Replace(space) + `"`)
	}
	c.declared = append(c.declared, now)
	sorted := slices.SortedFunc(slices.Values(e.attributes), func(a, b attribute) int {
		return cmp.Or(strings.Compare(a.space, b.space), strings.Compare(a.local, b.local))
	})
	for _, a := range sorted {
		c.put(" " + qualified(a.prefix, a.local) + `="` + valueEscapes.Replace(a.value) + `"`)
	}
	c.put(">")
}

// needed returns the prefixes that the element uses visibly, sorted.
func (c *canonical) needed(e *element) []string {
	all := []string{e.prefix}
	for _, a := range e.attributes {
		if a.prefix != "" {
			all = append(all, a.prefix)
		}
	}
	for _, prefix := range c.inclusive {
		if _, known := e.names[prefix]; known || prefix == "" {
			all = append(all, prefix)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(prefix string) bool { return prefix == "xml" })
}

func qualified(prefix, local string) string {
	if prefix == "" {
		return local
	}
	return prefix + ":" + local
}

var (
	textEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	valueEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")
)
