package webhookcommands

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook"
)

// saved reads the request of --request, or the headers of --headers and the payload from
// standard input. target is that of the first line, if it is one of HTTP.
func (v webhooksVerify) saved(in io.Reader) (r webhook.Request, target string, err error) {
	if v.Headers != "" {
		text, err := readFile(v.Headers, in)
		if err != nil {
			return r, "", err
		}
		if r, target, _, err = parseHeaders(text); err != nil {
			return r, "", fmt.Errorf("%s: %w", v.Headers, err)
		}
		r.Body, err = readPayload(in)
		return r, target, err
	}
	text, err := readFile(v.Request, in)
	if err != nil {
		return r, "", err
	}
	r, target, rest, err := parseHeaders(text)
	if err != nil {
		return r, "", fmt.Errorf("%s: %w", v.Request, err)
	}
	r.Body = rest
	return r, target, nil
}

// readFile reads a file, or standard input for -, within the limit of a payload.
func readFile(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return readPayload(in)
	}
	file, err := os.Open(name) //nolint:gosec // whoever runs the command names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return readPayload(file)
}

// parseHeaders parses lines of headers up to an empty one, with the request's line before them or
// without, and returns what follows.
func parseHeaders(text []byte) (r webhook.Request, target string, rest []byte, err error) {
	header := http.Header{}
	for first := true; ; first = false {
		var line []byte
		var more bool
		line, text, more = bytes.Cut(text, []byte("\n"))
		one := strings.TrimSuffix(string(line), "\r")
		if method, after, ok := strings.Cut(one, " "); first && ok && strings.Contains(after, "HTTP/") && !strings.Contains(method, ":") {
			r.Method = method
			target, _, _ = strings.Cut(after, " ")
			continue
		}
		if one == "" {
			break
		}
		name, value, ok := strings.Cut(one, ":")
		if !ok || strings.ContainsAny(name, " \t") {
			return r, "", nil, fmt.Errorf("%.100q is not a header such as X-Signature: abc", one)
		}
		header.Add(name, strings.TrimSpace(value))
		if !more {
			break
		}
	}
	r.Header = header
	return r, target, text, nil
}
