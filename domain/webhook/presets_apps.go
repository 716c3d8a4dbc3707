package webhook

import (
	"crypto/sha256"
	"encoding/hex"
)

// The senders of other services, by the documentation of each.
var (
	// Zoom signs a timestamp and the body; developers.zoom.us/docs/api/webhooks.
	Zoom = row{name: "zoom", CustomSender: CustomSender{
		Event: inJSON("event"), Signed: "v0:{timestamp}:{body}",
		Signature: SignaturePlace{Header: "X-Zm-Signature", Prefix: "v0="}, Timestamp: TimestampPlace{Header: "X-Zm-Request-Timestamp"},
		Challenges: []Challenge{{
			When: Condition{JSON: "event", Equals: "endpoint.url_validation"},
			Answer: Answer{
				Type: "application/json",
				Body: `{"plainToken":"{json.payload.plainToken}","encryptedToken":"{hmac_hex:json.payload.plainToken}"}`,
			},
		}},
	}}.sender()
	// Paddle signs a timestamp and the body; developer.paddle.com/webhooks.
	Paddle = row{name: "paddle", CustomSender: CustomSender{
		Event: inJSON("event_type"), ID: inJSON("event_id"), Signed: "{timestamp}:{body}",
		Signature: SignaturePlace{Header: "Paddle-Signature", Format: "pairs", Separator: ";", Key: "h1"},
		Timestamp: TimestampPlace{Pair: "ts"},
	}}.sender()
	// Calendly signs a timestamp and the body; developer.calendly.com/api-docs.
	Calendly = row{name: "calendly", CustomSender: CustomSender{
		Event: inJSON("event"), Signed: "{timestamp}.{body}",
		Signature: SignaturePlace{Header: "Calendly-Webhook-Signature", Format: "pairs", Key: "v1"}, Timestamp: TimestampPlace{Pair: "t"},
	}}.sender()
	// Square signs the URL and the body; developer.squareup.com/docs/webhooks.
	Square = row{name: "square", CustomSender: CustomSender{
		Event: inJSON("type"), ID: inJSON("event_id"), Signed: "{url}{body}",
		Signature: SignaturePlace{Header: "X-Square-HmacSha256-Signature", Encoding: "base64"},
	}}.sender()
	// HubSpot signs method, URL, body and a timestamp (version 3);
	// developers.hubspot.com/docs/api/webhooks/validating-requests. Its deliveries have no id
	// of their own: that of an event is not unique.
	HubSpot = row{name: "hubspot", CustomSender: CustomSender{
		Event: firstOf(inJSON("0.subscriptionType"), inJSON("subscriptionType")), Signed: "{method}{url.decoded}{body}{timestamp}",
		Signature: SignaturePlace{Header: "X-HubSpot-Signature-v3", Encoding: "base64"},
		Timestamp: TimestampPlace{Header: "X-HubSpot-Request-Timestamp", Unit: "ms"}, Bodies: []string{bodyArray, bodyObject},
	}}.sender()
	// Twilio signs the URL and the fields of the form, or the URL with a hash of the body;
	// www.twilio.com/docs/usage/webhooks/webhooks-security.
	Twilio = row{name: "twilio", extra: hasTwilioHash, CustomSender: CustomSender{
		Event: firstOf(Place{Form: "MessageStatus"}, firstOf(Place{Form: "CallStatus"}, Place{Form: "SmsStatus"})),
		ID:    firstOf(header("I-Twilio-Idempotency-Token"), inJSON("id")), Signed: "{url}{form.sorted}", Algorithm: "hmac-sha1",
		Signature: SignaturePlace{Header: "X-Twilio-Signature", Encoding: "base64"}, Bodies: []string{bodyForm, bodyObject},
	}}.sender()
	// SendGrid signs a timestamp and the body with a key pair; its key is the base64 that
	// SendGrid shows. www.twilio.com/docs/sendgrid/for-developers/tracking-events.
	SendGrid = row{name: "sendgrid", CustomSender: CustomSender{
		ID: inJSON("0.sg_event_id"), Signed: "{timestamp}{body}", Algorithm: algorithmECDSA, Key: KeyForm{Encoding: "base64"},
		Signature: SignaturePlace{Header: "X-Twilio-Email-Event-Webhook-Signature", Encoding: "base64"},
		Timestamp: TimestampPlace{Header: "X-Twilio-Email-Event-Webhook-Timestamp"}, Bodies: []string{bodyArray},
	}}.sender()
	// Discord signs a timestamp and the body with a key pair; its key is the public key in hex.
	// It checks that wrong signatures are answered 401.
	// discord.com/developers/docs/interactions/overview.
	Discord = row{name: "discord", unauthorized: true, CustomSender: CustomSender{
		Event: firstOf(inJSON("event.type"), inJSON("type")), ID: inJSON("id"), Signed: "{timestamp}{body}", Algorithm: algorithmEd25519,
		Key: KeyForm{Encoding: "hex"}, Signature: SignaturePlace{Header: "X-Signature-Ed25519"},
		Timestamp: TimestampPlace{Header: "X-Signature-Timestamp"},
		Challenges: []Challenge{
			{When: Condition{JSON: "type", Equals: "0"}, Answer: Answer{Status: 204}},
			{When: Condition{JSON: "type", Equals: "1", Absent: "event"}, Answer: Answer{Type: "application/json", Body: `{"type":1}`}},
		},
	}}.sender()
	// Mailgun signs a timestamp and a token, both in the body, but not the rest of it;
	// documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks.
	Mailgun = row{name: "mailgun", CustomSender: CustomSender{
		Event: inJSON("event-data.event"), ID: inJSON("event-data.id"), Signed: "{json.signature.timestamp}{json.signature.token}",
		Signature: SignaturePlace{JSON: "signature.signature"}, Timestamp: TimestampPlace{JSON: "signature.timestamp"},
	}}.sender()
	// Meta signs the body and checks the URL with the verify token;
	// developers.facebook.com/docs/graph-api/webhooks.
	Meta = row{name: "meta", token: "hub.verify_token", CustomSender: CustomSender{
		Event: inJSON("object"), Signature: SignaturePlace{Header: "X-Hub-Signature-256", Prefix: "sha256="},
		Challenges: []Challenge{
			{When: Condition{Method: "GET", Query: "hub.mode", Equals: "subscribe"}, Answer: Answer{Body: "{query.hub.challenge}"}},
		},
	}}.sender()
	// Vercel signs the body; vercel.com/docs/webhooks.
	Vercel = row{name: "vercel", CustomSender: CustomSender{
		Event: inJSON("type"), ID: inJSON("id"), Algorithm: "hmac-sha1", Signature: SignaturePlace{Header: "X-Vercel-Signature"},
	}}.sender()
	// Intercom signs the body; developers.intercom.com/docs/webhooks.
	Intercom = row{name: "intercom", CustomSender: CustomSender{
		Event: inJSON("topic"), ID: inJSON("id"), Algorithm: "hmac-sha1",
		Signature:  SignaturePlace{Header: "X-Hub-Signature", Prefix: "sha1="},
		Challenges: []Challenge{{When: Condition{Method: "HEAD"}}},
	}}.sender()
	// Trello signs the body and the URL, which it checks with HEAD;
	// developer.atlassian.com/cloud/trello/guides/rest-api/webhooks.
	Trello = row{name: "trello", CustomSender: CustomSender{
		Event: inJSON("action.type"), ID: inJSON("action.id"), Signed: "{body}{url}", Algorithm: "hmac-sha1",
		Signature:  SignaturePlace{Header: "X-Trello-Webhook", Encoding: "base64"},
		Challenges: []Challenge{{When: Condition{Method: "HEAD"}}},
	}}.sender()
	// Paystack signs the body; paystack.com/docs/payments/webhooks.
	Paystack = row{name: "paystack", CustomSender: CustomSender{
		Event: inJSON("event"), Algorithm: "hmac-sha512", Signature: SignaturePlace{Header: "X-Paystack-Signature"},
	}}.sender()
	// PagerDuty signs the body, during a rotation with several secrets;
	// developer.pagerduty.com/docs/verifying-webhook-signatures.
	PagerDuty = row{name: "pagerduty", CustomSender: CustomSender{
		Event: inJSON("event.event_type"), ID: inJSON("event.id"),
		Signature: SignaturePlace{Header: "X-PagerDuty-Signature", Format: "list", Separator: ",", Prefix: "v1="},
	}}.sender()
	// Linear signs the body, which has the time; linear.app/developers/webhooks.
	Linear = row{name: "linear", actions: true, CustomSender: CustomSender{
		Event: header("Linear-Event"), ID: header("Linear-Delivery"), Signature: SignaturePlace{Header: "Linear-Signature"},
		Timestamp: TimestampPlace{JSON: "webhookTimestamp", Unit: "ms"},
	}}.sender()
	// WooCommerce signs the body and checks the URL with a form;
	// woocommerce.github.io/woocommerce-rest-api-docs/#webhooks.
	WooCommerce = row{name: "woocommerce", CustomSender: CustomSender{
		Event: header("X-WC-Webhook-Topic"), ID: header("X-WC-Webhook-Delivery-ID"),
		Signature: SignaturePlace{Header: "X-WC-Webhook-Signature", Encoding: "base64"}, Bodies: []string{bodyObject, bodyForm},
		Challenges: []Challenge{{When: Condition{Form: "webhook_id"}}},
	}}.sender()
	// Razorpay signs the body; razorpay.com/docs/webhooks.
	Razorpay = row{name: "razorpay", CustomSender: CustomSender{
		Event: inJSON("event"), ID: firstOf(header("X-Razorpay-Event-Id"), inJSON("id")),
		Signature: SignaturePlace{Header: "X-Razorpay-Signature"},
	}}.sender()
	// Sentry signs the body; docs.sentry.io/organization/integrations/integration-platform/webhooks.
	Sentry = row{name: "sentry", actions: true, CustomSender: CustomSender{
		Event: header("Sentry-Hook-Resource"), ID: firstOf(header("Request-ID"), inJSON("id")),
		Signature: SignaturePlace{Header: "Sentry-Hook-Signature"},
	}}.sender()
	// Typeform signs the body; www.typeform.com/developers/webhooks/secure-your-webhooks.
	Typeform = row{name: "typeform", CustomSender: CustomSender{
		Event: inJSON("event_type"), ID: inJSON("event_id"),
		Signature: SignaturePlace{Header: "Typeform-Signature", Prefix: "sha256=", Encoding: "base64"},
	}}.sender()
)

// hasTwilioHash reports whether the URL of a request that is no form has the hash of the body,
// without which the signature says nothing about it.
func hasTwilioHash(r Request) bool {
	if r.mediaType() == formType {
		return formFields(r.Body) != nil
	}
	given, _ := r.query("bodySHA256")
	sum := sha256.Sum256(r.Body)
	return given == hex.EncodeToString(sum[:])
}
