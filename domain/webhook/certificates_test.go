package webhook_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// pair is the key pair of a vendor.
func pair(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	return must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
}

func signRSA(t *testing.T, key *rsa.PrivateKey, algorithm crypto.Hash, text string) string {
	t.Helper()
	h := algorithm.New()
	h.Write([]byte(text))
	signature := must.Get(rsa.SignPKCS1v15(nil, key, algorithm, h.Sum(nil)))(t)
	return base64.StdEncoding.EncodeToString(signature)
}

const snsAt = "2026-11-26T12:00:00.000Z"

// snsMessage is a message as SNS signs it.
func snsMessage(t *testing.T, key *rsa.PrivateKey, version string, members map[string]string) webhook.Request {
	t.Helper()
	order := []string{"Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
	var text strings.Builder
	for _, name := range order {
		if value, ok := members[name]; ok {
			fmt.Fprintf(&text, "%s\n%s\n", name, value)
		}
	}
	members["SignatureVersion"] = version
	members["Signature"] = signRSA(t, key, map[string]crypto.Hash{"1": crypto.SHA1, "2": crypto.SHA256}[version], text.String())
	members["SigningCertURL"] = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-7.pem"
	body := must.Get(json.Marshal(members))(t)
	return webhook.Request{Header: http.Header{"Content-Type": {"text/plain; charset=UTF-8"}}, Body: body, PublicKey: &key.PublicKey}
}

func notification() map[string]string {
	return map[string]string{
		"Type": "Notification", "MessageId": "m-7", "TopicArn": "arn:aws:sns:us-east-1:1:mine", "Subject": "a <b>", "Message": "line\nline é", "Timestamp": snsAt,
	}
}

func TestAMessageOfSNSIsVerifiedByItsCertificate(t *testing.T) {
	key, stranger := pair(t), pair(t)
	now, _ := time.Parse(time.RFC3339, snsAt)
	for _, version := range []string{"1", "2"} {
		r := snsMessage(t, key, version, notification())
		for secret, want := range map[string]error{"": nil, "arn:aws:sns:us-east-1:1:mine": nil, "arn:aws:sns:us-east-1:1:other": webhook.ErrSignature} {
			if err := senderKey(t, webhook.SNS, secret).Check(r, now); !errors.Is(err, want) {
				t.Errorf("version %s with %q: %v, want %v", version, secret, err, want)
			}
		}
		k := senderKey(t, webhook.SNS, "")
		must.Refuse(t, k.Check(r, now.Add(2*time.Hour)), webhook.ErrTimestamp, "an old one")
		for _, name := range []string{"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"} {
			var members map[string]string
			_ = json.Unmarshal(r.Body, &members)
			members[name] += "x"
			body, _ := json.Marshal(members)
			if err := k.Check(webhook.Request{Body: body, PublicKey: r.PublicKey}, now); !errors.Is(err, webhook.ErrSignature) {
				t.Errorf("with another %s: %v", name, err)
			}
		}
		if r.PublicKey = &stranger.PublicKey; k.Verify(r, now) {
			t.Error("another certificate passes")
		}
		if r.PublicKey = nil; k.Verify(r, now) {
			t.Error("no certificate passes")
		}
	}
	e, err := webhook.SNS.Event(snsMessage(t, key, "2", notification()))
	if err != nil || e.ID != "m-7" || e.Name != "Notification" {
		t.Errorf("read as %+v, %v", e, err)
	}
}

func TestTheSubscriptionOfSNSIsConfirmedAtItsOwnHostOnly(t *testing.T) {
	key := pair(t)
	confirmation := func(url string) webhook.Request {
		return snsMessage(t, key, "2", map[string]string{
			"Type": "SubscriptionConfirmation", "MessageId": "m-7", "Token": "t", "TopicArn": "arn:aws:sns:us-east-1:1:mine", "Message": "confirm", "SubscribeURL": url, "Timestamp": snsAt,
		})
	}
	k := senderKey(t, webhook.SNS, "")
	good := "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=t"
	if found, signed := webhook.SNS.IsChallenge(confirmation(good)); !found || !signed {
		t.Errorf("it is a challenge: %v, and must be signed: %v", found, signed)
	}
	if reply, err := k.Reply(confirmation(good)); err != nil || reply.Confirm != good || reply.Status != http.StatusOK {
		t.Errorf("%+v, %v", reply, err)
	}
	for _, url := range []string{
		"", "http://sns.us-east-1.amazonaws.com/", "https://sns.us-east-1.amazonaws.com.evil.example/", "https://evil.example/", "https://sns.s3.amazonaws.com/",
		"https://sns.s3-us-west-2.amazonaws.com/", "https://a@sns.us-east-1.amazonaws.com/", "https://sns.us-east-1.amazonaws.com:8443/", "https://127.0.0.1/", "//sns.us-east-1.amazonaws.com/",
	} {
		if reply, err := k.Reply(confirmation(url)); err == nil {
			t.Errorf("%s would be confirmed: %+v", url, reply)
		}
		r := snsMessage(t, key, "2", notification())
		r.Body = []byte(strings.Replace(string(r.Body), "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-7.pem", url, 1))
		if got, err := webhook.SNS.CertificateURL(r); err == nil {
			t.Errorf("the certificate would be fetched at %s", got)
		}
	}
}

func TestADeliveryOfPayPalIsVerifiedByItsCertificate(t *testing.T) {
	key, now := pair(t), time.Unix(1795357925, 0)
	body := `{"id":"WH-7","event_type":"PAYMENT.SALE.COMPLETED"}`
	headers := "Paypal-Transmission-Id: t-7\nPaypal-Transmission-Time: 2026-11-26T12:00:00Z\nPaypal-Auth-Algo: SHA256withRSA\n" +
		"Paypal-Cert-Url: https://api.paypal.com/v1/notifications/certs/CERT-7\nPaypal-Transmission-Sig: " +
		signRSA(t, key, crypto.SHA256, fmt.Sprintf("t-7|2026-11-26T12:00:00Z|4JH86294D6297924G|%d", crc32.ChecksumIEEE([]byte(body))))
	r := request(headers, body)
	r.PublicKey = &key.PublicKey
	byOption := must.Get(webhook.PayPal.WithOptions(webhook.Options{WebhookID: "4JH86294D6297924G"}))(t)
	k := senderKey(t, webhook.PayPal, "4JH86294D6297924G")
	if !k.Verify(r, now) || !senderKey(t, byOption, "").Verify(r, now) || webhook.PayPal.Check(r) != nil {
		t.Errorf("refused: %v", webhook.PayPal.Check(r))
	}
	if e, err := webhook.PayPal.Event(r); err != nil || e.ID != "WH-7" || e.Name != "PAYMENT.SALE.COMPLETED" {
		t.Errorf("read as %+v, %v", e, err)
	}
	if url, err := webhook.PayPal.CertificateURL(r); err != nil || url != "https://api.paypal.com/v1/notifications/certs/CERT-7" {
		t.Errorf("the certificate is at %s, %v", url, err)
	}
	if senderKey(t, webhook.PayPal, "another id").Verify(r, now) {
		t.Error("another webhook passes")
	}
	for _, name := range []string{"Paypal-Transmission-Id", "Paypal-Transmission-Time", "Paypal-Transmission-Sig", "Paypal-Auth-Algo"} {
		if changed := with(r, name, "x"+r.Header[name][0]); k.Verify(changed, now) {
			t.Errorf("another %s passes", name)
		}
	}
	r.Body = append(r.Body, ' ')
	if k.Verify(r, now) {
		t.Error("another body passes")
	}
	for _, url := range []string{"https://evil.example/v1/notifications/certs/C", "https://api.paypal.com/other", "http://api.paypal.com/v1/notifications/certs/C", "https://api.paypal.com.evil.example/v1/notifications/certs/C"} {
		if got, err := webhook.PayPal.CertificateURL(with(r, "Paypal-Cert-Url", url)); !errors.Is(err, webhook.ErrSignature) {
			t.Errorf("the certificate would be fetched at %s, %v", got, err)
		}
	}
}

func TestEachNotificationOfGraphHasTheSecret(t *testing.T) {
	now := time.Unix(0, 0)
	k := senderKey(t, webhook.Graph, "hush")
	for body, want := range map[string]bool{
		`{"value":[{"clientState":"hush","changeType":"created","id":"n7"}]}`: true,
		`{"value":[{"clientState":"hush"},{"clientState":"hush"}]}`:           true,
		`{"value":[{"clientState":"hush"},{"clientState":"hash"}]}`:           false,
		`{"value":[{"clientState":"hush"},{}]}`:                               false,
		`{"value":[{"clientstate":"hush"}]}`:                                  false,
		`{"value":[]}`:                                                        false, `{}`: false, `[]`: false, ``: false, `{"value":"hush"}`: false,
		`{"value":[` + strings.Repeat(`{"clientState":"hush"},`, 1000) + `{"clientState":"hush"}]}`: false,
	} {
		if got := k.Verify(request("", body), now); got != want {
			t.Errorf("%.80s: %v, want %v", body, got, want)
		}
	}
	e, err := webhook.Graph.Event(request("", `{"value":[{"clientState":"hush","changeType":"created","id":"n7"}]}`))
	if err != nil || e.ID != "n7" || e.Name != "created" {
		t.Errorf("read as %+v, %v", e, err)
	}
}

func TestACustomSenderMaySignWithACertificate(t *testing.T) {
	key, now := pair(t), time.Unix(0, 0)
	s, k := custom(t, webhook.CustomSender{
		Signed: "{header.X-At}.{body}", Algorithm: "rsa-sha256", Signature: webhook.SignaturePlace{Header: anHMAC, Encoding: "base64"},
		Certificate: webhook.Certificate{Header: "X-Cert", Hosts: []string{"certs.example.com", "*.certs.example.com"}},
	}, "")
	r := request("X-At: 7\nX-Cert: https://eu.certs.example.com/a.pem\n"+anHMAC+": "+signRSA(t, key, crypto.SHA256, "7.{}"), "{}")
	if url, err := s.CertificateURL(r); err != nil || url != "https://eu.certs.example.com/a.pem" {
		t.Errorf("the certificate is at %s, %v", url, err)
	}
	if r.PublicKey = &key.PublicKey; !k.Verify(r, now) || s.NeedsSecret() {
		t.Error("it is refused")
	}
	if r.PublicKey = nil; k.Verify(r, now) || k.Diagnose(r, now).Part == "" {
		t.Error("without its certificate it passes")
	}
	for _, url := range []string{"https://example.com/", "https://a.b.certs.example.com/", "https://certs.example.com.evil.example/", "http://certs.example.com/"} {
		if got, err := s.CertificateURL(with(r, "X-Cert", url)); err == nil {
			t.Errorf("the certificate would be fetched at %s", got)
		}
	}
}

// What is split or searched is bounded, wherever it stands.
func TestAHugeSignatureIsNotSplit(t *testing.T) {
	_, k := custom(t, webhook.CustomSender{Signed: "{json.at}", Signature: webhook.SignaturePlace{JSON: "sig", Format: "list", Separator: ","}}, "hush")
	r := request("", `{"at":"7","sig":"`+hmacHex("7")+`"}`)
	if !k.Verify(r, time.Unix(0, 0)) {
		t.Error("it is refused")
	}
	r.Body = []byte(`{"at":"7","sig":"` + hmacHex("7") + strings.Repeat(",", 17<<10) + `"}`)
	if k.Verify(r, time.Unix(0, 0)) {
		t.Error("a huge one passes")
	}
}
