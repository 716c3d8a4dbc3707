package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// maxSignatures limits the signatures of one request; during a rotation a sender sends
// two.
const maxSignatures = 8

// hexSignature verifies an HMAC of the body in lower-case hexadecimal digits.
func hexSignature(header, prefix string) func(*SenderKey, Request, time.Time) bool {
	return func(k *SenderKey, r Request, _ time.Time) bool {
		digits, ok := strings.CutPrefix(r.header(header), prefix)
		if !ok {
			return false
		}
		given, ok := parseHex(digits)
		return ok && k.mac.Verify(r.Body, given)
	}
}

// base64Signature verifies an HMAC of the body in base64.
func base64Signature(header, prefix string) func(*SenderKey, Request, time.Time) bool {
	return func(k *SenderKey, r Request, _ time.Time) bool {
		text, ok := strings.CutPrefix(r.header(header), prefix)
		if !ok {
			return false
		}
		given, ok := parseBase64(text)
		return ok && k.mac.Verify(r.Body, given)
	}
}

// tokenHeader verifies that a header is the secret.
func tokenHeader(header, prefix string) func(*SenderKey, Request, time.Time) bool {
	return func(k *SenderKey, r Request, _ time.Time) bool {
		token, ok := strings.CutPrefix(r.header(header), prefix)
		return ok && strings.TrimSpace(token) != "" && k.isToken(token)
	}
}

// verifyStripe verifies t=SECONDS,v1=HEX of "SECONDS.body". Any of several v1 may match;
// other schemes are ignored.
func verifyStripe(k *SenderKey, r Request, now time.Time) bool {
	parts := strings.Split(r.header("Stripe-Signature"), ",")
	var at string
	times := 0 // more than one is ambiguous
	var given []Signature
	for _, part := range parts {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			at = value
			times++
		case "v1":
			if s, ok := parseHex(value); ok {
				given = append(given, s)
			}
		}
	}
	return times == 1 && len(parts) <= maxSignatures+1 && k.sender.isFresh(at, now) && among(k.mac.signAfter(at+".", r.Body), given)
}

// verifySlack verifies v0=HEX of "v0:SECONDS:body".
func verifySlack(k *SenderKey, r Request, now time.Time) bool {
	at := r.header("X-Slack-Request-Timestamp")
	digits, ok := strings.CutPrefix(r.header("X-Slack-Signature"), "v0=")
	if !ok || !k.sender.isFresh(at, now) {
		return false
	}
	given, ok := parseHex(digits)
	return ok && among(k.mac.signAfter("v0:"+at+":", r.Body), []Signature{given})
}

// verifyGitLab verifies the signature of a signing token if there is one, otherwise the
// secret token.
func verifyGitLab(k *SenderKey, r Request, now time.Time) bool {
	if len(r.Header["Webhook-Signature"]) > 0 {
		return verifyStandard(k, r, now)
	}
	return k.public == nil && tokenHeader("X-Gitlab-Token", "")(k, r, now)
}

// verifyStandard verifies that one of the signatures of "ID.SECONDS.body" matches:
// v1,BASE64 with a shared secret, v1a,BASE64 with an ed25519 key.
func verifyStandard(k *SenderKey, r Request, now time.Time) bool {
	id, at := r.header("Webhook-Id"), r.header("Webhook-Timestamp")
	signatures := strings.Fields(r.header("Webhook-Signature"))
	if id == "" || len(signatures) > maxSignatures || !k.sender.isFresh(at, now) {
		return false
	}
	signed := id + "." + at + "."
	if k.public != nil {
		return verifyEd25519(k.public, append([]byte(signed), r.Body...), signatures)
	}
	var given []Signature
	for _, s := range signatures {
		if text, ok := strings.CutPrefix(s, "v1,"); ok {
			if parsed, ok := parseBase64(text); ok {
				given = append(given, parsed)
			}
		}
	}
	return among(k.mac.signAfter(signed, r.Body), given)
}

func verifyEd25519(key ed25519.PublicKey, message []byte, signatures []string) bool {
	for _, s := range signatures {
		text, ok := strings.CutPrefix(s, "v1a,")
		if !ok {
			continue
		}
		if given, err := base64.StdEncoding.DecodeString(text); err == nil && ed25519.Verify(key, message, given) {
			return true
		}
	}
	return false
}

// among reports whether want is one of given, comparing each in constant time.
func among(want Signature, given []Signature) bool {
	found := false
	for _, g := range given {
		found = hmac.Equal(want[:], g[:]) || found
	}
	return found
}

// isFresh reports whether at, Unix seconds in decimal digits, is within the tolerance.
func (s *Sender) isFresh(at string, now time.Time) bool {
	const digits = 12 // lasts for 30,000 years
	if at == "" || len(at) > digits || strings.Trim(at, "0123456789") != "" {
		return false
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	tolerance := s.tolerance
	if tolerance == 0 {
		tolerance = Tolerance
	}
	return err == nil && now.Sub(time.Unix(seconds, 0)).Abs() <= tolerance
}

// parseBase64 parses 32 bytes in their canonical standard base64 form, with padding.
func parseBase64(text string) (s Signature, ok bool) {
	if len(text) != base64.StdEncoding.EncodedLen(len(s)) {
		return Signature{}, false
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(decoded) != len(s) {
		return Signature{}, false
	}
	return Signature(decoded), true
}
