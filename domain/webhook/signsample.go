package webhook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// SignSample is SignRequestTo also for senders whose signature is in the body: it is added to
// that of e, together with what else is signed there. The error is ErrCannotSign.
func (k *SenderKey) SignSample(url string, e Event, now time.Time) (Request, error) {
	if !k.signsInBody() {
		return k.SignRequestTo(url, e, now)
	}
	root, err := decodeBody(e.Payload)
	if err != nil {
		return Request{}, ErrCannotSign
	}
	r := Request{Method: "POST", URL: url, Header: map[string][]string{}}
	for name, value := range e.Header {
		r.Header[name] = []string{value}
	}
	own := k.sender.ownHeaders(e)
	maps.Copy(r.Header, own)
	if r.Body, err = k.addSignature(root, r, own, now); err != nil {
		return Request{}, err
	}
	r.Header = own
	return r, nil
}

// signsInBody reports whether the signature is a member of the body, which it does not cover.
func (k *SenderKey) signsInBody() bool {
	if k.sender.name == Graph.name {
		return true
	}
	return k.sender.special == nil && len(k.keys) > 0 && k.sender.schemes[0].signature.from.path != nil &&
		!k.sender.schemes[0].signed.has(bodyPart)
}

func decodeBody(body []byte) (root any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err = decoder.Decode(&root)
	return root, err
}

// addSignature returns the body with the signature. The time's header, if there is one, is added
// to own.
func (k *SenderKey) addSignature(root any, r Request, own map[string][]string, now time.Time) ([]byte, error) {
	if k.sender.name == Graph.name {
		return json.Marshal(rawjson.SetIn(root, rawjson.Path{"value", "0", "clientState"}, cmp.Or(k.sender.options.ClientState, k.secret)))
	}
	sc := k.sender.schemes[0]
	r.Body, _ = json.Marshal(root) // it was decoded
	for _, p := range sc.signed {
		if p.kind == jsonPart && p.path.Text(r.Body) == "" {
			root = rawjson.SetIn(root, p.path, "sample")
		}
	}
	r.Body, _ = json.Marshal(root)
	headers := map[string]string{}
	at := sc.stampFor(r, now, headers)
	signature, err := k.keys[0].sign(sc, r, sc.id.read(r), at)
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		own[name] = []string{value}
	}
	return json.Marshal(rawjson.SetIn(root, sc.signature.from.path, sc.withPair(signature, at)))
}
