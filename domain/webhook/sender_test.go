package webhook_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func request(headers, body string) webhook.Request {
	r := webhook.Request{Header: http.Header{}, Body: []byte(body)}
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		http.Header(r.Header).Add(name, value)
	}
	return r
}

func senderKey(t *testing.T, s *webhook.Sender, secret string) *webhook.SenderKey {
	t.Helper()
	return must.Get(s.Key(secret))(t)
}

// The example in Slack's documentation is a form, which has no event.
func TestTheExampleOfSlackIsVerified(t *testing.T) {
	r := request("X-Slack-Request-Timestamp: 1531420618\nX-Slack-Signature: v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
		"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA"+
			"&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"+
			"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c")
	if !senderKey(t, webhook.Slack, "8f742231b10e8888abcd99yyyzzz85a5").Verify(r, time.Unix(1531420618, 0)) {
		t.Error("the signature does not match")
	}
}

func TestASignatureIsValidForFiveMinutesEitherWay(t *testing.T) {
	for name, d := range published(t) {
		if d.At == 0 {
			continue
		}
		k, at := senderKey(t, d.sender(t), d.Secret), time.Unix(d.At, 0)
		for _, c := range []struct {
			off  time.Duration
			want bool
		}{{webhook.Tolerance, true}, {-webhook.Tolerance, true}, {webhook.Tolerance + time.Second, false}, {-webhook.Tolerance - time.Second, false}} {
			if got := k.Verify(request(d.headers(), d.Body), at.Add(c.off)); got != c.want {
				t.Errorf("%s after %s: %v, want %v", name, c.off, got, c.want)
			}
		}
		if wide := senderKey(t, d.sender(t).WithTolerance(time.Hour), d.Secret); !wide.Verify(request(d.headers(), d.Body), at.Add(59*time.Minute)) {
			t.Errorf("%s: a tolerance of an hour has no effect", name)
		}
		for _, stamp := range []string{"", "-1", "1e9", "0x5f", "9999999999999999999", " ", "٣"} {
			changed := strings.ReplaceAll(d.headers(), fmt.Sprint(d.At), stamp)
			if k.Verify(request(changed, d.Body), at) {
				t.Errorf("%s: the timestamp %q passes", name, stamp)
			}
		}
	}
}

func TestDuringARotationAnyOfSeveralSignaturesMayMatch(t *testing.T) {
	d := published(t)["standard"]
	other := "v1," + base64.StdEncoding.EncodeToString(make([]byte, 32))
	mine := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	k, now := senderKey(t, d.sender(t), d.Secret), time.Unix(d.At, 0)
	for signatures, want := range map[string]bool{
		other + " " + mine: true, mine + " " + other: true, other + " " + other: false, "v2,x " + mine: true,
		strings.Repeat(other+" ", 7) + mine: true, strings.Repeat(other+" ", 8) + mine: false, // beyond the limit
	} {
		if got := k.Verify(request(strings.Replace(d.headers(), mine, signatures, 1), d.Body), now); got != want {
			t.Errorf("%d signatures: %v, want %v", len(strings.Fields(signatures)), got, want)
		}
	}
	s := published(t)["stripe"]
	stripe, at := senderKey(t, s.sender(t), s.Secret), time.Unix(s.At, 0)
	zeros := strings.Repeat("0", 64)
	for header, want := range map[string]bool{
		"v1=" + zeros + ",v1=f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd,t=1492774577":         true,
		"t=1492774577, v1=f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd":                         true,
		"t=1492774577,t=1492774577,v1=f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd":             false,
		"t,t=1492774577,v1=f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd":                        false,
		"t=1492774577,v0=f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd":                          false,
		"v1=f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c06ae703e2befbd":                                       false,
		"t=1492774577,v1=" + strings.Repeat(zeros+",v1=", 9) + "f7a632a9ffdbb1ced2fc48e44c374ec2cb4292469db292862c": false,
	} {
		if got := stripe.Verify(request("Stripe-Signature: "+header, s.Body), at); got != want {
			t.Errorf("%s: %v, want %v", header, got, want)
		}
	}
}

