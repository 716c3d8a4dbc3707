package webhook

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// SignaturePlace is where a request has its signature and how it is written there.
type SignaturePlace struct {
	Header string // or
	JSON   string // a path into the body

	// Format is plain (the default), list (several signatures, separated by Separator,
	// default space), pairs (t=…,v1=…: those named Key, separated by Separator, default a
	// comma, with Assign between name and value, default =) or regex (what the one group of
	// Pattern finds).
	Format                          string
	Separator, Assign, Key, Pattern string

	Prefix   string // required before each signature
	Encoding string // hex (the default, in small letters), base64 or base64url
}

// maxSignatures limits the signatures of one request; during a rotation a sender sends
// two.
const maxSignatures = 8

const maxPattern = 200

// maxSignatureText limits the text that has the signatures, in bytes: it may be in the body.
const maxSignatureText = 16 << 10

// extractor is a compiled SignaturePlace.
type extractor struct {
	SignaturePlace
	from    place
	pattern *regexp.Regexp
}

var (
	formats   = []string{"plain", "list", "pairs", "regex"}
	encodings = []string{"hex", "base64", "base64url"}
)

func compileExtractor(p SignaturePlace) (x extractor, err error) {
	p.Format, p.Encoding = cmp.Or(p.Format, "plain"), cmp.Or(p.Encoding, "hex")
	switch {
	case p.Header == "" && p.JSON == "":
		return x, fmt.Errorf("webhook: signature needs a header, or a path as json")
	case !slices.Contains(formats, p.Format):
		return x, fmt.Errorf("webhook: signature: the format %.40q must be one of %s", p.Format, strings.Join(formats, ", "))
	case !slices.Contains(encodings, p.Encoding):
		return x, fmt.Errorf("webhook: signature: the encoding %.40q must be one of %s", p.Encoding, strings.Join(encodings, ", "))
	case !isPrintable(p.Prefix) || strings.HasPrefix(p.Prefix, " "): // such a value never arrives: HTTP trims it
		return x, fmt.Errorf("webhook: prefix %.40q begins with a space or is not printable", p.Prefix)
	case p.Format == "pairs" && p.Key == "":
		return x, fmt.Errorf("webhook: signature: the format pairs needs a key")
	case p.Format != "pairs" && p.Key+p.Assign != "" || p.Format != "pairs" && p.Format != "list" && p.Separator != "" ||
		p.Format != "regex" && p.Pattern != "":
		return x, fmt.Errorf("webhook: signature: key, assign, separator or pattern has no effect with the format %s", p.Format)
	}
	if x.from, err = compilePlace("signature", Place{Header: p.Header, JSON: p.JSON}); err != nil {
		return x, err
	}
	if p.Format == "pairs" {
		p.Separator, p.Assign = cmp.Or(p.Separator, ","), cmp.Or(p.Assign, "=")
	}
	if p.Format == "regex" {
		x.pattern, err = regexp.Compile(p.Pattern)
		if err != nil || len(p.Pattern) > maxPattern || x.pattern.NumSubexp() != 1 {
			return x, fmt.Errorf("webhook: signature: pattern is not a regular expression with one group, of at most %d characters", maxPattern)
		}
	}
	x.SignaturePlace = p
	return x, nil
}

// texts are the signatures of a request, undecoded, and the parts of a format with pairs.
type texts struct {
	list  [maxSignatures]string
	n     int
	parts []string
}

func (t *texts) add(text, prefix string) {
	if text, ok := strings.CutPrefix(text, prefix); ok && text != "" && t.n < maxSignatures {
		t.list[t.n] = text
		t.n++
	}
}

// extract finds the signatures with a prefix; there are none if the value has too many.
func (x *extractor) extract(r Request, prefix string) (found texts) {
	value := x.from.read(r)
	if len(value) > maxSignatureText {
		return found
	}
	switch x.Format {
	case "plain":
		found.add(value, prefix)
	case "list":
		x.extractList(value, prefix, &found)
	case "pairs":
		x.extractPairs(value, prefix, &found)
	case "regex":
		for _, match := range x.pattern.FindAllStringSubmatch(value, maxSignatures) {
			found.add(match[1], prefix)
		}
	}
	return found
}

func (x *extractor) extractList(value, prefix string, found *texts) {
	list := strings.Fields(value)
	if strings.TrimSpace(x.Separator) != "" {
		list = strings.Split(value, x.Separator)
	}
	if len(list) > maxSignatures {
		return
	}
	for _, one := range list {
		found.add(strings.TrimSpace(one), prefix)
	}
}

func (x *extractor) extractPairs(value, prefix string, found *texts) {
	parts := strings.Split(value, x.Separator)
	if len(parts) > maxSignatures+1 {
		return
	}
	found.parts = parts
	for _, one := range parts {
		if name, value, ok := x.pair(one); ok && name == x.Key {
			found.add(value, prefix)
		}
	}
}

func (x *extractor) pair(text string) (name, value string, ok bool) {
	return strings.Cut(strings.TrimSpace(text), x.Assign)
}

// valueOf returns the value of a pair that is given exactly once.
func (x *extractor) valueOf(found *texts, name string) (value string) {
	n := 0
	for _, one := range found.parts {
		if key, text, _ := x.pair(one); key == name {
			value = text
			n++
		}
	}
	if n != 1 {
		return ""
	}
	return value
}

// maxDecoded limits a decoded signature; that of RSA with 8,192 bits has 1,024 bytes.
const maxDecoded = 1024

// decode decodes a signature, in exactly the form in which encode writes it; base64url may
// lack its padding.
func (x *extractor) decode(text string, into *[maxDecoded]byte) []byte {
	switch {
	case len(text) > 2*maxDecoded:
		return nil
	case x.Encoding == "hex":
		return decodeHex(text, into[:])
	case x.Encoding == "base64url":
		return decodeBase64(base64.RawURLEncoding.Strict(), strings.TrimRight(text, "="), into)
	}
	return decodeBase64(base64.StdEncoding.Strict(), text, into)
}

// decodeHex decodes lower-case hexadecimal digits, nil if the text is something else or too long.
func decodeHex(text string, into []byte) []byte {
	if len(text)%2 != 0 || len(text) > 2*len(into) {
		return nil
	}
	for i := range len(text) / 2 {
		high, low := nibble(text[2*i]), nibble(text[2*i+1])
		if high > 15 || low > 15 {
			return nil
		}
		into[i] = high<<4 | low
	}
	return into[:len(text)/2]
}

func decodeBase64(encoding *base64.Encoding, text string, into *[maxDecoded]byte) []byte {
	if encoding.DecodedLen(len(text)) > maxDecoded || strings.ContainsAny(text, "\r\n") { // which the decoder ignores
		return nil
	}
	n, err := encoding.Decode(into[:], []byte(text))
	if err != nil {
		return nil
	}
	return into[:n]
}

// encode is the reverse of extract for one signature.
func (x *extractor) encode(signature []byte) string {
	text := hex.EncodeToString(signature)
	switch x.Encoding {
	case "base64":
		text = base64.StdEncoding.EncodeToString(signature)
	case "base64url":
		text = base64.RawURLEncoding.EncodeToString(signature)
	}
	return x.Prefix + text
}

// p256Header precedes the point of an ECDSA key on P-256 in its usual encoding, DER.
var p256Header, _ = hex.DecodeString("3059301306072a8648ce3d020106082a8648ce3d030107034200")
