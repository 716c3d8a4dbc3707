package webhookcommands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
)

type webhooksVerify struct {
	terminal.AsJSON `embed:""`
	Secret          string `help:"Only this secret. Default: all that the service accepts with these settings." placeholder:"SECRET"`
	Source          string `help:"As the sender of this source, with its secrets and its URL." placeholder:"NAME"`
	Sender          string `help:"As this sender; octavo webhooks senders prints them. Default: that of the source, or WEBHOOK_SENDER." placeholder:"NAME"`
	Headers         string `help:"File with the headers of the request, one a line; the payload is on standard input." placeholder:"FILE"`
	Request         string `help:"File with the whole request as it was sent: headers, an empty line, payload. - is standard input." placeholder:"FILE"`
	URL             string `name:"url" help:"The URL that the sender called, for senders that sign it. Default: that of the source." placeholder:"URL"`
	Signature       string `arg:"" optional:"" help:"sha256= and 64 hexadecimal digits, or what the sender writes into the header of its signature. Not with --headers or --request."`
}

// verified is the result of checking a request.
type verified struct {
	Valid    bool      `json:"valid"`
	Secret   string    `json:"secret,omitempty"`  // its name
	NotAfter time.Time `json:"notAfter,omitzero"` // when the service begins to refuse it
	Wrong    string    `json:"wrong,omitempty"`   // the part of the request: header, time, body, url, secret or certificate
	Why      string    `json:"why,omitempty"`
}

func (v webhooksVerify) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	by, err := v.verifier(tools)
	if err != nil {
		return err
	}
	r, err := v.request(by, c.In)
	if err != nil {
		return err
	}
	if by.secrets, err = v.secretsOf(by, tools); err != nil {
		return err
	}
	found, err := by.verify(ctx, r, time.Now())
	if err != nil {
		return err
	}
	err = v.Print(c.Out, found, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, found)
		return err
	})
	if err == nil && !found.Valid {
		return terminal.ErrSilent
	}
	return err
}

// verifier verifies requests of a sender with some secrets.
type verifier struct {
	sender  *webhook.Sender
	secrets []receiver.Secret
	url     string
}

// verifier returns the sender and URL of the flags, the source or the settings, and the secrets of
// the source.
func (v webhooksVerify) verifier(tools Tools) (by verifier, err error) {
	if v.Source != "" {
		source, url, err := tools.Source(v.Source)
		if err != nil {
			return by, err
		}
		by = verifier{source.Sender, source.Secrets, url}
	} else if by.sender, err = tools.Sender(); err != nil {
		return by, err
	} else {
		by.url = tools.URL()
	}
	if v.Sender != "" {
		if by.sender, err = webhook.SenderNamed(v.Sender); err != nil {
			return by, terminal.Misused("--sender: %s", strings.TrimPrefix(err.Error(), "webhook: "))
		}
	}
	if v.URL != "" {
		by.url = v.URL
	}
	return by, err
}

// secretsOf returns the secret of the flag, those of the source or those of the settings.
func (v webhooksVerify) secretsOf(by verifier, tools Tools) ([]receiver.Secret, error) {
	switch {
	case v.Secret != "" || !by.sender.NeedsSecret() && by.secrets == nil:
		return []receiver.Secret{{Value: v.Secret}}, nil
	case by.secrets != nil:
		return by.secrets, nil
	}
	return tools.Secrets()
}

// request returns the request of the flags, or one that consists of a signature and a payload.
func (v webhooksVerify) request(by verifier, in io.Reader) (webhook.Request, error) {
	if v.Headers != "" || v.Request != "" {
		if v.Signature != "" || v.Headers != "" && v.Request != "" {
			return webhook.Request{}, terminal.Misused("a signature, --headers and --request exclude each other")
		}
		r, target, err := v.saved(in)
		if r.URL = by.url; v.URL == "" && target != "" {
			_, query, has := strings.Cut(target, "?")
			r.URL = withQuery(by.url, query, has)
		}
		return r, err
	}
	if strings.TrimSpace(v.Signature) == "" {
		return webhook.Request{}, terminal.Misused("the signature is empty; give one, or the whole request with --request FILE or --headers FILE")
	}
	header := by.sender.SignatureHeader()
	if header == "" {
		return webhook.Request{}, terminal.Misused("the sender %s signs more than the payload, so its signature alone cannot be verified; use --request FILE or --headers FILE", by.sender.Name())
	}
	payload, err := readPayload(in)
	return webhook.Request{Method: signatureOnly, Header: map[string][]string{header: {strings.TrimSpace(v.Signature)}}, Body: payload}, err
}

// signatureOnly is the method of a request of which only the signature and the payload are known.
const signatureOnly = "SIGNATURE"

func withQuery(url, query string, has bool) string {
	if !has {
		return url
	}
	return url + "?" + query
}

// verify finds the secret that signed the request, and else says what is wrong. It prefers a
// secret that is still accepted to one that has expired.
func (by verifier) verify(ctx context.Context, r webhook.Request, now time.Time) (verified, error) {
	found := verified{Wrong: webhook.PartUnknown}
	var err error
	if r.PublicKey, err = by.publicKey(ctx, r); errors.Is(err, receiver.ErrSignatureMismatch) {
		return verified{Wrong: webhook.PartCertificate, Why: "the certificate is not at a host of " + by.sender.Name()}, nil
	} else if err != nil {
		return found, err
	}
	expired := false
	for _, secret := range by.secrets {
		key, err := by.sender.Key(secret.Value)
		if err != nil {
			return found, err
		}
		d := diagnose(key, r, now)
		valid := d.Part == "" && (secret.NotAfter.IsZero() || now.Before(secret.NotAfter))
		switch {
		case valid:
			return verified{Valid: true, Secret: secret.Name, NotAfter: secret.NotAfter}, nil
		case d.Part == "":
			found, expired = verified{Secret: secret.Name, NotAfter: secret.NotAfter}, true
		case !expired && (found.Why == "" || found.Wrong == webhook.PartUnknown):
			found.Wrong, found.Why = d.Part, d.Text
		}
	}
	return found, nil
}

// diagnose says what is wrong with a request, which may consist of nothing but a signature and a
// payload.
func diagnose(key *webhook.SenderKey, r webhook.Request, now time.Time) webhook.Diagnosis {
	if r.Method == signatureOnly {
		return key.DiagnoseSignature(r, now)
	}
	return key.Diagnose(r, now)
}

// publicKey fetches the certificate of the request, if the sender has one.
func (by verifier) publicKey(ctx context.Context, r webhook.Request) (any, error) {
	if url, err := by.sender.CertificateURL(r); err == nil && url == "" {
		return nil, nil
	}
	certifier, err := receiver.New(by.secrets[0].Value, receiver.WithSender(by.sender), receiver.WithFetcher(webhookhttp.NewFetcher()))
	if err != nil {
		return nil, err
	}
	return certifier.PublicKey(ctx, r)
}

// String returns a line for people that begins with "valid" or "not valid", and a second one
// that says which part is wrong.
func (v verified) String() string {
	at := v.NotAfter.Format(time.RFC3339)
	switch {
	case v.Secret == "" && v.Valid:
		return "valid"
	case v.Secret == "":
		return fmt.Sprintf("not valid\n%s: %s", v.Wrong, v.Why)
	case !v.Valid:
		return fmt.Sprintf("not valid: signed with %s, which expired at %s", v.Secret, at)
	case v.NotAfter.IsZero():
		return fmt.Sprintf("valid: signed with %s", v.Secret)
	}
	return fmt.Sprintf("valid: signed with %s, which expires at %s", v.Secret, at)
}