func TestAKeyPairCanSignInsteadOfASecret(t *testing.T) {
	public, private := must.Get2(ed25519.GenerateKey(nil))(t)
	now := time.Unix(1614265330, 0)
	sign := func(key ed25519.PrivateKey, text string) string {
		return "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(text)))
	}
	_, stranger, _ := ed25519.GenerateKey(nil)
	k := senderKey(t, webhook.Standard, "whpk_"+base64.StdEncoding.EncodeToString(public))
	for name, c := range map[string]struct {
		signature string
		want      bool
	}{
		"signed":            {sign(private, `m1.1614265330.{}`), true},
		"by a stranger":     {sign(stranger, `m1.1614265330.{}`), false},
		"another id":        {sign(private, `m2.1614265330.{}`), false},
		"another time":      {sign(private, `m1.1614265331.{}`), false},
		"another body":      {sign(private, `m1.1614265330.{ }`), false},
		"called a MAC":      {strings.Replace(sign(private, `m1.1614265330.{}`), "v1a,", "v1,", 1), false},
		"cut":               {"v1a,AAAA", false},
		"behind a rotation": {sign(stranger, `m1.1614265330.{}`) + " " + sign(private, `m1.1614265330.{}`), true},
	} {
		r := request("Webhook-Id: m1\nWebhook-Timestamp: 1614265330\nWebhook-Signature: "+c.signature, "{}")
		if got := k.Verify(r, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	must.Refuse(t, must.Err(k.SignRequest(webhook.Event{}, now)), webhook.ErrCannotSign, "a public key signs")
}

// The public key is not a secret, so it must not work as a token.
func TestAPublicKeyIsNotAToken(t *testing.T) {
	secret := "whpk_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	r := request("X-Gitlab-Event: Push Hook\nX-Gitlab-Token: "+secret+"\nIdempotency-Key: 1", "{}")
	if senderKey(t, webhook.GitLab, secret).Verify(r, time.Unix(0, 0)) {
		t.Error("a public key is accepted as a token")
	}
}

// HTTP removes the space around the value of a header, so a token cannot have any.
func TestASecretWithSpaceAroundItIsRecognisedAsAToken(t *testing.T) {
	r := request("X-Gitlab-Event: Push Hook\nX-Gitlab-Token: one two\nIdempotency-Key: 1", "{}")
	for secret, want := range map[string]bool{" one two\n": true, "one two": true, "onetwo": false, " ": false} {
		if got := senderKey(t, webhook.GitLab, secret).Verify(r, time.Unix(0, 0)); got != want {
			t.Errorf("%q: %v, want %v", secret, got, want)
		}
	}
	r.Header["X-Gitlab-Token"] = []string{" "}
	if senderKey(t, webhook.GitLab, " ").Verify(r, time.Unix(0, 0)) {
		t.Error("a blank token passes")
	}
}

func TestMalformedSecretsAreRefused(t *testing.T) {
	for secret, want := range map[string]error{
		"": webhook.ErrNoSecret, "whsec_": webhook.ErrSecretForm, "whsec_%": webhook.ErrSecretForm, "whpk_": webhook.ErrSecretForm, "whpk_AAAA": webhook.ErrSecretForm,
	} {
		must.Refuse(t, must.Err(webhook.Standard.Key(secret)), want, secret)
	}
	if _, err := webhook.Stripe.Key("whsec_%"); err != nil { // Stripe uses the bytes as they are
		t.Error(err)
	}
}

func TestMissingHeadersAreNamedAsTheSenderWritesThem(t *testing.T) {
	for sender, want := range map[*webhook.Sender][]string{
		webhook.Host:   {"x-host-event", "x-host-signature-256", "x-host-delivery"},
		webhook.GitLab: {"x-gitlab-event", "x-gitlab-token", "idempotency-key"},
		webhook.Slack:  {"x-slack-signature", "x-slack-request-timestamp"},
	} {
		var missing *webhook.MissingHeadersError
		if err := sender.Check(webhook.Request{}); !errors.As(err, &missing) || !slices.Equal(missing.Headers, want) {
			t.Errorf("%s: %v", sender.Name(), err)
		}
	}
}

func TestHeadersAreCheckedBeforeTheBodyIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		sender  *webhook.Sender
		headers string
		want    error
	}{
		"a good one":               {webhook.GitHub, "X-GitHub-Event: push\nX-GitHub-Delivery: 1\nX-Hub-Signature-256: x", nil},
		"a name that is not ASCII": {webhook.GitHub, "X-GitHub-Event: é\nX-GitHub-Delivery: 1\nX-Hub-Signature-256: x", webhook.ErrEventName},
		"an id that is not":        {webhook.GitHub, "X-GitHub-Event: push\nX-GitHub-Delivery: é\nX-Hub-Signature-256: x", webhook.ErrDeliveryID},
		"a name in the body":       {webhook.Standard, "Webhook-Id: 1\nWebhook-Timestamp: 1\nWebhook-Signature: x", nil},
		"an id beside it":          {webhook.Standard, "Webhook-Id: é\nWebhook-Timestamp: 1\nWebhook-Signature: x", webhook.ErrDeliveryID},
	} {
		must.Refuse(t, c.sender.Check(request(c.headers, "")), c.want, name)
	}
}

