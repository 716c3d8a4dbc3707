package forward

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// send forwards one request.
func send(t *testing.T, s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	t.Helper()
	c := New("Octavo-Webhooks/test")
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	return c.ForwardDelivery(ctx, s)
}

func serve(t *testing.T, fn http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(fn)
	t.Cleanup(server.Close)
	return server
}

func TestADeliveryArrivesWithTheSendersHeaders(t *testing.T) {
	var got *http.Request
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
	})
	answer, err := send(t, inbox.ForwardRequest{URL: server.URL + "/deploy?x=1", ID: "7", Event: "push", Signature: "sha256=00", Attempt: 3, Redelivery: true, Payload: []byte(`{"n":1.0}`)})
	if err != nil || answer.Status != 202 {
		t.Fatalf("%+v, %v", answer, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "X-Host-Event": "push", "X-Host-Delivery": "7", "X-Host-Signature-256": "sha256=00",
		"X-Host-Attempt": "3", "X-Host-Redelivery": "1", "User-Agent": "Octavo-Webhooks/test",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q", name, got.Header.Get(name))
		}
	}
	if got.Method != http.MethodPost || got.URL.String() != "/deploy?x=1" || string(body) != `{"n":1.0}` || got.ContentLength != 9 {
		t.Errorf("got %s %s %q", got.Method, got.URL, body)
	}
}

func TestADeliveryOfAnotherSenderArrivesAsItCameAndWithAStandardSignature(t *testing.T) {
	var got http.Header
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, "fine")
		_ = packed.Close()
	})
	r := inbox.ForwardRequest{
		URL: server.URL, ID: "ci:7", Source: "ci", Event: "push", Timestamp: "1614265330", Signature: "v1,x", Attempt: 2, Payload: []byte(`{}`),
		Header:     map[string]string{"Content-Type": "application/json; charset=utf-8", "X-Github-Event": "push", "Webhook-Id": "another", "User-Agent": "GitHub-Hookshot/1", "Accept-Encoding": "gzip", "X-Octavo-Source": "forged"},
		RuleHeader: map[string]string{"X-Env": "test"},
	}
	answer, err := send(t, r)
	if err != nil || string(answer.Answer) != "fine" {
		t.Fatalf("answered %q, %v", answer.Answer, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "X-Github-Event": "push", "Webhook-Id": "ci:7", "Webhook-Timestamp": "1614265330",
		"Webhook-Signature": "v1,x", "User-Agent": "GitHub-Hookshot/1", "X-Octavo-Source": "ci", "X-Octavo-Event": "push", "X-Octavo-Attempt": "2",
		"X-Env": "test", "X-Host-Event": "", "X-Host-Delivery": "", "X-Host-Signature-256": "",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	r.Signature = ""
	if _, err := send(t, r); err != nil || got.Get("Webhook-Id") != "another" || got.Get("Webhook-Signature") != "" {
		t.Errorf("without a signature of its own: %v, %v", got, err)
	}
}

func TestAFirstDeliveryIsNotMarked(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header.Values("X-Host-Redelivery")) > 0 {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	if answer, err := send(t, inbox.ForwardRequest{URL: server.URL, Event: "push"}); err != nil || answer.Status != 200 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/secret" {
			t.Error("the redirect was followed")
		}
		http.Redirect(w, r, "/secret", http.StatusTemporaryRedirect)
	})
	if answer, err := send(t, inbox.ForwardRequest{URL: server.URL}); err != nil || answer.Status != 307 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestAnEndlessResponseIsNotReadToItsEnd(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<10)); err != nil {
				return
			}
		}
	})
	answer, err := send(t, inbox.ForwardRequest{URL: server.URL})
	if err != nil || answer.Status != 200 || len(answer.Answer) < inbox.MaxAnswer || len(answer.Answer) > 4*inbox.MaxAnswer {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestTheBeginningOfTheResponseIsReturned(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "a\xff\r\n")
	})
	if answer, err := send(t, inbox.ForwardRequest{URL: server.URL}); err != nil || answer.Status != 418 || string(answer.Answer) != "a\xff\r\n" {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestATargetThatDoesNotAnswerIsAnErrorAtTheDeadline(t *testing.T) {
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c := New("test")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.ForwardDelivery(ctx, inbox.ForwardRequest{URL: server.URL}); err == nil || !strings.Contains(err.Error(), "no answer in time") || strings.Contains(err.Error(), server.URL) {
		t.Errorf("got %v", err)
	}
	server.CloseClientConnections()
}

func TestARefusedConnectionIsAnError(t *testing.T) {
	server := serve(t, nil)
	url := server.URL
	server.Close()
	if _, err := send(t, inbox.ForwardRequest{URL: url}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}

func TestANameThatResolvesToAPrivateAddressNeedsPrivate(t *testing.T) {
	reached := false
	server := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	resolveAllToThisMachine(t)
	for _, host := range []string{"inside.example", "localhost.example", "notlocalhost"} {
		named := "http://" + host + ":" + port
		reached = false
		if _, err := send(t, inbox.ForwardRequest{URL: named}); !errors.Is(err, outbound.ErrForbidden) || reached {
			t.Errorf("%s: %v, reached %v", host, err, reached)
		}
		if answer, err := send(t, inbox.ForwardRequest{URL: named, Private: true}); err != nil || answer.Status != 200 {
			t.Errorf("%s with private: %+v, %v", host, answer, err)
		}
	}
	for _, url := range []string{"http://127.1:" + port, "http://2130706433:" + port, "http://0x7f000001:" + port, "http://0:" + port, "http://[::ffff:7f00:1%25lo]:" + port} {
		reached = false
		if _, err := send(t, inbox.ForwardRequest{URL: url}); err == nil || reached {
			t.Errorf("%s: %v, reached %v", url, err, reached)
		}
	}
}

func TestLocalhostIsThisMachineWithoutPrivate(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"localhost", "LocalHost"} {
		if answer, err := send(t, inbox.ForwardRequest{URL: "http://" + host + ":" + port}); err != nil || answer.Status != 200 {
			t.Errorf("%s: %+v, %v", host, answer, err)
		}
	}
}

// resolveAllToThisMachine makes every name resolve to 127.0.0.1, by a name server.
func resolveAllToThisMachine(t *testing.T) {
	t.Helper()
	conn := must.Get(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(thisMachine(query[:n]), from)
		}
	}()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = conn.Close()
	})
}

