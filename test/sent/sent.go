// Package sent describes requests for the messages of failing tests.
package sent

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// secret is the value of a password, token or code in JSON, GraphQL or a form. In GraphQL within JSON the
// quotes are escaped.
var secret = regexp.MustCompile(`(?i)((?:password|secret|token|code)\\?"?\s*[:=]\s*)(?:\\?"[^"\\]*\\?"|[^&\s",}\\]+)`)

// most is how many bytes of a body are shown.
const most = 1000

// Request returns a request in one line, without the values of secrets. A body that is neither text nor a
// stream is shown as JSON.
func Request(method, address string, body any) string {
	var text string
	switch body := body.(type) {
	case nil:
		return method + " " + address
	case string:
		text = body
	case []byte:
		text = string(body)
	case io.Reader:
		text = "(a stream)"
	default:
		b, err := json.Marshal(body)
		if text = string(b); err != nil {
			text = fmt.Sprint(body)
		}
	}
	return strings.TrimSpace(method + " " + address + " " + Short(secret.ReplaceAllString(text, "$1…")))
}

// Short returns the beginning of a long text.
func Short(text string) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
