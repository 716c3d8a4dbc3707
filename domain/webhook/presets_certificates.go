package webhook

import (
	"cmp"
	"crypto"
	"crypto/subtle"
	"encoding/base64"
	"hash/crc32"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// The senders that the grammar of templates cannot describe.
var (
	// PayPal signs ids, a time and a checksum of the body with a certificate; its secret is the
	// id of the webhook. developer.paypal.com/api/rest/webhooks/rest.
	PayPal = row{
		name: "paypal", special: &special{check: checkPayPal, headers: payPalHeaders},
		vendor:       &certificate{place{header: "Paypal-Cert-Url"}, isPayPalURL},
		CustomSender: CustomSender{Event: inJSON("event_type"), ID: inJSON("id")},
	}.sender()
	// SNS signs some members of the body with a certificate. A secret, if there is one, is the
	// ARN of the topic: without one any topic of anybody is accepted.
	// docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html.
	SNS = row{
		name: "sns", special: &special{check: checkSNS, timed: true},
		vendor:  &certificate{place{path: rawjson.Path{"SigningCertURL"}}, isSNSURL},
		confirm: "SubscribeURL", anyType: true,
		CustomSender: CustomSender{
			Event: inJSON("Type"), ID: inJSON("MessageId"),
			Challenges: []Challenge{{When: Condition{JSON: "Type", Equals: "SubscriptionConfirmation"}, Answer: Answer{Body: "ok"}}},
		},
	}.sender()
	// Graph has the secret in each notification of the body, as clientState;
	// learn.microsoft.com/graph/change-notifications-delivery-webhooks.
	Graph = row{
		name: "graph", special: &special{check: checkGraph},
		CustomSender: CustomSender{
			Event: firstOf(inJSON("value.0.lifecycleEvent"), inJSON("value.0.changeType")), ID: inJSON("value.0.id"),
			Challenges: []Challenge{
				{When: Condition{Method: "POST", Query: "validationToken"}, Answer: Answer{Body: "{query.validationToken}"}},
			},
		},
	}.sender()
)

var payPalHeaders = [][]string{
	{"Paypal-Transmission-Sig"}, {"Paypal-Transmission-Id"}, {"Paypal-Transmission-Time"}, {"Paypal-Cert-Url"}, {"Paypal-Auth-Algo"},
}

func isPayPalURL(u *url.URL) bool {
	hosts := []string{"api.paypal.com", "api-m.paypal.com", "api.sandbox.paypal.com", "api-m.sandbox.paypal.com"}
	return slices.Contains(hosts, u.Host) && strings.HasPrefix(u.Path, "/v1/notifications/certs/")
}

// checkPayPal verifies the signature of ID|TIME|WEBHOOK|CRC32.
func checkPayPal(k *SenderKey, r Request, _ time.Time) error {
	message := strings.Join([]string{
		r.header("Paypal-Transmission-Id"), r.header("Paypal-Transmission-Time"), cmp.Or(k.sender.options.WebhookID, k.secret),
		strconv.FormatUint(uint64(crc32.ChecksumIEEE(r.Body)), 10),
	}, "|")
	given, err := base64.StdEncoding.Strict().DecodeString(r.header("Paypal-Transmission-Sig"))
	if err != nil || r.header("Paypal-Auth-Algo") != "SHA256withRSA" || !isRSA(r, crypto.SHA256, []byte(message), given) {
		return ErrSignature
	}
	return nil
}

// snsHost matches the hosts of SNS in a region: names such as s3 in its place would be those
// of others.
var snsHost = regexp.MustCompile(`^sns\.[a-z]{2}(-[a-z]+)+-[0-9]{1,2}\.amazonaws\.com(\.cn)?$`)

func isSNSURL(u *url.URL) bool { return snsHost.MatchString(u.Host) }

// The members that SNS signs, in this order.
var (
	snsNotification = []string{"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"}
	snsConfirmation = []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
)

// snsTolerance is how long SNS sends a message again with its first time.
const snsTolerance = time.Hour

func checkSNS(k *SenderKey, r Request, now time.Time) error {
	read := func(name string) string { return rawjson.Path{name}.Text(r.Body) }
	signed := snsConfirmation
	if read("Type") == "Notification" {
		signed = snsNotification
	}
	var message strings.Builder
	for _, name := range signed {
		if value := (rawjson.Path{name}).Find(r.Body); rawjson.First(value) == '"' { // only the subject may be missing
			message.WriteString(name + "\n" + rawjson.Unquote(value) + "\n")
		}
	}
	algorithm, known := map[string]crypto.Hash{"1": crypto.SHA1, "2": crypto.SHA256}[read("SignatureVersion")]
	given, err := base64.StdEncoding.Strict().DecodeString(read("Signature"))
	topic := strings.TrimSpace(k.secret)
	switch {
	case err != nil, !known, read("MessageId") == "", read("Timestamp") == "", read("TopicArn") == "", !isRSA(
		r, algorithm, []byte(message.String()), given,
	):
		return ErrSignature
	case strings.HasPrefix(topic, "arn:") && subtle.ConstantTimeCompare([]byte(topic), []byte(read("TopicArn"))) != 1:
		return ErrSignature
	}
	stamp, err := time.Parse(time.RFC3339, read("Timestamp"))
	if err != nil || now.Sub(stamp).Abs() > cmp.Or(k.sender.tolerance, snsTolerance) {
		return ErrTimestamp
	}
	return nil
}

// maxNotifications limits the notifications of one delivery of Graph.
const maxNotifications = 1000

// checkGraph requires the client state in every notification.
func checkGraph(k *SenderKey, r Request, _ time.Time) error {
	state := []byte(cmp.Or(k.sender.options.ClientState, k.secret))
	n, all := 0, 1
	for one := range rawjson.Elements(rawjson.Member(r.Body, "value")) {
		all &= subtle.ConstantTimeCompare([]byte(rawjson.Path{"clientState"}.Text(one)), state)
		if n++; n > maxNotifications {
			break
		}
	}
	if n == 0 || n > maxNotifications || all != 1 || len(state) == 0 {
		return ErrSignature
	}
	return nil
}