func TestEventsAreKeptAsTheSenderWroteThem(t *testing.T) {
	long := strings.Repeat("x", 101)
	for name, c := range map[string]struct {
		sender *webhook.Sender
		header string
		body   string
		event  webhook.EventName
		id     string
		err    error
	}{
		"slack's inner type":        {webhook.Slack, "", `{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}`, "app_mention", "Ev1", nil},
		"slack without an event":    {webhook.Slack, "", `{"type":"app_rate_limited"}`, "app_rate_limited", "sha256-ff6fbef40c8d9a5b1cb60c3e4e0d4fc1", nil},
		"slack without a type":      {webhook.Slack, "", `{}`, "", "", webhook.ErrEventName},
		"slack, not an object":      {webhook.Slack, "", `[]`, "", "", webhook.ErrPayload},
		"stripe without an id":      {webhook.Stripe, "", `{"type":"invoice.paid"}`, "", "", webhook.ErrDeliveryID},
		"stripe, a nested id":       {webhook.Stripe, "", `{"data":{"id":"x"},"type":"invoice.paid"}`, "", "", webhook.ErrDeliveryID},
		"stripe, a number as type":  {webhook.Stripe, "", `{"id":"e","type":5}`, "5", "e", nil},
		"standard with a type":      {webhook.Standard, "Webhook-Id: m", `{"type":"user.created"}`, "user.created", "m", nil},
		"standard without one":      {webhook.Standard, "Webhook-Id: m", `{}`, "webhook", "m", nil},
		"host in capitals":          {webhook.Host, "X-Host-Event: Push\nX-Host-Delivery: 1", `{}`, "", "", webhook.ErrEventName},
		"host's error":              {webhook.Host, "X-Host-Event: error\nX-Host-Delivery: 1", `{}`, "", "", webhook.ErrEventName},
		"a long name":               {webhook.Shopify, "X-Shopify-Webhook-Id: 1\nX-Shopify-Topic: " + long, `{}`, "", "", webhook.ErrEventName},
		"a name that is not ASCII":  {webhook.Shopify, "X-Shopify-Webhook-Id: 1\nX-Shopify-Topic: é", `{}`, "", "", webhook.ErrEventName},
		"a long id":                 {webhook.Shopify, "X-Shopify-Topic: a\nX-Shopify-Webhook-Id: " + strings.Repeat("1", 257), `{}`, "", "", webhook.ErrDeliveryID},
		"gitlab prefers what stays": {webhook.GitLab, "X-Gitlab-Event: Push Hook\nX-Gitlab-Event-UUID: b\nIdempotency-Key: a", `{}`, "Push Hook", "a", nil},
	} {
		e, err := c.sender.Event(request(c.header, c.body))
		if e.Name != c.event || !errors.Is(err, c.err) || c.err == nil && !strings.HasPrefix(c.id, "sha256-") && e.ID != c.id {
			t.Errorf("%s: %q %q, %v", name, e.Name, e.ID, err)
		}
		if strings.HasPrefix(c.id, "sha256-") && (len(e.ID) != len(c.id) || !strings.HasPrefix(e.ID, "sha256-")) {
			t.Errorf("%s: id %q", name, e.ID)
		}
	}
}

