package sources

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

// errSample refuses to send a sample.
var errSample = fault.New(fault.Invalid, "sample_refused", "No sample can be sent.")

// sampleTimeout bounds a sample, which the process sends to itself.
const sampleTimeout = 15 * time.Second

// sendSample sends a sample of an event, with or without an action, to a source of this process at an address, as
// its sender would. It returns the id of the sample.
func (w *Sources) sendSample(ctx context.Context, address, source, name string) (id string, err error) {
	path, sender, secret, err := w.find(source)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	url := "http://" + address + path
	signed, id, err := signSample(sender, secret, url, name)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(signed.Body))
	if err != nil {
		return "", err
	}
	req.Header = signed.Header
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if response.StatusCode != http.StatusOK {
		return "", errSample.WithMsg(
			fmt.Sprintf("The sample was answered %d: %s", response.StatusCode, text.Line(strings.TrimSpace(string(answer)), 200)),
		)
	}
	return id, nil
}

// find returns what a sample of a source needs.
func (w *Sources) find(source string) (path string, sender *webhook.Sender, secret string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if source == inbox.DefaultSource && len(w.secrets.current) > 0 {
		return w.settings.Webhooks.Path, w.sender, w.secrets.current[0].Value, nil
	}
	for _, one := range w.current {
		if one.Name == source && len(one.Secrets) > 0 {
			return one.Path, one.Sender, one.Secrets[0].Value, nil
		}
	}
	return "", nil, "", errSample.WithMsg("No sample can be sent to this source.")
}

// signSample makes a signed sample.
func signSample(sender *webhook.Sender, secret, url, name string) (signed webhook.Request, id string, err error) {
	event, action, _ := strings.Cut(name, ".")
	if joined, ok := sender.With(webhook.EventName(event), action); !ok || string(joined) != name {
		event, action = name, ""
	}
	if !sender.IsEvent(webhook.EventName(event)) {
		return signed, "", errSample.WithMsg(fmt.Sprintf("The sender %s has no event with such a name.", sender.Name()))
	}
	key, err := sender.Key(secret)
	if err != nil {
		return signed, "", errSample.WithMsg("The secret of this source cannot sign.")
	}
	id = "sample-" + strings.ToLower(rand.Text())
	body, kind := sender.SamplePayload(webhook.EventName(event), action, id, time.Now())
	if payload, ok := sample.Payload(webhook.EventName(name)); ok && (sender == webhook.Host || sender == webhook.GitHub) {
		body = payload
	}
	signed, err = key.SignSample(url, webhook.Event{
		ID: id, Name: webhook.EventName(event), Payload: body, Header: map[string]string{"Content-Type": kind},
	}, time.Now())
	if err != nil {
		return signed, "", errSample.WithMsg(fmt.Sprintf("Only %s itself can sign as %[1]s does, so there is no sample.", sender.Name()))
	}
	signed.Header["Content-Type"] = []string{kind}
	e, err := sender.Event(signed)
	if err != nil {
		return signed, "", errSample.WithMsg("The sender does not deliver such an event.")
	}
	return signed, e.ID, nil
}
