package samlsp

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
)

// The bounds of what readers accept. A federation's aggregate is deep in no place, and none of its
// texts is long.
const (
	maxDepth      = 64
	maxAttributes = 64
	maxStretch    = 4 << 20 // bytes without the end of a tag or a text
)

// Namespaces of XML and its signatures.
const (
	spaceXML       = "http://www.w3.org/XML/1998/namespace"
	spaceSignature = "http://www.w3.org/2000/09/xmldsig#"
	spaceMetadata  = "urn:oasis:names:tc:SAML:2.0:metadata"
)

// token is a part of a document. Its bytes are valid until the next one is read.
type token struct {
	start *element // a start tag
	end   *element // the start tag of the element that ends
	text  []byte   // characters
}

// element is a start tag whose prefixes are resolved.
type element struct {
	prefix, local, space string
	attributes           []attribute       // without declarations of prefixes
	names                map[string]string // the prefixes in scope; shared, so it is never changed
}

type attribute struct{ prefix, local, space, value string }

// is reports whether the element has a name.
func (e *element) is(space, local string) bool { return e.space == space && e.local == local }

// value returns an attribute without a prefix.
func (e *element) value(local string) string {
	for _, a := range e.attributes {
		if a.prefix == "" && a.local == local {
			return a.value
		}
	}
	return ""
}

// tags reads a document as tokens, in bounded memory. It refuses what could be read in two ways:
// document types, processing instructions, attributes given twice, prefixes that are not declared.
type tags struct {
	decoder *xml.Decoder
	source  *stretch
	open    []*element
	begun   bool
	strict  bool // comments are refused, too
}

func newTags(from io.Reader) *tags {
	source := &stretch{from: from, left: maxStretch}
	return &tags{decoder: xml.NewDecoder(source), source: source}
}

// depth is the number of open elements.
func (t *tags) depth() int { return len(t.open) }

// parent returns the element around the one that has just begun; nil for the root.
func (t *tags) parent() *element {
	if n := t.depth(); n > 1 {
		return t.open[n-2]
	}
	return nil
}

// next returns io.EOF after the end of the root.
func (t *tags) next() (token, error) {
	for {
		t.source.left = maxStretch
		raw, err := t.decoder.RawToken()
		if err != nil {
			return token{}, t.atEnd(err)
		}
		switch raw := raw.(type) {
		case xml.StartElement:
			e, err := t.push(raw)
			return token{start: e}, err
		case xml.EndElement:
			e, err := t.pop(raw)
			return token{end: e}, err
		case xml.CharData:
			if t.depth() > 0 {
				return token{text: raw}, nil
			}
			if len(bytes.TrimSpace(raw)) > 0 {
				return token{}, errors.New("there is text outside of the root")
			}
		case xml.ProcInst:
			if raw.Target != "xml" || t.begun {
				return token{}, errors.New("it has a processing instruction")
			}
		case xml.Directive:
			return token{}, errors.New("it has a document type")
		case xml.Comment:
			if t.strict {
				return token{}, errors.New("it has a comment")
			}
		}
	}
}

func (t *tags) atEnd(err error) error {
	if errors.Is(err, io.EOF) && (t.depth() > 0 || !t.begun) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (t *tags) push(raw xml.StartElement) (*element, error) {
	switch {
	case t.depth() == 0 && t.begun:
		return nil, errors.New("it has two roots")
	case t.depth() >= maxDepth:
		return nil, fmt.Errorf("its elements are more than %d deep", maxDepth)
	case len(raw.Attr) > maxAttributes:
		return nil, fmt.Errorf("an element has more than %d attributes", maxAttributes)
	}
	t.begun = true
	e := &element{prefix: raw.Name.Space, local: raw.Name.Local, names: map[string]string{"xml": spaceXML}}
	if n := t.depth(); n > 0 {
		e.names = t.open[n-1].names
	}
	if err := e.declare(raw.Attr); err != nil {
		return nil, err
	}
	if err := e.resolve(raw.Attr); err != nil {
		return nil, err
	}
	t.open = append(t.open, e)
	return e, nil
}

func (t *tags) pop(raw xml.EndElement) (*element, error) {
	n := t.depth() - 1
	if n < 0 || t.open[n].prefix != raw.Name.Space || t.open[n].local != raw.Name.Local {
		return nil, errors.New("an end tag belongs to no start tag")
	}
	e := t.open[n]
	t.open = t.open[:n]
	return e, nil
}

// declare adds the prefixes that the element declares.
func (e *element) declare(all []xml.Attr) error {
	own := map[string]string{}
	for _, a := range all {
		prefix, declares := declaredPrefix(a.Name)
		if !declares {
			continue
		}
		_, twice := own[prefix]
		switch {
		case twice:
			return fmt.Errorf("the prefix %.40q is declared twice", prefix)
		case prefix == "xml" || prefix == "xmlns" || prefix != "" && a.Value == "" || a.Value == spaceXML:
			return fmt.Errorf("the prefix %.40q may not be declared so", prefix)
		}
		own[prefix] = a.Value
	}
	if len(own) > 0 {
		e.names = maps.Clone(e.names)
		maps.Copy(e.names, own)
	}
	return nil
}

func declaredPrefix(n xml.Name) (prefix string, declares bool) {
	if n.Space == "xmlns" {
		return n.Local, true
	}
	return "", n.Space == "" && n.Local == "xmlns"
}

// resolve finds the namespaces of the element and its attributes.
func (e *element) resolve(all []xml.Attr) error {
	var known bool
	if e.space, known = e.names[e.prefix]; !known && e.prefix != "" {
		return fmt.Errorf("the prefix %.40q is not declared", e.prefix)
	}
	seen := map[[2]string]bool{}
	for _, a := range all {
		if _, declares := declaredPrefix(a.Name); declares {
			continue
		}
		made := attribute{prefix: a.Name.Space, local: a.Name.Local, value: a.Value}
		if made.prefix != "" {
			if made.space, known = e.names[made.prefix]; !known {
				return fmt.Errorf("the prefix %.40q is not declared", made.prefix)
			}
		}
		key := [2]string{made.space, made.local}
		if seen[key] {
			return fmt.Errorf("the attribute %.40q is given twice", made.local)
		}
		seen[key] = true
		e.attributes = append(e.attributes, made)
	}
	return nil
}

// stretch bounds what is read between two tokens.
type stretch struct {
	from io.Reader
	left int
}

func (s *stretch) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, fmt.Errorf("a tag or a text has more than %d bytes", maxStretch)
	}
	n, err := s.from.Read(p)
	s.left -= n
	return n, err
}
