package webhookhttp_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

// send makes a request of any method, with headers given as name, value, name, value.
func send(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Add(pair[0], pair[1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	return answer
}

// refusing makes an endpoint whose handlers must not run.
func refusing(t *testing.T, sender *hooks.Sender, secret string) http.Handler {
	t.Helper()
	r := hooks.Must(secret, hooks.WithSender(sender))
	r.HandleAny(func(_ context.Context, e hooks.Event) error {
		t.Errorf("%s: a handler runs", e.Name)
		return nil
	})
	return hooks.Endpoint(r, hooks.Options{})
}

func TestAChallengeOfAnotherKindThanADeliveryIsAnswered(t *testing.T) {
	meta, err := hooks.Meta.WithOptions(webhook.Options{VerifyToken: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	form := "application/x-www-form-urlencoded"
	for name, c := range map[string]struct {
		sender               *hooks.Sender
		method, target, body string
		headers              []string
		want                 int
		answer               string
	}{
		"meta":                   {meta, "GET", "/?hub.mode=subscribe&hub.verify_token=mine&hub.challenge=1158201444", "", nil, 200, "1158201444"},
		"meta with another":      {meta, "GET", "/?hub.mode=subscribe&hub.verify_token=guess&hub.challenge=1158201444", "", nil, 400, `{"error":"Unknown route: GET /"}`},
		"graph":                  {hooks.Graph, "POST", "/?validationToken=Validation%3A+%3Cb%3E", "", []string{"Content-Type", "text/plain; charset=utf-8"}, 200, "Validation: <b>"},
		"trello":                 {hooks.Trello, "HEAD", "/", "", nil, 200, ""},
		"a sender without any":   {hooks.GitHub, "HEAD", "/", "", nil, 400, `{"error":"Unknown route: HEAD /"}`},
		"woocommerce":            {hooks.WooCommerce, "POST", "/", "webhook_id=7", []string{"Content-Type", form}, 200, ""},
		"woocommerce, unsigned":  {hooks.WooCommerce, "POST", "/", "x=7", []string{"Content-Type", form}, 400, `{"error":"Required headers missing: x-wc-webhook-topic, x-wc-webhook-signature, x-wc-webhook-delivery-id"}`},
		"a form, where none are": {hooks.GitHub, "POST", "/", "x=7", []string{"Content-Type", form}, 415, `{"error":"Content-Type must be application/json"}`},
	} {
		answer := send(refusing(t, c.sender, "hush"), c.method, c.target, c.body, c.headers...)
		if answer.Code != c.want || answer.Body.String() != c.answer {
			t.Errorf("%s: answered %d %s", name, answer.Code, answer.Body)
		}
		if kind := answer.Header().Get("Content-Type"); c.want == 200 && (!strings.HasPrefix(kind, "text/plain") || answer.Header().Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: answered as %s", name, kind)
		}
	}
}

func TestDiscordIsAnsweredAsItInsists(t *testing.T) {
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", 32)))
	h := refusing(t, hooks.Discord, hex.EncodeToString(private.Public().(ed25519.PublicKey)))
	at := fmt.Sprint(time.Now().Unix())
	for body, want := range map[string]int{`{"type":1}`: 200, `{"type":0}`: 204} {
		signature := hex.EncodeToString(ed25519.Sign(private, []byte(at+body)))
		if answer := send(h, "POST", "/", body, "Content-Type", "application/json", "X-Signature-Timestamp", at, "X-Signature-Ed25519", signature); answer.Code != want {
			t.Errorf("%s: answered %d %s", body, answer.Code, answer.Body)
		}
		if answer := send(h, "POST", "/", body+" ", "Content-Type", "application/json", "X-Signature-Timestamp", at, "X-Signature-Ed25519", signature); answer.Code != 401 {
			t.Errorf("%s with another signature: answered %d %s", body, answer.Code, answer.Body)
		}
	}
}

func TestAnOldTimestampIsSaidToBeOne(t *testing.T) {
	at := fmt.Sprint(time.Now().Add(-time.Hour).Unix())
	h := refusing(t, hooks.Stripe, "hush")
	answer := post(h, "Stripe-Signature", "t="+at+",v1="+hexMAC("hush", at+".{}"))
	if text := answer.Body.String(); answer.Code != 400 || !strings.Contains(text, "timestamp") || strings.Contains(strings.ToLower(text), "signature") {
		t.Errorf("answered %d %s", answer.Code, text)
	}
	answer = post(h, "Stripe-Signature", "t="+at+",v1="+hexMAC("guess", at+".{}"))
	if text := answer.Body.String(); answer.Code != 400 || !strings.Contains(text, "Signature does not match") {
		t.Errorf("an old one with a wrong signature: answered %d %s", answer.Code, text)
	}
}

func TestTheURLThatIsSignedIsThatOfTheSender(t *testing.T) {
	r, ran := hooks.Must("hush", hooks.WithSender(hooks.Square)), 0
	r.Handle("payment.created", func(context.Context, hooks.Event) error { ran++; return nil })
	body := `{"type":"payment.created","event_id":"7"}`
	behindProxy := hooks.Endpoint(r, hooks.Options{BaseURL: "https://hooks.example/"})
	for target, c := range map[string]struct {
		h    http.Handler
		want int
	}{
		"https://hooks.example/a%2Fb?x=%20": {behindProxy, 200}, "https://internal/a%2Fb?x=%20": {behindProxy, 400}, "https://hooks.example/other": {behindProxy, 400},
	} {
		signed := base64.StdEncoding.EncodeToString(mac("hush", target+body))
		if answer := send(c.h, "POST", "/a%2Fb?x=%20", body, "Content-Type", "application/json", "X-Square-HmacSha256-Signature", signed); answer.Code != c.want {
			t.Errorf("signed for %s: answered %d %s", target, answer.Code, answer.Body)
		}
	}
	plain := base64.StdEncoding.EncodeToString(mac("hush", "http://example.com/a%2Fb?x=%20"+body))
	if answer := send(hooks.Endpoint(r, hooks.Options{}), "POST", "http://example.com/a%2Fb?x=%20", body, "Content-Type", "application/json", "X-Square-HmacSha256-Signature", plain); answer.Code != 200 || ran != 2 {
		t.Errorf("without a base: answered %d %s, ran %d times", answer.Code, answer.Body, ran)
	}
}

// vendorHost is a host of certificates and of pages that confirm.
type vendorHost struct {
	certificate []byte
	broken      bool
	fetched     []string
}

func (v *vendorHost) Fetch(_ context.Context, url string) ([]byte, error) {
	v.fetched = append(v.fetched, url)
	if v.broken {
		return nil, errors.New("the host is down")
	}
	return v.certificate, nil
}

func newVendorHost(t *testing.T) (*vendorHost, *rsa.PrivateKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &vendorHost{certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, key
}

const certificateURL = "https://sns.eu-west-1.amazonaws.com/Simple.pem"

// snsBody is a message as SNS signs it.
func snsBody(t *testing.T, key *rsa.PrivateKey, members map[string]string) string {
	t.Helper()
	members["Timestamp"], members["TopicArn"] = time.Now().UTC().Format(time.RFC3339), "arn:aws:sns:eu-west-1:1:t"
	text := ""
	for _, name := range []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"} {
		if value := members[name]; value != "" {
			text += name + "\n" + value + "\n"
		}
	}
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	members["SignatureVersion"], members["Signature"], members["SigningCertURL"] = "2", base64.StdEncoding.EncodeToString(signature), certificateURL
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestACertificateIsFetchedOnceAndASubscriptionConfirmed(t *testing.T) {
	host, key := newVendorHost(t)
	r, ran := hooks.Must("", hooks.WithSender(hooks.SNS), receiver.WithFetcher(host)), 0
	r.Handle("Notification", func(context.Context, hooks.Event) error { ran++; return nil })
	h := hooks.Endpoint(r, hooks.Options{})
	note := snsBody(t, key, map[string]string{"Type": "Notification", "MessageId": "m-7", "Message": "hello"})
	for range 3 {
		if answer := send(h, "POST", "/", note, "Content-Type", "text/plain; charset=UTF-8"); answer.Code != 200 {
			t.Errorf("answered %d %s", answer.Code, answer.Body)
		}
	}
	if ran != 3 || !slices.Equal(host.fetched, []string{certificateURL}) {
		t.Errorf("ran %d times; fetched %v", ran, host.fetched)
	}
	confirm := "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription"
	question := snsBody(t, key, map[string]string{"Type": "SubscriptionConfirmation", "MessageId": "m-8", "Message": "confirm", "Token": "t", "SubscribeURL": confirm})
	if answer := send(h, "POST", "/", question, "Content-Type", "text/plain"); answer.Code != 200 || !slices.Equal(host.fetched, []string{certificateURL, confirm}) || ran != 3 {
		t.Errorf("answered %d %s; fetched %v", answer.Code, answer.Body, host.fetched)
	}
	forged := strings.Replace(question, "m-8", "m-9", 1)
	if answer := send(h, "POST", "/", forged, "Content-Type", "text/plain"); answer.Code != 400 || len(host.fetched) != 2 {
		t.Errorf("a forged one: answered %d %s; fetched %v", answer.Code, answer.Body, host.fetched)
	}
	foreign := strings.Replace(note, certificateURL, "https://evil.example/c.pem", 1)
	if answer := send(h, "POST", "/", foreign, "Content-Type", "text/plain"); answer.Code != 400 || len(host.fetched) != 2 {
		t.Errorf("with a certificate of others: answered %d %s; fetched %v", answer.Code, answer.Body, host.fetched)
	}
}

// The sender sends again what could not be verified yet; a broken host is not asked each time.
func TestWhatCannotBeVerifiedYetIsAskedForAgain(t *testing.T) {
	host, key := newVendorHost(t)
	host.broken = true
	h := hooks.Endpoint(hooks.Must("", hooks.WithSender(hooks.SNS), receiver.WithFetcher(host)), hooks.Options{})
	note := snsBody(t, key, map[string]string{"Type": "Notification", "MessageId": "m-7", "Message": "hello"})
	for range 3 {
		if answer := send(h, "POST", "/", note, "Content-Type", "text/plain"); answer.Code != 503 || answer.Header().Get("Retry-After") == "" {
			t.Errorf("answered %d %s", answer.Code, answer.Body)
		}
	}
	if len(host.fetched) != 1 {
		t.Errorf("fetched %d times", len(host.fetched))
	}
	expired, _ := newVendorHost(t)
	expired.certificate = []byte("no certificate")
	h = hooks.Endpoint(hooks.Must("", hooks.WithSender(hooks.SNS), receiver.WithFetcher(expired)), hooks.Options{})
	if answer := send(h, "POST", "/", note, "Content-Type", "text/plain"); answer.Code != 503 {
		t.Errorf("with no certificate: answered %d %s", answer.Code, answer.Body)
	}
}

func TestBodiesOfOtherKindsReachHandlersAsTheyAre(t *testing.T) {
	sender, err := hooks.CustomSender{Signature: webhook.SignaturePlace{Header: "X-Sig"}, Bodies: []string{"array", "form", "text"}}.NewSender()
	if err != nil {
		t.Fatal(err)
	}
	r, got := hooks.Must("hush", hooks.WithSender(sender)), []string{}
	r.HandleAny(func(_ context.Context, e hooks.Event) error { got = append(got, string(e.Payload)); return nil })
	h := hooks.Endpoint(r, hooks.Options{})
	want := []string{`[{"a":1}]`, "a=1&b=%20", "<xml/>"}
	for i, kind := range []string{"application/json", "application/x-www-form-urlencoded; charset=utf-8", "application/xml"} {
		if answer := send(h, "POST", "/", want[i], "Content-Type", kind, "X-Sig", hexMAC("hush", want[i])); answer.Code != 200 {
			t.Errorf("%s: answered %d %s", kind, answer.Code, answer.Body)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAWrongSignatureOfAChallengeReachesTheErrorHandlers(t *testing.T) {
	r := hooks.Must("the secret", hooks.WithSender(hooks.Slack))
	failures := make(chan error, 1)
	r.HandleError(func(_ context.Context, e *hooks.Error) { failures <- e })
	answer := send(hooks.Endpoint(r, hooks.Options{}), "POST", "/", `{"type":"url_verification","challenge":"x"}`, "Content-Type", "application/json",
		"X-Slack-Request-Timestamp", fmt.Sprint(time.Now().Unix()), "X-Slack-Signature", "v0="+strings.Repeat("0", 64))
	if answer.Code != http.StatusBadRequest {
		t.Errorf("answered %d", answer.Code)
	}
	if err := <-failures; !errors.Is(err, hooks.ErrSignatureMismatch) {
		t.Errorf("got %v", err)
	}
}

func TestAHeaderWithoutAValueIsNotForwarded(t *testing.T) {
	r := hooks.Must("the secret", hooks.WithSender(hooks.GitHub))
	r.HandleAny(func(_ context.Context, e hooks.Event) error {
		if _, there := e.Header["X-Forwarded-For"]; there || e.Header["X-Github-Event"] != "push" {
			t.Errorf("the headers are %v", e.Header)
		}
		return nil
	})
	req := hooks.SignedRequest("the secret", "/", hooks.Event{Name: "push", Payload: []byte("{}")}, hooks.GitHub)
	req.Header["X-Forwarded-For"] = nil // as a handler in front does that removes it
	answer := httptest.NewRecorder()
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, req)
	if answer.Code != http.StatusOK {
		t.Errorf("answered %d %s", answer.Code, answer.Body)
	}
}
