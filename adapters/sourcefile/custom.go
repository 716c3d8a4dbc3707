package sourcefile

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/domain/webhook"
)

// customSender reads the description of a sender.
func (e *entry) customSender() (*webhook.Sender, error) {
	var c webhook.CustomSender
	for key, into := range map[string]*string{
		"eventHeader": &c.EventHeader, "eventField": &c.EventField, "idHeader": &c.IDHeader, "idField": &c.IDField,
		"signatureHeader": &c.SignatureHeader, "scheme": &c.Scheme, "prefix": &c.Prefix, "signed": &c.Signed, "algorithm": &c.Algorithm,
	} {
		var err error
		if *into, err = e.text(key); err != nil {
			return nil, err
		}
	}
	for _, read := range []func(*webhook.CustomSender) error{e.readSignature, e.readTimestamp, e.readKey, e.readPlaces, e.readBodies, e.readCertificate, e.readChallenges} {
		if err := read(&c); err != nil {
			return nil, err
		}
	}
	sender, err := c.NewSender()
	if err != nil {
		text := withoutPrefix(err)
		return nil, mistake(e.blamed(text), "%s", text)
	}
	return sender, nil
}

// blamed returns the value that a message begins with, or the sender.
func (e *entry) blamed(text string) *yaml.Node {
	first, _, _ := strings.Cut(strings.ReplaceAll(text, ":", " "), " ")
	return cmp.Or(e.keys[first], e.keys["sender"])
}

func (e *entry) readSignature(c *webhook.CustomSender) error {
	p := &c.Signature
	b, err := readBlock("signature", e.keys["signature"], "header", "json", "format", "separator", "assign", "key", "pattern", "prefix", "encoding")
	if err != nil {
		return err
	}
	if err := b.fill(map[string]*string{
		"header": &p.Header, "json": &p.JSON, "format": &p.Format, "separator": &p.Separator, "assign": &p.Assign, "key": &p.Key, "pattern": &p.Pattern,
		"prefix": &p.Prefix, "encoding": &p.Encoding,
	}); err != nil {
		return err
	}
	encoding, err := e.text("encoding")
	if err == nil && encoding != "" && p.Encoding != "" {
		err = mistake(e.keys["encoding"], "encoding and signature.encoding are both given; use one")
	}
	p.Encoding = cmp.Or(p.Encoding, encoding)
	return err
}

func (e *entry) readTimestamp(c *webhook.CustomSender) error {
	p := &c.Timestamp
	b, err := readBlock("timestamp", e.keys["timestamp"], "header", "json", "pair", "unit", "tolerance")
	if err != nil {
		return err
	}
	if err := b.fill(map[string]*string{"header": &p.Header, "json": &p.JSON, "pair": &p.Pair, "unit": &p.Unit}); err != nil {
		return err
	}
	return b.duration("tolerance", &p.Tolerance)
}

func (e *entry) readKey(c *webhook.CustomSender) error {
	b, err := readBlock("key", e.keys["key"], "encoding", "prefix")
	if err != nil {
		return err
	}
	return b.fill(map[string]*string{"encoding": &c.Key.Encoding, "prefix": &c.Key.Prefix})
}

func (e *entry) readPlaces(c *webhook.CustomSender) (err error) {
	if c.Event, err = readPlace("event", e.keys["event"]); err != nil {
		return err
	}
	c.ID, err = readPlace("id", e.keys["id"])
	return err
}

// readPlace reads where a text is, and where else.
func readPlace(name string, node *yaml.Node) (p webhook.Place, err error) {
	b, err := readBlock(name, node, "header", "json", "form", "else")
	if err != nil {
		return p, err
	}
	if err := b.fill(map[string]*string{"header": &p.Header, "json": &p.JSON, "form": &p.Form}); err != nil {
		return p, err
	}
	if next := b.values["else"]; next != nil {
		other, err := readPlace(name+".else", next)
		if err != nil {
			return p, err
		}
		p.Else = &other
	}
	return p, nil
}

func (e *entry) readBodies(c *webhook.CustomSender) (err error) {
	c.Bodies, err = e.texts("bodies")
	return err
}

func (e *entry) readCertificate(c *webhook.CustomSender) error {
	b, err := readBlock("certificate", e.keys["certificate"], "header", "json", "hosts")
	if err != nil {
		return err
	}
	if c.Certificate.Hosts, err = (&entry{keys: b.values}).texts("hosts"); err != nil {
		return err
	}
	return b.fill(map[string]*string{"header": &c.Certificate.Header, "json": &c.Certificate.JSON})
}

// readChallenges reads one challenge or a list of them.
func (e *entry) readChallenges(c *webhook.CustomSender) error {
	value := e.keys["challenge"]
	if value == nil {
		return nil
	}
	list := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		list = value.Content
	}
	for _, one := range list {
		challenge, err := readChallenge(one)
		if err != nil {
			return err
		}
		c.Challenges = append(c.Challenges, challenge)
	}
	return nil
}

func readChallenge(node *yaml.Node) (c webhook.Challenge, err error) {
	outer, err := readBlock("challenge", node, "when", "answer")
	if err != nil {
		return c, err
	}
	when, err := readBlock("when", outer.values["when"], "method", "json", "form", "query", "header", "equals", "absent")
	if err != nil {
		return c, err
	}
	answer, err := readBlock("answer", outer.values["answer"], "status", "type", "body", "template")
	if err != nil {
		return c, err
	}
	if err := when.fill(map[string]*string{
		"method": &c.When.Method, "json": &c.When.JSON, "form": &c.When.Form, "query": &c.When.Query, "header": &c.When.Header, "equals": &c.When.Equals,
		"absent": &c.When.Absent,
	}); err != nil {
		return c, err
	}
	var template string
	if err := answer.fill(map[string]*string{"type": &c.Answer.Type, "body": &c.Answer.Body, "template": &template}); err != nil {
		return c, err
	}
	if template != "" && c.Answer.Body != "" {
		return c, mistake(answer.node, "answer has body and template; use one")
	}
	c.Answer.Body = cmp.Or(c.Answer.Body, template)
	return c, answer.number("status", &c.Answer.Status)
}
