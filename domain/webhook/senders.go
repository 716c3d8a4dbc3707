package webhook

import "fmt"

// The senders, by the documentation of each and https://www.standardwebhooks.com.
var (
	// Host is the default sender, with a closed list of events.
	Host = &Sender{
		name: "host", eventHeader: "X-Host-Event", idHeaders: []string{"X-Host-Delivery"}, signature: [][]string{{"X-Host-Signature-256"}},
		verify: hexSignature("X-Host-Signature-256", "sha256="), sign: signHex("X-Host-Signature-256", "sha256="), actions: true, closed: true,
	}
	// GitHub signs the body; docs.github.com/en/webhooks.
	GitHub = &Sender{
		name: "github", eventHeader: "X-Github-Event", idHeaders: []string{"X-Github-Delivery"}, signature: [][]string{{"X-Hub-Signature-256"}},
		verify: hexSignature("X-Hub-Signature-256", "sha256="), sign: signHex("X-Hub-Signature-256", "sha256="), actions: true,
	}
	// Gitea signs the body; docs.gitea.com/usage/webhooks. So do its forks.
	Gitea   = giteaLike("gitea", "X-Gitea-")
	Forgejo = giteaLike("forgejo", "X-Forgejo-")
	Gogs    = giteaLike("gogs", "X-Gogs-")
	// GitLab sends the secret itself, or signs like Standard; docs.gitlab.com/user/project/integrations/webhooks.
	GitLab = &Sender{
		name: "gitlab", eventHeader: "X-Gitlab-Event", idHeaders: gitLabIDs, signature: [][]string{{"X-Gitlab-Token", "Webhook-Signature"}},
		verify: verifyGitLab, sign: signToken("X-Gitlab-Token", ""), encoded: true,
	}
	// Bitbucket signs the body; support.atlassian.com/bitbucket-cloud/docs/manage-webhooks.
	Bitbucket = &Sender{
		name: "bitbucket", eventHeader: "X-Event-Key", idHeaders: []string{"X-Request-Uuid", "X-Request-Id"}, signature: [][]string{{"X-Hub-Signature"}},
		verify: hexSignature("X-Hub-Signature", "sha256="), sign: signHex("X-Hub-Signature", "sha256="),
	}
	// Stripe signs a timestamp and the body; docs.stripe.com/webhooks.
	Stripe = &Sender{
		name: "stripe", readEvent: fromBody("type"), readID: fromBody("id"), signature: [][]string{{"Stripe-Signature"}},
		verify: verifyStripe, sign: signStripe,
	}
	// Slack signs a timestamp and the body; api.slack.com/authentication/verifying-requests-from-slack.
	Slack = &Sender{
		name: "slack", readEvent: slackEvent, readID: or(fromBody("event_id"), digest), signature: [][]string{{"X-Slack-Signature"}, {"X-Slack-Request-Timestamp"}},
		verify: verifySlack, sign: signSlack, challenge: true,
	}
	// Shopify signs the body; shopify.dev/docs/apps/build/webhooks.
	Shopify = &Sender{
		name: "shopify", eventHeader: "X-Shopify-Topic", idHeaders: []string{"X-Shopify-Webhook-Id"}, signature: [][]string{{"X-Shopify-Hmac-Sha256"}},
		verify: base64Signature("X-Shopify-Hmac-Sha256", ""), sign: signBase64("X-Shopify-Hmac-Sha256", ""),
	}
	// Standard is any sender that follows Standard Webhooks, with a shared secret (v1) or
	// a key pair (v1a).
	Standard = &Sender{
		name: "standard", readEvent: or(fromBody("type"), constantly("webhook")), idHeaders: []string{"Webhook-Id"},
		signature: [][]string{{"Webhook-Signature"}, {"Webhook-Timestamp"}},
		verify:    verifyStandard, sign: signStandard, encoded: true,
	}
)

// gitLabIDs are the headers that can contain GitLab's delivery id. Only the first keeps
// its value when a delivery is retried.
var gitLabIDs = []string{"Idempotency-Key", "Webhook-Id", "X-Gitlab-Event-Uuid"}

func giteaLike(name, prefix string) *Sender {
	return &Sender{
		name: name, eventHeader: prefix + "Event", idHeaders: []string{prefix + "Delivery"}, signature: [][]string{{prefix + "Signature"}},
		verify: hexSignature(prefix+"Signature", ""), sign: signHex(prefix+"Signature", ""), actions: true,
	}
}

// slackEvent returns the type of the event in the envelope, or else that of the envelope.
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

// Senders returns every predefined sender.
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
	return nil, fmt.Errorf("webhook: unknown sender %.100q; the senders are %v", name, names)
}
