package sourcefile

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/yamllist"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// fields are those of an entry. Those below secretHeaders are only for the sender custom.
type fields struct {
	Name, Path, Sender         string
	Secrets                    []string
	SecretFile                 string
	Tolerance, MaxBody, Dedupe string
	VerifyToken                string
	WebhookID                  string `yaml:"webhookId"`
	ClientState                string

	webhook.CustomSender
	Encoding   string      // another place of signature.encoding
	Challenges []challenge `yaml:"challenge"`
}

type challenge struct {
	When   webhook.Condition
	Answer struct {
		webhook.Answer
		Template string // another name of body
	}
}

// presetFields are the fields of all senders.
var presetFields = []string{
	"name", "path", "sender", "secrets", "secretFile", "tolerance", "maxBody", "dedupe", "secretHeaders", "verifyToken", "webhookId",
	"clientState",
}

// entry is one source of the file.
type entry struct {
	*yamllist.Entry
	fields
}

// source reads the entry.
func (e *entry) source(minSecret int) (s Source, err error) {
	if err := e.Decode(&e.fields); err != nil {
		return s, err
	}
	for _, required := range [][2]string{{"name", e.Name}, {"path", e.Path}, {"sender", e.Sender}} {
		if required[1] == "" {
			return s, e.Mistake(required[0], "%s is missing", required[0])
		}
	}
	s = Source{Name: e.Name, Place: e.Label()}
	if err := checkName(s.Name); err != nil {
		return s, e.Mistake("name", "%v", err)
	}
	if s.Path, err = e.path(); err != nil {
		return s, err
	}
	if s.Sender, err = e.sender(); err != nil {
		return s, err
	}
	if s.MaxBody, err = e.maxBody(); err != nil {
		return s, err
	}
	if s.Dedupe, err = e.dedupe(); err != nil {
		return s, err
	}
	s.Secrets, err = e.secrets(s, minSecret)
	return s, err
}

const maxName = 64

// reserved are the names of Octavo's own sources.
var reserved = []string{"default", "octavo"}

func checkName(name string) error {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return fmt.Errorf("the name %.40q has a character that is not a letter, digit, dot, hyphen or underscore", name)
		}
	}
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d characters", maxName)
	case slices.Contains(reserved, name):
		return fmt.Errorf("the name %s is Octavo's own", name)
	}
	return nil
}

func (e *entry) path() (string, error) {
	p := strings.TrimSuffix(e.Path, "/")
	if u, err := url.Parse(p); err != nil || !strings.HasPrefix(p, "/") || u.Path != p || path.Clean(p) != p ||
		strings.ContainsAny(p, ":*{}") {
		return "", e.Mistake("path", "%.100q is not a path such as /hooks/ci", e.Path)
	}
	return p, nil
}

func (e *entry) sender() (*webhook.Sender, error) {
	sender, err := e.senderNamed()
	if err != nil {
		return nil, err
	}
	if sender, err = e.withOptions(sender); err != nil || e.Tolerance == "" {
		return sender, err
	}
	if !sender.UsesTimestamp() {
		return nil, e.Mistake("tolerance", "tolerance has no effect: %s signs no timestamp", e.Sender)
	}
	d, err := time.ParseDuration(e.Tolerance)
	if err != nil || d < time.Second || d > 24*time.Hour {
		return nil, e.Mistake("tolerance", "tolerance %.40q is not a duration from 1s to 24h", e.Tolerance)
	}
	return sender.WithTolerance(d), nil
}

func (e *entry) senderNamed() (*webhook.Sender, error) {
	if e.Sender == "custom" {
		return e.customSender()
	}
	for _, key := range e.Keys() {
		if !slices.Contains(presetFields, key) {
			return nil, e.Mistake(key, "%s is only for the sender custom", key)
		}
	}
	sender, err := webhook.SenderNamed(e.Sender)
	if err != nil {
		var names []string
		for _, s := range webhook.Senders() {
			names = append(names, s.Name())
		}
		return nil, e.Mistake("sender", "%.40q is not a sender; the senders are %s, custom", e.Sender, strings.Join(names, ", "))
	}
	return sender, nil
}

