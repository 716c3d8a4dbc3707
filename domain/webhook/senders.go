package webhook

import "fmt"

// The senders. Sources: the documentation of each, and https://www.standardwebhooks.com.
var (
	// Host is the sender that this package was written for.
	Host = &Sender{
		name: "host", actions: true, closed: true,
		required: [][]string{{"X-Host-Event"}, {"X-Host-Signature-256"}, {"X-Host-Delivery"}},
		event:    fromHeader("X-Host-Event"), id: fromHeader("X-Host-Delivery"), verify: hexSignature("X-Host-Signature-256", "sha256="),
	}
	// GitHub signs the body; docs.github.com/en/webhooks.
	GitHub = &Sender{
		name: "github", actions: true,
		required: [][]string{{"X-Github-Event"}, {"X-Hub-Signature-256"}, {"X-Github-Delivery"}},
		event:    fromHeader("X-Github-Event"), id: fromHeader("X-Github-Delivery"), verify: hexSignature("X-Hub-Signature-256", "sha256="),
	}
	// Gitea signs the body; docs.gitea.com/usage/webhooks. So do its forks.
	Gitea   = giteaLike("gitea", "X-Gitea-")
	Forgejo = giteaLike("forgejo", "X-Forgejo-")
	Gogs    = giteaLike("gogs", "X-Gogs-")
	// GitLab sends the secret itself, or signs like Standard; docs.gitlab.com/user/project/integrations/webhooks.
	GitLab = &Sender{
		name: "gitlab", encoded: true,
		required: [][]string{{"X-Gitlab-Event"}, {"X-Gitlab-Token", "Webhook-Signature"}, gitLabIDs},
		event:    fromHeader("X-Gitlab-Event"), id: fromHeader(gitLabIDs...), verify: verifyGitLab,
	}
	// Bitbucket signs the body; support.atlassian.com/bitbucket-cloud/docs/manage-webhooks.
	Bitbucket = &Sender{
		name:     "bitbucket",
		required: [][]string{{"X-Event-Key"}, {"X-Hub-Signature"}, {"X-Request-Uuid", "X-Request-Id"}},
		event:    fromHeader("X-Event-Key"), id: fromHeader("X-Request-Uuid", "X-Request-Id"), verify: hexSignature("X-Hub-Signature", "sha256="),
	}
	// Stripe signs a timestamp and the body; docs.stripe.com/webhooks.
	Stripe = &Sender{
		name:     "stripe",
		required: [][]string{{"Stripe-Signature"}},
		event:    fromBody("type"), id: fromBody("id"), verify: verifyStripe,
	}
	// Slack signs a timestamp and the body; api.slack.com/authentication/verifying-requests-from-slack.
	Slack = &Sender{
		name: "slack", challenge: true,
		required: [][]string{{"X-Slack-Signature"}, {"X-Slack-Request-Timestamp"}},
		event:    slackEvent, id: or(fromBody("event_id"), digest), verify: verifySlack,
	}
	// Shopify signs the body; shopify.dev/docs/apps/build/webhooks.
	Shopify = &Sender{
		name:     "shopify",
		required: [][]string{{"X-Shopify-Topic"}, {"X-Shopify-Hmac-Sha256"}, {"X-Shopify-Webhook-Id"}},
		event:    fromHeader("X-Shopify-Topic"), id: fromHeader("X-Shopify-Webhook-Id"), verify: base64Signature("X-Shopify-Hmac-Sha256", ""),
	}
	// Standard is whoever follows Standard Webhooks, with a shared secret (v1) or a key pair (v1a).
	Standard = &Sender{
		name: "standard", encoded: true,
		required: [][]string{{"Webhook-Signature"}, {"Webhook-Id"}, {"Webhook-Timestamp"}},
		event:    or(fromBody("type"), constantly("webhook")), id: fromHeader("Webhook-Id"), verify: verifyStandard,
	}
)

// gitLabIDs are the headers that can hold GitLab's delivery id. Only the first one is the
// same when a delivery is tried again.
var gitLabIDs = []string{"Idempotency-Key", "Webhook-Id", "X-Gitlab-Event-Uuid"}

func giteaLike(name, prefix string) *Sender {
	return &Sender{
		name: name, actions: true,
		required: [][]string{{prefix + "Event"}, {prefix + "Signature"}, {prefix + "Delivery"}},
		event:    fromHeader(prefix + "Event"), id: fromHeader(prefix + "Delivery"), verify: hexSignature(prefix+"Signature", ""),
	}
}

// slackEvent is the type of the event within the envelope, or that of the envelope.
func slackEvent(r Request) (string, error) {
	values, err := members(r.Body, "type", "event")
	if err != nil {
		return "", err
	}
	if inner, err := members(values[1], "type"); err == nil && unquote(inner[0]) != "" {
		return unquote(inner[0]), nil
	}
	return unquote(values[0]), nil
}

// Senders lists every sender but those that CustomSender describes.
func Senders() []*Sender {
	return []*Sender{Host, GitHub, Gitea, Forgejo, Gogs, GitLab, Bitbucket, Stripe, Slack, Shopify, Standard}
}

// SenderNamed finds a sender by its name. The error lists the names.
func SenderNamed(name string) (*Sender, error) {
	var names []string
	for _, s := range Senders() {
		if s.name == name {
			return s, nil
		}
		names = append(names, s.name)
	}
	return nil, fmt.Errorf("webhook: there is no sender %.100q; there are %v", name, names)
}
