// Package envfile reads and edits files of settings, one NAME=value a line, as systemd and shells read them.
package envfile

import (
	"regexp"
	"strings"
)

// Quote quotes a value so that both a shell and systemd read it. Plain values stay without
// quotes, which the env files of container engines do not know.
func Quote(value string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,", r)
	}
	if strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) < 0 {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(value) + `"`
}

var escaped = regexp.MustCompile("\\\\([\\\\\"$`])")

// unquote undoes Quote; it also takes off single quotes.
func unquote(value string) string {
	n := len(value)
	switch {
	case n >= 2 && value[0] == '\'' && value[n-1] == '\'':
		return value[1 : n-1]
	case n >= 2 && value[0] == '"' && value[n-1] == '"':
		return escaped.ReplaceAllString(value[1:n-1], "$1")
	}
	return value
}

// Parse returns the values in a file. Comments and lines that assign nothing are left out.
func Parse(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, value, assigns := strings.Cut(line, "="); assigns && !strings.HasPrefix(line, "#") {
			values[strings.TrimSpace(name)] = unquote(strings.TrimSpace(value))
		}
	}
	return values
}

// Set gives a setting a value: in its line, or else in the first one that has it commented out, or else at the end.
func Set(text, name, value string) string {
	assignment := name + "=" + Quote(value)
	for _, prefix := range []string{"", "#"} {
		line := regexp.MustCompile(`(?m)^` + prefix + name + `=.*$`)
		if at := line.FindStringIndex(text); at != nil {
			return text[:at[0]] + assignment + text[at[1]:]
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + assignment + "\n"
}
