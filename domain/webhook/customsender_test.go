package webhook_test

import (
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

const anHMAC = "X-Sig"

// custom makes a sender and its key.
func custom(t *testing.T, c webhook.CustomSender, secret string) (*webhook.Sender, *webhook.SenderKey) {
	t.Helper()
	s := must.Get(c.NewSender())(t)
	return s, senderKey(t, s, secret)
}

// Each of these describes a scheme of somebody in templates, with a delivery made by openssl or
// published by that somebody.
var templates = map[string]struct {
	sender       webhook.CustomSender
	secret       string
	headers      string
	body         string
	event, id    string
	contentTyped string
}{
	"zoom, its published example": {
		webhook.CustomSender{
			Signed:    "v0:{header.x-zm-request-timestamp}:{body}",
			Signature: webhook.SignaturePlace{Header: "x-zm-signature", Prefix: "v0="},
			Timestamp: webhook.TimestampPlace{Header: "X-Zm-Request-Timestamp"},
			Event:     webhook.Place{JSON: "event"}, ID: webhook.Place{JSON: "payload.object.id"},
		},
		"hush", "X-Zm-Request-Timestamp: 1739923528\nX-Zm-Signature: v0=" + hmacHex(`v0:1739923528:{"event":"meeting.started","payload":{"object":{"id":1234567890}}}`),
		`{"event":"meeting.started","payload":{"object":{"id":1234567890}}}`, "meeting.started", "1234567890", "",
	},
	"sha512 in base64url without padding": {
		webhook.CustomSender{
			Algorithm: "hmac-sha512", Signature: webhook.SignaturePlace{Header: anHMAC, Encoding: "base64url"},
			Event: webhook.Place{JSON: "items[1].kind", Else: &webhook.Place{JSON: "kind"}}, Bodies: []string{"array", "object"},
		},
		"hush", "X-Sig: " + base64.RawURLEncoding.EncodeToString(macOf(sha512.New, "hush", `{"kind":"made"}`)), `{"kind":"made"}`, "made", "", "",
	},
	"a list with another separator": {
		webhook.CustomSender{Signature: webhook.SignaturePlace{Header: anHMAC, Format: "list", Separator: ",", Prefix: "v1="}, Event: webhook.Place{Header: "X-Kind"}},
		"hush", "X-Kind: a b\nX-Sig: v1=00, v1=" + hmacHex("{}"), "{}", "a b", "", "",
	},
	"pairs with a time in milliseconds": {
		webhook.CustomSender{
			Signed:    "{timestamp}.{method}.{id}.{body}",
			Signature: webhook.SignaturePlace{Header: anHMAC, Format: "pairs", Separator: ";", Assign: ":", Key: "sig"},
			Timestamp: webhook.TimestampPlace{Pair: "at", Unit: "ms"}, ID: webhook.Place{Header: "X-Id"},
		},
		"hush", "X-Id: 7\nX-Sig: at:1739923528123;sig:" + hmacHex("1739923528123.POST.7.{}"), "{}", "webhook", "7", "",
	},
	"a regular expression": {
		webhook.CustomSender{Signature: webhook.SignaturePlace{Header: "Authorization", Format: "regex", Pattern: `signature="([0-9a-f]+)"`}},
		"hush", `Authorization: HMAC keyId="x", signature="` + hmacHex("{}") + `"`, "{}", "webhook", "", "",
	},
	"a key in base64 with a prefix": {
		webhook.CustomSender{Key: webhook.KeyForm{Encoding: "base64", Prefix: "key_"}, Signature: webhook.SignaturePlace{Header: anHMAC}},
		"key_aHVzaA==", "X-Sig: " + hmacHex("{}"), "{}", "webhook", "", "",
	},
	"a form and its URL": {
		webhook.CustomSender{
			Signed: "{url}{form.sorted}", Signature: webhook.SignaturePlace{Header: anHMAC}, Bodies: []string{"form"}, Event: webhook.Place{Form: "kind"},
		},
		"hush", "X-Sig: " + hmacHex("https://hooks.example/x?y=1a1b2b3kindmade"), "kind=made&b=3&a=1&b=2&b=3", "made", "", "application/x-www-form-urlencoded",
	},
	"a signature in the body": {
		webhook.CustomSender{
			Signed: "{json.at}{json.data.id}", Signature: webhook.SignaturePlace{JSON: "sig"}, Timestamp: webhook.TimestampPlace{JSON: "at", Unit: "rfc3339"},
			ID: webhook.Place{JSON: "data.id"},
		},
		"hush", "", `{"at":"2025-02-19T00:05:28Z","data":{"id":7},"sig":"` + hmacHex("2025-02-19T00:05:28Z7") + `"}`, "webhook", "7", "",
	},
	"a text": {
		webhook.CustomSender{Signature: webhook.SignaturePlace{Header: anHMAC}, Bodies: []string{"text"}},
		"hush", "X-Sig: " + hmacHex("build 7 failed"), "build 7 failed", "webhook", "", "text/plain",
	},
}

func TestATemplateSaysWhatIsSigned(t *testing.T) {
	now := time.Unix(1739923528, 0)
	for name, c := range templates {
		t.Run(name, func(t *testing.T) {
			s, k := custom(t, c.sender, c.secret)
			r := request(c.headers, c.body)
			r.URL = "https://hooks.example/x?y=1"
			r.Header["Content-Type"] = []string{c.contentTyped}
			if c.contentTyped == "" {
				r.Header["Content-Type"] = []string{"application/json"}
			}
			if err := k.Check(r, now); err != nil || s.Check(r) != nil || !s.TakesType(r) {
				t.Errorf("refused: %v, %v", err, s.Check(r))
			}
			e, err := s.Event(r)
			if err != nil || string(e.Name) != c.event || c.id != "" && e.ID != c.id || c.id == "" && !webhook.IsBodyHash(e.ID) {
				t.Errorf("read as %q %q: %v", e.Name, e.ID, err)
			}
			if _, other := custom(t, c.sender, strings.Replace(c.secret, "hu", "ha", 1)); c.secret == "hush" && other.Verify(r, now) {
				t.Error("another secret passes")
			}
			r.Body = []byte(strings.NewReplacer("7", "8", "made", "lost", "{}", "{ }", "started", "stopped").Replace(c.body))
			if k.Verify(r, now) {
				t.Error("another body passes")
			}
		})
	}
}

func TestAMistakeInATemplateIsSaidAtTheStart(t *testing.T) {
	sig := webhook.SignaturePlace{Header: anHMAC}
	for want, c := range map[string]webhook.CustomSender{
		"unknown part {bdy}":                {Signed: "{bdy}", Signature: sig},
		"a { without its }":                 {Signed: "{body", Signature: sig},
		"a } without its {":                 {Signed: "body}{body}", Signature: sig},
		"covers no part of the body":        {Signed: "{url}", Signature: sig},
		"twice":                             {Signed: "{body}{body}", Signature: sig},
		"longer than 1000":                  {Signed: strings.Repeat("x", 1001), Signature: sig},
		"more than 32 parts":                {Signed: strings.Repeat("{url}", 33) + "{body}", Signature: sig},
		"is not a path":                     {Signed: "{json.a..b}", Signature: sig},
		"which is not a header":             {Signed: "{header.x y}{body}", Signature: sig},
		"the id has no place":               {Signed: "{id}{body}", Signature: sig},
		"timestamp needs a header":          {Signed: "{timestamp}{body}", Signature: sig},
		"anybody could change it":           {Signature: sig, Timestamp: webhook.TimestampPlace{Header: "X-At"}},
		"the unit":                          {Signature: sig, Timestamp: webhook.TimestampPlace{JSON: "at", Unit: "min"}},
		"the tolerance":                     {Signature: sig, Timestamp: webhook.TimestampPlace{JSON: "at", Tolerance: time.Millisecond}},
		"needs a signature of the format":   {Signature: sig, Timestamp: webhook.TimestampPlace{Pair: "t"}},
		"algorithm \"md5\"":                 {Algorithm: "md5", Signature: sig},
		"no effect with the algorithm":      {Algorithm: "token", Signed: "{body}", Signature: sig},
		"the format \"xml\"":                {Signature: webhook.SignaturePlace{Header: anHMAC, Format: "xml"}},
		"the encoding \"rot13\"":            {Signature: webhook.SignaturePlace{Header: anHMAC, Encoding: "rot13"}},
		"pairs needs a key":                 {Signature: webhook.SignaturePlace{Header: anHMAC, Format: "pairs"}},
		"has no effect with the format":     {Signature: webhook.SignaturePlace{Header: anHMAC, Key: "v1"}},
		"pattern is not":                    {Signature: webhook.SignaturePlace{Header: anHMAC, Format: "regex", Pattern: "(a)(b)"}},
		"exactly one of header":             {Signature: sig, Event: webhook.Place{Header: "X-E", JSON: "e"}},
		"id is set twice":                   {Signature: sig, ID: webhook.Place{Header: "X-I"}, IDField: "i"},
		"bodies: \"xml\"":                   {Signature: sig, Bodies: []string{"xml"}},
		"key: the encoding":                 {Signature: sig, Key: webhook.KeyForm{Encoding: "rot13"}},
		"secretHeaders \"x y\"":             {Signature: sig, SecretHeaders: []string{"x y"}},
		"needs the hosts":                   {Signature: sig, Algorithm: "rsa-sha256"},
		"certificate has no effect":         {Signature: sig, Certificate: webhook.Certificate{Header: "X-C", Hosts: []string{"a.example"}}},
		"is not a host":                     {Signature: sig, Algorithm: "rsa-sha256", Certificate: webhook.Certificate{Header: "X-C", Hosts: []string{"*.com"}}},
		"when needs exactly one":            {Signature: sig, Challenges: []webhook.Challenge{{}}},
		"the status 302":                    {Signature: sig, Challenges: []webhook.Challenge{{When: webhook.Condition{Method: "GET"}, Answer: webhook.Answer{Status: 302}}}},
		"the type \"text/html\"":            {Signature: sig, Challenges: []webhook.Challenge{{When: webhook.Condition{Method: "GET"}, Answer: webhook.Answer{Type: "text/html"}}}},
		"the answer has the unknown part":   {Signature: sig, Challenges: []webhook.Challenge{{When: webhook.Condition{Method: "GET"}, Answer: webhook.Answer{Body: "{secret}"}}}},
		"to anybody would sign bodies":      {Signature: sig, Bodies: []string{"text"}, Challenges: []webhook.Challenge{{When: webhook.Condition{Query: "crc"}, Answer: webhook.Answer{Body: "{hmac_hex:query.crc}"}}}},
		"equals has no effect without json": {Signature: sig, Challenges: []webhook.Challenge{{When: webhook.Condition{Method: "GET", Equals: "x"}}}},
	} {
		if _, err := c.NewSender(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAKeyOfTheWrongFormIsRefused(t *testing.T) {
	for _, c := range []struct {
		sender *webhook.Sender
		secret string
	}{
		{webhook.Discord, "not hex"}, {webhook.Discord, "00"}, {webhook.Discord, strings.Repeat("00", 64)}, {webhook.SendGrid, "AAAA"}, {webhook.SendGrid, "%"},
		{webhook.SendGrid, base64.StdEncoding.EncodeToString(make([]byte, 32))},
	} {
		if _, err := c.sender.Key(c.secret); !errors.Is(err, webhook.ErrKeyForm) {
			t.Errorf("%s %s: %v", c.sender.Name(), c.secret, err)
		}
	}
}

// A public key verifies and cannot sign.
func TestAPublicKeyIsEnoughToVerify(t *testing.T) {
	now := time.Unix(1795357925, 0)
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", 32)))
	_, signed := signables(t)["discord"].signed(t, now)
	public := senderKey(t, webhook.Discord, hex.EncodeToString(private.Public().(ed25519.PublicKey)))
	if err := public.Check(signed, now); err != nil {
		t.Error(err)
	}
	must.Refuse(t, must.Err(public.SignRequest(webhook.Event{}, now)), webhook.ErrCannotSign, "it signs")
}

// Whatever a template is, it is refused or costs little, and what it signs it verifies.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"{body}", "v0:{timestamp}:{body}", "{id}.{timestamp}.{body}", "{url}{form.sorted}", "{json.a.0.b}{header.X-Y}", "{", "}", "{}{{body}}", "{\n}", "{method}{url.decoded}{body}"} {
		f.Add(text, `{"a":[{"b":7}],"at":"1614265330"}`)
	}
	now := time.Unix(1614265330, 0)
	f.Fuzz(func(t *testing.T, text, body string) {
		s, err := webhook.CustomSender{
			Signed: text, Signature: webhook.SignaturePlace{Header: "X-Sig"}, Timestamp: webhook.TimestampPlace{Header: "X-At"}, ID: webhook.Place{Header: "X-Id"},
		}.NewSender()
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		k := must.Get(s.Key("hush"))(t)
		r, err := k.SignRequestTo("https://hooks.example/", webhook.Event{ID: "7", Payload: []byte(body), Header: map[string]string{"X-Y": "z"}}, now)
		if err != nil || !k.Verify(r, now) {
			t.Errorf("%q: what it signs does not match: %v", text, err)
		}
		if errors.Is(k.Check(r, now.Add(time.Hour)), webhook.ErrSignature) {
			t.Errorf("%q: an old one is not said to be old", text)
		}
	})
}
