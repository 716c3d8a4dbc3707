package inboxhttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/text"
)

// The limits of a client.
const (
	maxEvent   = 256 << 20        // of one line; a body of 25 MiB may be six times as long in JSON
	silence    = 45 * time.Second // three heartbeats
	maxRefusal = 4096
)

// Client follows the stream of a running Octavo.
type Client struct {
	URL    string   // of the Octavo, without a path of the API
	Token  string   // WEBHOOK_API_TOKEN there
	Source string   // "" for all
	Events []string // patterns; none for all
	// Last is the id of the last event, at which Follow resumes; "" for what comes from now on.
	Last string
}

// RefusalError is an answer that a further request would get as well.
type RefusalError struct{ Msg string }

// Error is the message.
func (r *RefusalError) Error() string { return r.Msg }

// Follow connects once and calls connected, then deliver for each delivery in order, until the
// connection or ctx ends or deliver returns an error. It returns why it ended. The next call of
// Follow continues after the last delivery: it repeats none and omits none. After a
// *RefusalError another call would fail as well.
func (c *Client) Follow(ctx context.Context, connected func(), deliver func(Streamed) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alive := time.AfterFunc(silence, func() { cancel(errSilence) })
	defer alive.Stop()
	response, err := c.connect(ctx)
	if err != nil {
		return because(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	connected()
	lines := bufio.NewReaderSize(response.Body, 64<<10)
	for {
		e, err := readEvent(lines, func() { alive.Reset(silence) })
		if err != nil {
			return because(ctx, err)
		}
		alive.Stop() // delivering may take its time
		if err := c.handle(e, deliver); err != nil {
			return err
		}
		alive.Reset(silence)
	}
}

var (
	errSilence = errors.New("the connection was silent")
	errEnded   = errors.New("the connection ended")
)

// because replaces the error of a cancelled request with the cause of the cancellation.
func because(ctx context.Context, err error) error {
	var wrapped *url.Error
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errEnded
	case errors.As(err, &wrapped):
		return wrapped.Err
	}
	return err
}

// handle delivers the data of an event and remembers its id.
func (c *Client) handle(e event, deliver func(Streamed) error) error {
	if e.name == "delivery" {
		var d Streamed
		if err := json.Unmarshal(e.data, &d); err != nil {
			return &RefusalError{"the stream of " + c.URL + " has an event that is not a delivery of Octavo"}
		}
		if err := deliver(d); err != nil {
			return err
		}
	}
	if e.id != "" {
		c.Last = e.id
	}
	return nil
}

// connect opens the stream.
func (c *Client) connect(ctx context.Context) (*http.Response, error) {
	query := url.Values{}
	if c.Source != "" {
		query.Set("source", c.Source)
	}
	if len(c.Events) > 0 {
		query["event"] = c.Events
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.URL, "/")+StreamPath+"?"+query.Encode(), nil)
	if err != nil {
		return nil, &RefusalError{err.Error()}
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Accept", "text/event-stream")
	if c.Last != "" {
		req.Header.Set("Last-Event-ID", c.Last)
	}
	response, err := streaming.Do(req)
	if err != nil {
		return nil, err
	}
	if err := c.check(response); err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	return response, nil
}

// streaming follows no redirect, which would send the token to another server.
var streaming = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
}

// check returns an error unless the response is a stream.
func (c *Client) check(response *http.Response) error {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return nil
	}
	var said struct{ Error string }
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	_ = json.Unmarshal(body, &said)
	said.Error = text.Line(said.Error, 300)
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized:
		return &RefusalError{c.URL + " does not accept the token: it must be the WEBHOOK_API_TOKEN there"}
	case status == http.StatusBadRequest && said.Error != "" && !strings.HasPrefix(said.Error, "Unknown route"):
		return &RefusalError{c.URL + " refuses the request: " + said.Error}
	case status == http.StatusTooManyRequests, status >= 500:
		return fmt.Errorf("it answered %d %s", status, said.Error)
	}
	return &RefusalError{fmt.Sprintf("%s is not an Octavo with the deliveries API (it answered %d): use its BASE_URL, and set WEBHOOK_API_TOKEN there", c.URL, response.StatusCode)}
}

// event is one server-sent event.
type event struct {
	name, id string
	data     []byte
}

// readEvent reads up to the empty line that ends an event, and calls alive for each line.
func readEvent(lines *bufio.Reader, alive func()) (e event, err error) {
	for {
		line, err := readLine(lines)
		if err != nil {
			return event{}, err
		}
		alive()
		if len(line) == 0 {
			return e, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.name = string(value)
		case "id":
			e.id = string(value)
		case "data":
			e.data = value
		}
	}
}

// readLine reads a line of any length up to maxEvent, without its end.
func readLine(from *bufio.Reader) (line []byte, err error) {
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxEvent:
			return nil, &RefusalError{fmt.Sprintf("the stream has a line of more than %d bytes", maxEvent)}
		}
	}
}
