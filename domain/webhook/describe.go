package webhook

import (
	"fmt"
	"strings"
)

// Description says for people where a sender has what.
type Description struct {
	Name      string
	Event     string // "header X-Event, else json type"
	ID        string
	Signature string // "header X-Signature, hmac-sha256 in hex"
	Signed    string // the template, or what a function signs
	Bodies    string
}

// functions describe the senders that verify by a function.
var functions = map[string][2]string{
	"paypal": {"header Paypal-Transmission-Sig, rsa-sha256 by a certificate of PayPal", "a function: id|time|webhookId|crc32 of the body"},
	"sns":    {"json Signature, rsa by a certificate of AWS", "a function: the message, its id, subject, time, topic and type"},
	"graph":  {"json clientState of each notification", "a function: the secret itself"},
}

// Describe describes the sender.
func (s *Sender) Describe() Description {
	s = s.orHost()
	d := Description{Name: s.name, Event: s.event.String(), ID: s.id.String(), Bodies: s.BodyKinds()}
	if function, ok := functions[s.name]; ok {
		d.Signature, d.Signed = function[0], function[1]
		return d
	}
	var signatures, signed []string
	for _, sc := range s.schemes {
		signatures = append(signatures, sc.describe())
		if sc.text == "" {
			signed = append(signed, "the secret itself")
		} else {
			signed = append(signed, sc.text)
		}
	}
	d.Signature, d.Signed = strings.Join(signatures, "; or "), strings.Join(signed, "; or ")
	return d
}

func (sc *scheme) describe() string {
	text := sc.signature.from.String() + ", " + sc.algorithm
	if sc.algorithm != algorithmToken {
		text += " in " + sc.signature.Encoding
	}
	if sc.signature.Format == "pairs" {
		text += fmt.Sprintf(" as %s%s…", sc.signature.Key, sc.signature.Assign)
	}
	if sc.signature.Prefix != "" {
		text += fmt.Sprintf(" after %q", sc.signature.Prefix)
	}
	if sc.timestamp != nil && sc.timestamp.Pair == "" {
		text += ", time in " + sc.timestamp.from.String()
	}
	return text
}
