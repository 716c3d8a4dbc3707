package inspector

import (
	"maps"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/text"
)

// maxInline bounds a payload that is part of the command; a larger one is a file.
const maxInline = 4 << 10

// curlOf is a command that sends the delivery to a program on this machine as it came: with the
// sender's headers and signature. "" without a payload.
func curlOf(d inbox.Delivery) string {
	if d.Payload == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("curl http://127.0.0.1:9000/")
	header := d.Header
	if header == nil { // of webhook.Host
		header = map[string]string{"Content-Type": "application/json", "X-Host-Delivery": d.SenderID(), "X-Host-Event": string(d.Event)}
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "Accept-Encoding" || !isPlain(header[name]) {
			continue
		}
		b.WriteString(" \\\n  -H " + quote(name+": "+header[name]))
	}
	data := "@" + fileName(d)
	if body := string(d.Payload); len(body) <= maxInline && isPlain(body) && !strings.HasPrefix(body, "@") {
		data = body
	}
	b.WriteString(" \\\n  --data-binary " + quote(data))
	return b.String()
}

// isPlain reports whether a text can be shown and copied unchanged.
func isPlain(s string) bool {
	return text.Visible(s) == s && !strings.ContainsAny(s, "\r\x00")
}

// quote quotes for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
