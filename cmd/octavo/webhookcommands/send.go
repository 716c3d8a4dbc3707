package webhookcommands

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

type webhooksSend struct {
	withSecret      `embed:""`
	terminal.AsJSON `embed:""`
	Source          string `help:"Send as the sender of this source, in the file of WEBHOOK_SOURCES, signed with its first secret." placeholder:"NAME"`
	Event           string `arg:"" complete:"events" help:"An event, or an event with an action: issues.opened."`
	To              string `help:"Target URL. Default: the service of these settings." placeholder:"URL"`
	ID              string `help:"The delivery's ID. Default: a new one." placeholder:"ID"`
	Payload         string `help:"File with the payload; - reads standard input. Default: a sample." placeholder:"FILE"`
}

// sent is a target's answer.
type sent struct {
	ID     string `json:"id"`
	Status int    `json:"status"`
	Answer string `json:"answer"`
}

func (s *webhooksSend) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	if s.ID == "" {
		s.ID = strings.ToLower(rand.Text())
	}
	req, err := s.request(ctx, tools, c)
	if err != nil {
		return err
	}
	s.warn(tools, c)
	answer, err := (&http.Client{Timeout: 30 * time.Second}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	result := sent{s.ID, answer.StatusCode, strings.TrimSpace(string(text))}
	err = s.Print(c.Out, result, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%s  %d %s\n", result.ID, result.Status, result.Answer)
		return err
	})
	if err == nil && answer.StatusCode >= http.StatusMultipleChoices {
		return terminal.ErrSilent
	}
	return err
}

// warn warns if the sender of the source is not known to have the event. It is not an error,
// because the sender may have added the event since.
func (s *webhooksSend) warn(tools Tools, c terminal.Console) {
	if s.Source == "" {
		return
	}
	source, _, err := tools.Source(s.Source)
	if err != nil || source.Sender.HasTable() || source.Sender.Knows(webhook.EventName(s.Event)) {
		return
	}
	text := fmt.Sprintf("%s is not known to have the event %q", source.Sender.Name(), s.Event)
	if nearest := source.Sender.Nearest(webhook.EventName(s.Event)); nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", nearest)
	}
	_, _ = fmt.Fprintln(c.Err, text)
}

// request makes the signed delivery.
func (s *webhooksSend) request(ctx context.Context, tools Tools, c terminal.Console) (*http.Request, error) {
	to, signed, err := s.sign(tools, c.In)
	if err != nil {
		return nil, err
	}
	if s.To != "" {
		to = s.To
	}
	if u, err := url.Parse(to); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, terminal.Misused("--to %q must begin with http:// or https:// and name a host", to)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(signed.Body))
	if err != nil {
		return nil, err
	}
	req.Header = signed.Header
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// sign signs for the default address as webhook.Host, or as the sender of the source.
func (s *webhooksSend) sign(tools Tools, in io.Reader) (to string, signed webhook.Request, err error) {
	if s.Source != "" {
		return s.signAsSource(tools, in)
	}
	payload, err := s.payload(in)
	if err != nil {
		return "", signed, err
	}
	secret, err := s.secret(tools)
	if err != nil {
		return "", signed, err
	}
	key, err := webhook.Host.Key(secret)
	if err != nil {
		return "", signed, err
	}
	event, _, _ := strings.Cut(s.Event, ".")
	signed, err = key.SignRequest(webhook.Event{ID: s.ID, Name: webhook.EventName(event), Payload: payload}, time.Now())
	return tools.URL(), signed, err
}

// signAsSource signs a sample, or the payload of the flag, as the sender of the source.
func (s *webhooksSend) signAsSource(tools Tools, in io.Reader) (to string, signed webhook.Request, err error) {
	source, to, err := tools.Source(s.Source)
	if err != nil {
		return "", signed, err
	}
	event, action := s.split(source.Sender)
	payload, kind, err := s.samplePayload(in, source.Sender, event, action)
	if err != nil {
		return "", signed, err
	}
	secret := s.Secret
	if secret == "" {
		secret = source.Secrets[0].Value
	}
	key, err := source.Sender.Key(secret)
	if err != nil {
		return "", signed, err
	}
	signed, err = key.SignSample(
		to, webhook.Event{ID: s.ID, Name: event, Payload: payload, Header: map[string]string{"Content-Type": kind}}, time.Now(),
	)
	if err != nil {
		return "", signed, err
	}
	signed.Header["Content-Type"] = []string{kind}
	e, err := source.Sender.Event(signed)
	if err != nil {
		return "", signed, terminal.Misused("the sender %s does not deliver such an event: %v", source.Sender.Name(), err)
	}
	if e.Name != event {
		return "", signed, terminal.Misused("the payload belongs to the event %q; for another event, pass a payload with --payload", e.Name)
	}
	s.ID = e.ID
	return to, signed, nil
}

// split returns the event and, of a sender that has them, the action.
func (s *webhooksSend) split(sender *webhook.Sender) (event webhook.EventName, action string) {
	name, action, dotted := strings.Cut(s.Event, ".")
	if joined, ok := sender.With(webhook.EventName(name), action); dotted && ok && string(joined) == s.Event {
		return webhook.EventName(name), action
	}
	return webhook.EventName(s.Event), ""
}

// samplePayload returns the payload of the file, the sample of a code host's event, or a
// payload with event, action and ID where the sender has them, and its content type.
func (s *webhooksSend) samplePayload(
	in io.Reader, sender *webhook.Sender, event webhook.EventName, action string,
) (payload []byte, kind string, err error) {
	if s.Payload != "" {
		payload, err = s.payload(in)
		return payload, sender.ContentTypeOf(payload), err
	}
	_, codeHost := sender.With("issues", "opened")
	if payload, ok := sample.Payload(webhook.EventName(s.Event)); ok && codeHost {
		return payload, "application/json", nil
	}
	payload, kind = sender.SamplePayload(event, action, s.ID, time.Now())
	return payload, kind, nil
}

// payload returns the content of the file, or a sample of the event.
func (s *webhooksSend) payload(in io.Reader) ([]byte, error) {
	switch s.Payload {
	case "":
		name := webhook.EventName(s.Event)
		if payload, ok := sample.Payload(name); ok {
			return payload, nil
		}
		return nil, notAnEvent(name)
	case "-":
		return readPayload(in)
	}
	file, err := os.Open(s.Payload)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return readPayload(file)
}

// notAnEvent suggests the most similar event.
func notAnEvent(name webhook.EventName) error {
	if nearest := webhook.Nearest(name); nearest != "" {
		return terminal.Misused("%q is not an event, did you mean %q?", name, nearest)
	}
	if event, action, _ := strings.Cut(string(name), "."); webhook.EventName(event).Known() {
		return terminal.Misused("the event %q has no action %q; `octavo webhooks events` lists them", event, action)
	}
	return terminal.Misused("%q is not an event; `octavo webhooks events` lists them", name)
}
