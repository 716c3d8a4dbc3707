package web

import (
	"fmt"
	"html/template"
	"strings"
)

// breakable is an email address that a narrow window breaks after its @ first.
func breakable(address any) template.HTML {
	escaped := template.HTMLEscapeString(fmt.Sprint(address))
	return template.HTML(strings.Replace(escaped, "@", "@<wbr>", 1)) //nolint:gosec // it is escaped
}