// customSender makes the sender that the entry describes.
func (e *entry) customSender() (*webhook.Sender, error) {
	c := e.CustomSender
	c.SecretHeaders = nil // withOptions adds them
	if e.Encoding != "" && c.Signature.Encoding != "" {
		return nil, e.Mistake("encoding", "encoding and signature.encoding are both given; use one")
	}
	c.Signature.Encoding = cmp.Or(c.Signature.Encoding, e.Encoding)
	for _, one := range e.Challenges {
		if one.Answer.Template != "" && one.Answer.Body != "" {
			return nil, e.Mistake("challenge", "answer has body and template; use one")
		}
		one.Answer.Body = cmp.Or(one.Answer.Body, one.Answer.Template)
		c.Challenges = append(c.Challenges, webhook.Challenge{When: one.When, Answer: one.Answer.Answer})
	}
	sender, err := c.NewSender()
	if err != nil {
		text := withoutPrefix(err)
		blamed, _, _ := strings.Cut(strings.ReplaceAll(text, ":", " "), " ") // a message begins with the field
		if !e.Has(blamed) {
			blamed = "sender"
		}
		return nil, e.Mistake(blamed, "%s", text)
	}
	return sender, nil
}

// withOptions returns the sender with what it needs besides a secret, and with its secret headers.
func (e *entry) withOptions(sender *webhook.Sender) (_ *webhook.Sender, err error) {
	o := webhook.Options{VerifyToken: e.VerifyToken, WebhookID: e.WebhookID, ClientState: e.ClientState}
	for key, value := range map[string]*string{"verifyToken": &o.VerifyToken, "webhookId": &o.WebhookID, "clientState": &o.ClientState} {
		expanded, missing := text.Expand(*value, os.Getenv)
		if missing != "" {
			return nil, e.Mistake(key, "%s needs the environment variable %s, which is not set", key, missing)
		}
		*value = expanded
	}
	if o != (webhook.Options{}) {
		if sender, err = sender.WithOptions(o); err != nil {
			return nil, e.Mistake("sender", "%s", withoutPrefix(err))
		}
	}
	if len(e.SecretHeaders) > 0 {
		if sender, err = sender.WithSecretHeaders(e.SecretHeaders...); err != nil {
			return nil, e.Mistake("secretHeaders", "%s", withoutPrefix(err))
		}
	}
	return sender, nil
}

func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "webhook: ") }

// maxDedupe is the longest time for which ids are remembered.
const maxDedupe = 365 * 24 * time.Hour

// dedupe reads how long an id is remembered: none, or a duration in which d stands for days.
func (e *entry) dedupe() (time.Duration, error) {
	switch e.Dedupe {
	case "":
		return 0, nil
	case "none":
		return NoDedupe, nil
	}
	written := e.Dedupe
	if days, ok := strings.CutSuffix(written, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil {
			written = strconv.Itoa(24*n) + "h"
		}
	}
	d, err := time.ParseDuration(written)
	if err != nil || d < time.Second || d > maxDedupe {
		return 0, e.Mistake("dedupe", "dedupe %.40q is not none, or a duration from 1s to 365d", e.Dedupe)
	}
	return d, nil
}

// bodyLimit is the largest maxBody, and the limit without one.
const bodyLimit = 25 << 20

func (e *entry) maxBody() (int64, error) {
	if e.MaxBody == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(e.MaxBody, 10, 64)
	if err != nil || n < 1 || n > bodyLimit {
		return 0, e.Mistake("maxBody", "maxBody %.40q is not a number of bytes from 1 to %d", e.MaxBody, bodyLimit)
	}
	return n, nil
}
