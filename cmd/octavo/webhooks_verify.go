package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

type webhooksVerify struct {
	asJSON    `embed:""`
	Secret    string `help:"Only this secret. Default: all that the service accepts with these settings." placeholder:"SECRET"`
	Source    string `help:"As the sender of this source, with its secrets; not for senders that sign a timestamp." placeholder:"NAME"`
	Signature string `arg:"" help:"sha256= and 64 hexadecimal digits, or what the sender of the source writes."`
}

// verified is the result of checking a signature.
type verified struct {
	Valid    bool      `json:"valid"`
	Secret   string    `json:"secret,omitempty"`  // its name
	NotAfter time.Time `json:"notAfter,omitzero"` // when the service begins to refuse it
}

func (v webhooksVerify) Run(tools webhookTools, c console) error {
	if strings.TrimSpace(v.Signature) == "" {
		return misused("the signature is empty")
	}
	secrets, err := v.secrets(tools)
	if err != nil {
		return err
	}
	payload, err := readPayload(c.in)
	if err != nil {
		return err
	}
	matches, err := v.matcher(tools, payload)
	if err != nil {
		return err
	}
	found, err := verify(secrets, matches, time.Now())
	if err != nil {
		return err
	}
	err = v.print(c.out, found, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, found)
		return err
	})
	if err == nil && !found.Valid {
		return errSilent
	}
	return err
}

// secrets returns the secret of the flag, or those of the source or the settings.
func (v webhooksVerify) secrets(tools webhookTools) ([]receiver.Secret, error) {
	if v.Secret != "" {
		return []receiver.Secret{{Value: v.Secret}}, nil
	}
	if v.Source != "" {
		source, _, err := tools.Source(v.Source)
		return source.Secrets, err
	}
	return tools.Secrets()
}

// matcher returns a function that reports whether a secret made the signature.
func (v webhooksVerify) matcher(tools webhookTools, payload []byte) (func(secret string) (bool, error), error) {
	sender := webhook.Host
	if v.Source != "" {
		source, _, err := tools.Source(v.Source)
		if err != nil {
			return nil, err
		}
		sender = source.Sender
	}
	header := sender.SignatureHeader()
	if header == "" {
		return nil, misused("--source %s: the sender %s signs more than the payload, so its signature alone cannot be verified", v.Source, sender.Name())
	}
	r := webhook.Request{Header: map[string][]string{header: {strings.TrimSpace(v.Signature)}}, Body: payload}
	return func(secret string) (bool, error) {
		key, err := sender.Key(secret)
		return err == nil && key.Verify(r, time.Now()), err
	}, nil
}

// verify finds the secret that made a signature. It prefers one that is still accepted to
// one that has expired.
func verify(secrets []receiver.Secret, matches func(secret string) (bool, error), now time.Time) (verified, error) {
	var found verified
	for _, secret := range secrets {
		if made, err := matches(secret.Value); err != nil {
			return found, err
		} else if !made {
			continue
		}
		valid := secret.NotAfter.IsZero() || now.Before(secret.NotAfter)
		if found = (verified{valid, secret.Name, secret.NotAfter}); valid {
			break
		}
	}
	return found, nil
}

// String returns a line for people that begins with "valid" or "not valid".
func (v verified) String() string {
	at := v.NotAfter.Format(time.RFC3339)
	switch {
	case v.Secret == "" && v.Valid:
		return "valid"
	case v.Secret == "":
		return "not valid"
	case !v.Valid:
		return fmt.Sprintf("not valid: signed with %s, which expired at %s", v.Secret, at)
	case v.NotAfter.IsZero():
		return fmt.Sprintf("valid: signed with %s", v.Secret)
	}
	return fmt.Sprintf("valid: signed with %s, which expires at %s", v.Secret, at)
}