// thisMachine answers a DNS query: 127.0.0.1 for an A record, nothing for others.
func thisMachine(query []byte) []byte {
	const header, typeA = 12, 1
	end := header
	for query[end] != 0 { // the labels of the name
		end += 1 + int(query[end])
	}
	question := query[header : end+5] // and its type and class
	isA := question[len(question)-3] == typeA
	answers := byte(0)
	if isA {
		answers = 1
	}
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0}, question...)
	if isA {
		answer = append(answer, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
	}
	return answer
}

func check(t *testing.T, url string, private bool) error {
	t.Helper()
	c := New("Octavo-Webhooks/test")
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	return c.CheckTarget(ctx, url, private)
}

func TestCheckingATargetSendsNothing(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the target got a request") })
	if err := check(t, server.URL+"/deploy", false); err != nil {
		t.Error(err)
	}
	server.Close() // waits for running requests
	if err := check(t, server.URL+"/deploy", false); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a target that is down: %v", err)
	}
}

func TestCheckingATargetIsAsStrictAsSending(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	resolveAllToThisMachine(t)
	must.Refuse(t, check(t, "http://inside.example:"+port, false), outbound.ErrForbidden, "a name that resolves inside")
	if err := check(t, "http://inside.example:"+port, true); err != nil {
		t.Errorf("and with private: %v", err)
	}
}

func TestCheckingATargetVerifiesItsCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it would log the aborted handshake
	server.StartTLS()
	t.Cleanup(server.Close)
	if err := check(t, server.URL, false); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an untrusted certificate: %v", err)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	if err := check(t, strings.Replace(plain.URL, "http:", "https:", 1), false); err == nil || !strings.Contains(err.Error(), "tls") {
		t.Errorf("a target without TLS: %v", err)
	}
}
