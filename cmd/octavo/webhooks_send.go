package main

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

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

type webhooksSend struct {
	withSecret `embed:""`
	asJSON     `embed:""`
	Event      string `arg:"" complete:"events" help:"An event, or an event with an action: issues.opened."`
	To         string `help:"Target URL. Default: the service of these settings." placeholder:"URL"`
	ID         string `help:"The delivery's ID. Default: a new one." placeholder:"ID"`
	Payload    string `help:"File with the payload; - reads standard input. Default: a sample." placeholder:"FILE"`
}

// sent is a target's answer.
type sent struct {
	ID     string `json:"id"`
	Status int    `json:"status"`
	Answer string `json:"answer"`
}

func (s webhooksSend) Run(ctx context.Context, tools webhookTools, c console) error {
	req, err := s.request(ctx, tools, c)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Timeout: 30 * time.Second}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	result := sent{req.Header.Get(webhookhttp.DeliveryHeader), answer.StatusCode, strings.TrimSpace(string(text))}
	err = s.print(c.out, result, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%s  %d %s\n", result.ID, result.Status, result.Answer)
		return err
	})
	if err == nil && answer.StatusCode >= http.StatusMultipleChoices {
		return errSilent
	}
	return err
}

// request makes the signed delivery.
func (s webhooksSend) request(ctx context.Context, tools webhookTools, c console) (*http.Request, error) {
	payload, err := s.payload(c.in)
	if err != nil {
		return nil, err
	}
	r, err := s.receiver(tools)
	if err != nil {
		return nil, err
	}
	signature, err := r.Sign(payload)
	if err != nil {
		return nil, err
	}
	to, id := s.To, s.ID
	if to == "" {
		to = tools.URL()
	}
	if u, err := url.Parse(to); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, misused("--to %q must begin with http:// or https:// and name a host", to)
	}
	if id == "" {
		id = strings.ToLower(rand.Text())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	event, _, _ := strings.Cut(s.Event, ".")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(webhookhttp.EventHeader, event)
	req.Header.Set(webhookhttp.DeliveryHeader, id)
	req.Header.Set(webhookhttp.SignatureHeader, signature)
	return req, nil
}

// payload returns the content of the file, or a sample of the event.
func (s webhooksSend) payload(in io.Reader) ([]byte, error) {
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
		return misused("%q is not an event, did you mean %q?", name, nearest)
	}
	if event, action, _ := strings.Cut(string(name), "."); webhook.EventName(event).Known() {
		return misused("the event %q has no action %q; `octavo webhooks events` lists them", event, action)
	}
	return misused("%q is not an event; `octavo webhooks events` lists them", name)
}
