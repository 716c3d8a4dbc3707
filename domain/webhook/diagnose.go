package webhook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook/altered"
)

// The parts of a request because of which it is refused.
const (
	PartHeader      = "header"      // one is missing or has another form
	PartTime        = "time"        // it was signed at another time
	PartBody        = "body"        // it was changed on the way
	PartURL         = "url"         // it was signed for another one
	PartSecret      = "secret"      // it is another one, or written in another way
	PartCertificate = "certificate" // it is not the sender's
	PartUnknown     = "secret or body"
)

// Diagnosis says why a request is refused: Part is "" for one that is not.
type Diagnosis struct{ Part, Text string }

// Diagnose says which part of the request is wrong. It tries what is usually done to a body, a
// URL or a secret on the way, so it is for people who look for a mistake, not for each request.
func (k *SenderKey) Diagnose(r Request, now time.Time) Diagnosis {
	if err := k.sender.Check(r); err != nil {
		return Diagnosis{PartHeader, withoutPackage(err)}
	}
	return k.DiagnoseSignature(r, now)
}

// DiagnoseSignature is Diagnose for a request that may lack what is no part of the signature: the
// event and the id.
func (k *SenderKey) DiagnoseSignature(r Request, now time.Time) Diagnosis {
	err := k.Check(r, now)
	switch {
	case err == nil:
		return Diagnosis{}
	case errors.Is(err, ErrTimestamp):
		return Diagnosis{PartTime, k.describeTime(r, now)}
	}
	for _, ask := range []func(Request, time.Time) Diagnosis{k.askHeaders, k.askBody, k.askURL, k.askSecret} {
		if d := ask(r, now); d.Part != "" {
			return d
		}
	}
	if k.sender.signsURL() {
		return Diagnosis{PartUnknown, fmt.Sprintf("another secret signed it, another URL than %s was called, or the body is not to the byte what was sent", r.URL)}
	}
	return Diagnosis{PartUnknown, "another secret signed it, or the body is not to the byte what was sent"}
}

func withoutPackage(err error) string { return strings.TrimPrefix(err.Error(), "webhook: ") }

// isSigned reports whether the request is signed, now or at another time.
func (k *SenderKey) isSigned(r Request, now time.Time) bool {
	err := k.Check(r, now)
	return err == nil || errors.Is(err, ErrTimestamp)
}

// describeTime says how far the time of the signature is from now.
func (k *SenderKey) describeTime(r Request, now time.Time) string {
	s := k.sender
	if s.special == nil {
		i := s.schemeOf(r)
		sc := s.schemes[i]
		found := sc.signature.extract(r, k.keys[i].prefix)
		if at, ok := sc.timestamp.parse(sc.stamp(r, &found)); ok {
			off := now.Sub(at).Round(time.Second)
			if off > 0 {
				return fmt.Sprintf("the signature is right, but it was made %s ago, at %s", off, at.UTC().Format(time.RFC3339))
			}
			return fmt.Sprintf("the signature is right, but its time is %s ahead: %s", -off, at.UTC().Format(time.RFC3339))
		}
	}
	return "the signature is right, but it was made too long ago, or its time is in the future"
}

// askHeaders looks for what the headers say about the signature and the body.
func (k *SenderKey) askHeaders(r Request, _ time.Time) Diagnosis {
	s := k.sender
	if length := r.header("Content-Length"); length != "" && length != strconv.Itoa(len(r.Body)) {
		return Diagnosis{PartBody, fmt.Sprintf("the body has %d bytes, its Content-Length was %s", len(r.Body), length)}
	}
	if s.special != nil {
		return Diagnosis{}
	}
	i := s.schemeOf(r)
	sc := s.schemes[i]
	found := sc.signature.extract(r, k.keys[i].prefix)
	switch {
	case found.n == 0:
		return Diagnosis{PartHeader, fmt.Sprintf("there is no signature of the form %s in %s", sc.form(), sc.signature.from)}
	case sc.timestamp != nil && sc.timestamp.from.path != nil && sc.stamp(r, &found) == "":
		return Diagnosis{PartBody, "the body has no timestamp in " + sc.timestamp.from.String()}
	case sc.timestamp != nil && sc.stamp(r, &found) == "":
		return Diagnosis{PartHeader, "there is no timestamp, or more than one"}
	case s.extra != nil && !s.extra(r):
		return Diagnosis{PartBody, "the signature is that of a form, which the body is not; nor has the URL its hash as bodySHA256"}
	}
	var buffer [maxDecoded]byte
	for _, text := range found.list[:found.n] {
		if sc.algorithm == algorithmToken || len(sc.signature.decode(text, &buffer)) > 0 {
			return Diagnosis{}
		}
	}
	return Diagnosis{PartHeader, fmt.Sprintf("the signature in %s is not in %s", sc.signature.from, sc.signature.Encoding)}
}

// form shows how a signature is written.
func (sc *scheme) form() string {
	text := sc.signature.Prefix + "…"
	if sc.signature.Format == "pairs" {
		text = sc.signature.Key + sc.signature.Assign + text
	}
	return text
}

// askBody tries what editors, shells and JSON libraries do to a body.
func (k *SenderKey) askBody(r Request, now time.Time) Diagnosis {
	for _, v := range altered.Bodies(r.Body) {
		changed := r
		if changed.Body = v.Body; !bytes.Equal(v.Body, r.Body) && k.isSigned(changed, now) {
			return Diagnosis{PartBody, "the body was changed: the signature is that of the body " + v.Text}
		}
	}
	return Diagnosis{}
}

// askURL tries the URLs under which proxies hide the one that was called.
func (k *SenderKey) askURL(r Request, now time.Time) Diagnosis {
	if !k.sender.UsesURL() {
		return Diagnosis{}
	}
	path, query, _ := strings.Cut(r.URL, "?")
	for _, url := range []string{
		strings.Replace(r.URL, "http://", "https://", 1), strings.Replace(r.URL, "https://", "http://", 1), path, path + "/",
		strings.TrimSuffix(path, "/"),
		path + "/?" + query, strings.TrimSuffix(path, "/") + "?" + query,
	} {
		changed := r
		if changed.URL = url; url != r.URL && k.isSigned(changed, now) {
			return Diagnosis{PartURL, fmt.Sprintf("it was signed for the URL %s, not %s", url, r.URL)}
		}
	}
	return Diagnosis{}
}

// askSecret tries how a secret is often copied.
func (k *SenderKey) askSecret(r Request, now time.Time) Diagnosis {
	trimmed := strings.TrimSpace(k.secret)
	_, unprefixed, _ := strings.Cut(trimmed, "_")
	variants := [][2]string{
		{trimmed, "without the space around it"}, {k.secret + "\n", "with a line break at its end"},
		{strings.Trim(trimmed, `"'`), "without the quotes around it"},
		{unprefixed, "without its prefix"}, {"whsec_" + trimmed, "with whsec_ before it"},
	}
	if decoded, err := base64.StdEncoding.DecodeString(unprefixed); err == nil {
		variants = append(variants, [2]string{string(decoded), "decoded from base64"})
	}
	if decoded, err := base64.StdEncoding.DecodeString(trimmed); err == nil {
		variants = append(variants, [2]string{string(decoded), "decoded from base64"})
	}
	for _, v := range variants {
		if v[0] == "" || v[0] == k.secret {
			continue
		}
		if key, err := k.sender.Key(v[0]); err == nil && key.isSigned(r, now) {
			return Diagnosis{PartSecret, "the secret is written in another way: it was signed with the secret " + v[1]}
		}
	}
	return Diagnosis{}
}
