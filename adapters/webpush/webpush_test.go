package webpush_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/adapters/webpush"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/pushservice"
)

// secret is one of webpush.Config.Secrets.
func secret(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func newSender(t *testing.T, development bool, secrets ...[]byte) *webpush.Sender {
	t.Helper()
	s := webpush.New(webpush.Config{Agent: "Octavo/test", Secrets: secrets, Subject: "mailto:help@example.edu", Development: development})
	t.Cleanup(s.Close)
	return s
}

// subscription is that of the service's browser.
func subscription(service *pushservice.Service, key string) push.Subscription {
	p256dh, auth := service.Keys()
	return push.Subscription{ID: 7, Endpoint: service.URL + "/secret-path", Keys: push.Keys{P256dh: p256dh, Auth: auth}, ServerKey: key}
}

var message = pushing.Message{Payload: []byte(`{"title":"Octavo"}`), Topic: "abcdefghijklmnopqrstuvwxyz012345", Urgency: push.Low, TTL: push.TTL}

func TestABrowserReadsWhatWasPushedAndItsServiceKnowsWhoSentIt(t *testing.T) {
	service, s := pushservice.Start(t), newSender(t, true, secret(1))
	service.Expect(s.PublicKey())
	must.Do(t, s.Push(t.Context(), subscription(service, s.PublicKey()), message))
	all := service.Messages()
	if len(all) != 1 || all[0].Text != string(message.Payload) || all[0].Path != "/secret-path" {
		t.Fatalf("the browser got %+v", all)
	}
	for name, want := range map[string]string{"Ttl": "86400", "Topic": message.Topic, "Urgency": "low", "User-Agent": "Octavo/test"} {
		if got := all[0].Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestABrowserThatSubscribedForAnEarlierKeyIsReachedWithThatKey(t *testing.T) {
	service, before, now := pushservice.Start(t), newSender(t, true, secret(1)), newSender(t, true, secret(2), secret(1))
	if before.PublicKey() == now.PublicKey() || newSender(t, true, secret(1)).PublicKey() != before.PublicKey() {
		t.Fatal("the key does not follow from the secret")
	}
	service.Expect(before.PublicKey())
	must.Do(t, now.Push(t.Context(), subscription(service, before.PublicKey()), message))
	if err := before.Push(t.Context(), subscription(service, now.PublicKey()), message); err == nil || errors.Is(err, pushing.ErrGone) || errors.Is(err, pushing.ErrRefused) {
		t.Errorf("a key of another process: %v", err)
	}
}

func TestTheAnswerOfAServiceDecidesWhetherAMessageIsSentAgain(t *testing.T) {
	service, s := pushservice.Start(t), newSender(t, true, secret(1))
	service.Expect(s.PublicKey())
	for status, want := range map[int]error{404: pushing.ErrGone, 410: pushing.ErrGone, 400: pushing.ErrRefused, 403: pushing.ErrRefused, 413: pushing.ErrRefused, 302: pushing.ErrRefused} {
		service.Answer(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", status) })
		must.Refuse(t, s.Push(t.Context(), subscription(service, s.PublicKey()), message), want, status)
	}
	for status, header := range map[int]string{429: "120", 500: "", 503: time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
		service.Answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(status)
		})
		var busy pushing.BusyError
		err := s.Push(t.Context(), subscription(service, s.PublicKey()), message)
		if !errors.As(err, &busy) || (busy.After == 0) != (header == "") || header == "120" && busy.After != 2*time.Minute || busy.After > time.Hour {
			t.Errorf("%d with Retry-After %q: %v, wait %s", status, header, err, busy.After)
		}
	}
}

func TestAnErrorDoesNotShowWhereAMessageWasSent(t *testing.T) {
	service, s := pushservice.Start(t), newSender(t, true, secret(1))
	service.Close()
	err := s.Push(t.Context(), subscription(service, s.PublicKey()), message)
	if err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("the error is %v", err)
	}
}

func TestNoMessageGoesIntoThePrivateNetwork(t *testing.T) {
	s := newSender(t, false, secret(1))
	for endpoint, why := range map[string]string{
		"https://push.example.net/x":      "",
		"https://93.184.215.14/x":         "",
		"http://push.example.net/x":       "https",
		"https://127.0.0.1/x":             "private",
		"https://[::1]:8443/x":            "private",
		"https://localhost/x":             "this machine",
		"https://10.1.2.3/x":              "private",
		"https://169.254.169.254/latest":  "never",
		"https://user:word@example.net/x": "address",
		"https://example.net/x#fragment":  "address",
		"javascript:alert(1)":             "address",
		"":                                "address",
	} {
		err := s.CheckEndpoint(endpoint)
		if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", endpoint, err, why)
		}
	}
	service := pushservice.Start(t)
	to := subscription(service, s.PublicKey())
	to.Endpoint = strings.Replace(service.URL, "http:", "https:", 1) + "/x"
	must.Refuse(t, s.Push(t.Context(), to, message), outbound.ErrForbidden, "a literal address of this machine")
	if all := service.Messages(); len(all) != 0 {
		t.Errorf("the service got %+v", all)
	}
}

func TestDevelopmentPushesToThisMachine(t *testing.T) {
	s := newSender(t, true, secret(1))
	for endpoint, ok := range map[string]bool{"http://127.0.0.1:9/x": true, "http://localhost:9/x": true, "https://push.example.net/x": true, "http://push.example.net/x": false, "http://10.0.0.1/x": false} {
		if err := s.CheckEndpoint(endpoint); (err == nil) != ok {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
