package webhook

// The senders of code hosts, shops and chats, by the documentation of each and
// https://www.standardwebhooks.com.
var (
	// Host is the default sender, with a closed list of events.
	Host = row{
		name: "host", actions: true, closed: true, CustomSender: CustomSender{
			Event: header("X-Host-Event"), ID: header("X-Host-Delivery"),
			Signature: SignaturePlace{Header: "X-Host-Signature-256", Prefix: "sha256="},
		},
	}.sender()
	// GitHub signs the body; docs.github.com/en/webhooks.
	GitHub = row{
		name: "github", actions: true, CustomSender: CustomSender{
			Event: header("X-GitHub-Event"), ID: header("X-GitHub-Delivery"),
			Signature: SignaturePlace{Header: "X-Hub-Signature-256", Prefix: "sha256="},
		},
	}.sender()
	// Gitea signs the body; docs.gitea.com/usage/webhooks. So do its forks.
	Gitea   = giteaLike("gitea", "X-Gitea-")
	Forgejo = giteaLike("forgejo", "X-Forgejo-")
	Gogs    = giteaLike("gogs", "X-Gogs-")
	// GitLab sends the secret itself, or signs like Standard; docs.gitlab.com/user/project/integrations/webhooks.
	// Of the headers with its id only the first keeps its value when a delivery is retried.
	GitLab = row{
		name: "gitlab", standardKeys: true, CustomSender: CustomSender{
			Event:     header("X-Gitlab-Event"),
			ID:        firstOf(header("Idempotency-Key"), firstOf(header("Webhook-Id"), header("X-Gitlab-Event-UUID"))),
			Algorithm: algorithmToken, Signature: SignaturePlace{Header: "X-Gitlab-Token"},
		},
		also: []CustomSender{standardScheme("Webhook-")},
	}.sender()
	// Bitbucket signs the body; support.atlassian.com/bitbucket-cloud/docs/manage-webhooks.
	Bitbucket = row{
		name: "bitbucket", CustomSender: CustomSender{
			Event: header("X-Event-Key"), ID: firstOf(header("X-Request-UUID"), header("X-Request-Id")),
			Signature: SignaturePlace{Header: "X-Hub-Signature", Prefix: "sha256="},
		},
	}.sender()
	// Stripe signs a timestamp and the body; docs.stripe.com/webhooks.
	Stripe = row{
		name: "stripe", needsEvent: true, needsID: true, CustomSender: CustomSender{
			Event: inJSON("type"), ID: inJSON("id"), Signed: "{timestamp}.{body}",
			Signature: SignaturePlace{Header: "Stripe-Signature", Format: "pairs", Key: "v1"}, Timestamp: TimestampPlace{Pair: "t"},
		},
	}.sender()
	// Slack signs a timestamp and the body; api.slack.com/authentication/verifying-requests-from-slack.
	Slack = row{
		name: "slack", needsEvent: true, CustomSender: CustomSender{
			Event: firstOf(inJSON("event.type"), inJSON("type")), ID: inJSON("event_id"), Signed: "v0:{timestamp}:{body}",
			Signature:  SignaturePlace{Header: "X-Slack-Signature", Prefix: "v0="},
			Timestamp:  TimestampPlace{Header: "X-Slack-Request-Timestamp"},
			Challenges: []Challenge{{When: Condition{JSON: "type", Equals: "url_verification"}, Answer: Answer{Body: "{json.challenge}"}}},
		},
	}.sender()
	// Shopify signs the body; shopify.dev/docs/apps/build/webhooks.
	Shopify = row{
		name: "shopify", CustomSender: CustomSender{
			Event: header("X-Shopify-Topic"), ID: header("X-Shopify-Webhook-Id"),
			Signature: SignaturePlace{Header: "X-Shopify-Hmac-Sha256", Encoding: "base64"},
		},
	}.sender()
	// Standard is any sender that follows Standard Webhooks, with a shared secret (v1) or
	// a key pair (v1a), under the names webhook-… or those of Svix.
	Standard = standardLike("standard", "Webhook-", "Svix-")
	// Svix follows Standard Webhooks under names of its own; docs.svix.com/receiving.
	Svix = standardLike("svix", "Svix-", "Webhook-")
	// Octavo is what Octavo forwards: signed as Standard, with the event in a header and the body
	// of any sender.
	Octavo = row{
		name: "octavo", standardKeys: true, actions: true, CustomSender: octavoScheme(),
	}.sender()
)

func giteaLike(name, prefix string) *Sender {
	return row{
		name: name, actions: true, CustomSender: CustomSender{
			Event: header(prefix + "Event"), ID: header(prefix + "Delivery"), Signature: SignaturePlace{Header: prefix + "Signature"},
		},
	}.sender()
}

// standardScheme is that of Standard Webhooks with a prefix of the headers.
func standardScheme(prefix string) CustomSender {
	return CustomSender{
		Signed:    "{header." + prefix + "Id}.{timestamp}.{body}",
		Signature: SignaturePlace{Header: prefix + "Signature", Format: "list", Prefix: "v1,", Encoding: "base64"},
		Timestamp: TimestampPlace{Header: prefix + "Timestamp"},
	}
}

func octavoScheme() CustomSender {
	c := withPlaces(standardScheme("Webhook-"), header("X-Octavo-Event"), header("Webhook-Id"))
	c.Bodies = bodyKinds
	return c
}

func standardLike(name, prefix, other string) *Sender {
	return row{
		name: name, standardKeys: true, also: []CustomSender{standardScheme(other)},
		CustomSender: withPlaces(standardScheme(prefix), inJSON("type"), firstOf(header(prefix+"Id"), header(other+"Id"))),
	}.sender()
}

func withPlaces(c CustomSender, event, id Place) CustomSender {
	c.Event, c.ID = event, id
	return c
}
