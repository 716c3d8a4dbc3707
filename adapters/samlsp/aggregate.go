package samlsp

import (
	"bytes"
	"compress/flate"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"time"
)

// The bounds of a document of metadata.
const (
	maxMetadata = 256 << 20 // bytes
	maxEntity   = 4 << 20   // bytes of one description
	maxEntities = 50_000
	maxEntityID = 1024
)

// Names in metadata.
const (
	spaceUI       = "urn:oasis:names:tc:SAML:metadata:ui"
	spaceScope    = "urn:mace:shibboleth:metadata:1.0"
	spaceAssert   = "urn:oasis:names:tc:SAML:2.0:assertion"
	protocol      = "urn:oasis:names:tc:SAML:2.0:protocol"
	hideFromLists = "http://refeds.org/category/hide-from-discovery"
)

// load is the reading of a document of metadata: of one service or, as federations publish them, of
// thousands. The document passes by once: its signature is the first thing in its root, so all that
// follows is digested and taken apart at the same time. What is read is exactly what is digested.
type load struct {
	tags    *tags
	signers []*x509.Certificate // nil: the signature is not checked
	only    string              // the entity ID that is wanted; "" for all

	root    *element
	before  []byte // text between the start of the root and the signature
	signed  *signed
	digest  *canonical // nil: nothing is digested
	result  *catalogue
	until   []time.Time // validUntil of the open EntitiesDescriptor elements
	reading *description
	plain   bytes.Buffer // of what is being read
	packed  bytes.Buffer
	packer  *flate.Writer
}

// loadMetadata reads metadata. With signers their signature must be by one of them, or nothing is returned.
func loadMetadata(from io.Reader, signers []*x509.Certificate, only string) (*catalogue, error) {
	l := &load{tags: newTags(io.LimitReader(from, maxMetadata+1)), signers: signers, only: only, result: &catalogue{}}
	if err := l.begin(); err != nil {
		return nil, err
	}
	for {
		t, err := l.tags.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = l.take(t)
		}
		if err != nil {
			return nil, err
		}
	}
	if l.signed != nil && !l.signed.matches() {
		return nil, errors.New("the metadata were changed after they were signed")
	}
	return l.result, l.result.finish(l.only)
}

// begin reads the root and its signature.
func (l *load) begin() error {
	t, err := l.tags.next()
	if err != nil {
		return err
	}
	l.root = t.start
	l.result.aggregate = l.root.is(spaceMetadata, "EntitiesDescriptor")
	if !l.result.aggregate && !l.root.is(spaceMetadata, "EntityDescriptor") {
		return fmt.Errorf("the document is no SAML metadata: it begins with %.40q", l.root.local)
	}
	if t, err = l.first(); err != nil {
		return err
	}
	signature := t.start != nil && t.start.is(spaceSignature, "Signature")
	switch {
	case signature && l.signers != nil:
		err = l.verify(t.start)
	case signature:
		err = l.skip(t.start)
	case l.signers != nil:
		return errors.New("the metadata are not signed, or their signature is not at their beginning")
	}
	if err == nil {
		err = l.each(token{start: l.root})
	}
	if err == nil {
		err = l.each(token{text: l.before})
	}
	if err == nil && !signature {
		err = l.take(t)
	}
	return err
}

// first returns the first tag in the root, and keeps the text before it.
func (l *load) first() (token, error) {
	for {
		t, err := l.tags.next()
		if err != nil || t.text == nil {
			return t, err
		}
		if l.before = append(l.before, t.text...); len(l.before) > maxStretch {
			return token{}, errors.New("there is too much text before the signature")
		}
	}
}

func (l *load) verify(start *element) error {
	left := maxSignature
	n, err := readTree(l.tags, start, &left)
	if err != nil {
		return err
	}
	if l.signed, err = n.verify(l.root.value("ID"), l.signers); err != nil {
		return err
	}
	l.digest = &canonical{out: l.signed, inclusive: l.signed.inclusive}
	return nil
}

// skip reads over a signature that nobody checks.
func (l *load) skip(start *element) error {
	left := maxSignature
	_, err := readTree(l.tags, start, &left)
	return err
}

// take takes what follows the signature.
func (l *load) take(t token) error {
	if t.start != nil && l.tags.depth() == 2 && t.start.is(spaceSignature, "Signature") {
		return errors.New("the metadata have a second signature, or it is not at their beginning")
	}
	return l.each(t)
}

// each digests a token and takes it apart.
func (l *load) each(t token) error {
	if l.digest != nil {
		if err := l.digest.write(t); err != nil {
			return err
		}
	}
	switch {
	case l.reading != nil:
		return l.describe(t)
	case t.start != nil && t.start.is(spaceMetadata, "EntitiesDescriptor"):
		until, err := timeOf(t.start.value("validUntil"))
		if n := len(l.until); n > 0 {
			until = earlier(until, l.until[n-1])
		}
		l.until = append(l.until, until)
		return err
	case t.end != nil && t.end.is(spaceMetadata, "EntitiesDescriptor"):
		l.until = l.until[:len(l.until)-1]
	case t.start != nil && t.start.is(spaceMetadata, "EntityDescriptor"):
		return l.beginEntity(t)
	}
	return nil
}

func timeOf(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil { // XML allows a time without a zone, which SAML takes for UTC
		at, err = time.Parse("2006-01-02T15:04:05", s)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("validUntil %.40q is not a time", s)
	}
	return at, nil
}

// earlier returns the earlier of two times, of which the zero one is no bound.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