func TestActionsAreDispatchedForCodeHosts(t *testing.T) {
	for _, c := range []struct {
		sender        *webhook.Sender
		event, action string
		want          string
	}{
		{webhook.Host, "issues", "opened", "issues.opened"},
		{webhook.Host, "issues", "read", ""},
		{webhook.GitHub, "issues", "read", "issues.read"},
		{webhook.Gitea, "issues", "label_updated", "issues.label_updated"},
		{webhook.GitHub, "repository_dispatch", "deploy-prod", "repository_dispatch.deploy-prod"},
		{webhook.GitHub, "issues", "Read It", "issues.Read It"},
		{webhook.GitHub, "issues", "é", ""},
		{webhook.GitHub, "issues", strings.Repeat("x", 101), ""},
		{webhook.Linear, "Issue", "create", "Issue.create"},
		{webhook.GitHub, "issues", "", ""},
		{webhook.GitLab, "Issue Hook", "open", ""},
		{webhook.Stripe, "invoice.paid", "opened", ""},
	} {
		if got, ok := c.sender.With(webhook.EventName(c.event), c.action); string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%s, %s of %s: %q, %v", c.sender.Name(), c.action, c.event, got, ok)
		}
	}
}

func TestACustomSenderFollowsItsFields(t *testing.T) {
	c := webhook.CustomSender{EventHeader: "x-acme-KIND", IDField: "uid", SignatureHeader: "x-acme-sign", Scheme: "hmac-sha256-hex", Prefix: "v1:"}
	s := must.Get(c.NewSender())(t)
	r := request("X-Acme-Kind: thing made\nX-Acme-Sign: v1:4c0b5a2a3c3a5b0d", `{"uid":"u1"}`)
	if senderKey(t, s, "hush").Verify(r, time.Time{}) {
		t.Error("a short signature passes")
	}
	e, err := s.Event(r)
	if err != nil || e.Name != "thing made" || e.ID != "u1" {
		t.Errorf("read as %q %q: %v", e.Name, e.ID, err)
	}
	var missing *webhook.MissingHeadersError
	if err := s.Check(webhook.Request{}); !errors.As(err, &missing) || !slices.Equal(missing.Headers, []string{"x-acme-kind", "x-acme-sign"}) {
		t.Errorf("missing: %v", err)
	}
	plain := must.Get(webhook.CustomSender{SignatureHeader: "X-Token", Scheme: "token"}.NewSender())(t)
	if e, err := plain.Event(request("", "{}")); err != nil || e.Name != "webhook" || !strings.HasPrefix(e.ID, "sha256-") {
		t.Errorf("without event and id parsed as %q %q: %v", e.Name, e.ID, err)
	}
	if !senderKey(t, plain, "hush").Verify(request("X-Token: hush", "{}"), time.Time{}) {
		t.Error("the token does not pass")
	}
}

func TestAnInvalidCustomSenderIsRefused(t *testing.T) {
	for name, c := range map[string]webhook.CustomSender{
		"no signature":      {Scheme: "token"},
		"no scheme":         {SignatureHeader: "X-S"},
		"an unknown scheme": {SignatureHeader: "X-S", Scheme: "md5"},
		"a bad header":      {SignatureHeader: "X S", Scheme: "token"},
		"a spaced prefix":   {SignatureHeader: "X-S", Scheme: "token", Prefix: " v1="},
		"a prefix in UTF-8": {SignatureHeader: "X-S", Scheme: "token", Prefix: "é"},
		"a bad event":       {SignatureHeader: "X-S", Scheme: "token", EventHeader: "x:y"},
		"a bad id":          {SignatureHeader: "X-S", Scheme: "token", IDHeader: "é"},
		"two events":        {SignatureHeader: "X-S", Scheme: "token", EventHeader: "X-E", EventField: "e"},
		"two ids":           {SignatureHeader: "X-S", Scheme: "token", IDHeader: "X-I", IDField: "i"},
	} {
		if _, err := c.NewSender(); err == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
}

func TestSendersAreFoundByName(t *testing.T) {
	for _, s := range webhook.Senders() {
		if got, err := webhook.SenderNamed(s.Name()); err != nil || got != s {
			t.Errorf("%s: %v", s.Name(), err)
		}
	}
	if _, err := webhook.SenderNamed("git-hub"); err == nil || !strings.Contains(err.Error(), "github") {
		t.Errorf("a misspelt name: %v", err)
	}
	if got := (*webhook.Sender)(nil).Name(); got != "host" {
		t.Errorf("nil is %s, want host", got)
	}
}
