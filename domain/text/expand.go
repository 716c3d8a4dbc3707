package text

import "strings"

// Expand replaces each ${NAME} with the variable's value. missing names the first variable that
// has none: then the result is not to be used.
func Expand(s string, valueOf func(name string) string) (expanded, missing string) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String(), missing
		}
		name, rest, closed := strings.Cut(after, "}")
		if !closed || !isVariable(name) {
			out.WriteString("${")
			s = after
			continue
		}
		value := valueOf(name)
		if value == "" && missing == "" {
			missing = name
		}
		out.WriteString(value)
		s = rest
	}
}

// isVariable reports whether an environment variable can have the name.
func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
