package samlsp

import (
	"bytes"
	"compress/flate"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/text"
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
	return l.result, l.result.finish()
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
	for {
		if t, err = l.tags.next(); err != nil {
			return err
		}
		if t.text == nil {
			break
		}
		if l.before = append(l.before, t.text...); len(l.before) > maxStretch {
			return errors.New("there is too much text before the signature")
		}
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

// description is the reading of one service.
type description struct {
	*entry
	copied   canonical // the service as a document of its own
	depth    int       // of open elements within it
	provider bool      // it is an identity provider
	within   bool      // its element IDPSSODescriptor is open
	of       *element  // whose text is collected; nil for none
	text     []byte
}

func (l *load) beginEntity(t token) error {
	d := &description{entry: &entry{id: t.start.value("entityID"), names: map[string]string{}}}
	if d.id == "" || len(d.id) > maxEntityID {
		return errors.New("a service has no entity ID, or a very long one")
	}
	until, err := timeOf(t.start.value("validUntil"))
	if err != nil {
		return err
	}
	if d.validUntil = until; len(l.until) > 0 {
		d.validUntil = earlier(until, l.until[len(l.until)-1])
	}
	l.plain.Reset()
	d.copied.out = &l.plain
	l.reading = d
	return l.describe(t)
}

// describe adds a token to the service that is being read.
func (l *load) describe(t token) error {
	d := l.reading
	if err := d.copied.write(t); err != nil {
		return err
	}
	if l.plain.Len() > maxEntity {
		return fmt.Errorf("the description of %.100q has more than %d bytes", d.id, maxEntity)
	}
	switch {
	case t.start != nil:
		d.depth++
		d.open(t.start)
	case t.end != nil:
		d.depth--
		d.close(t.end)
	case d.of != nil && len(d.text) < maxEntityID:
		d.text = append(d.text, t.text...)
	}
	if d.depth > 0 {
		return nil
	}
	l.reading = nil
	return l.add(d)
}

// add keeps the service if it is wanted.
func (l *load) add(d *description) error {
	if !d.provider || l.only != "" && l.only != d.id {
		return nil
	}
	if len(l.result.entries) >= maxEntities {
		return fmt.Errorf("the metadata describe more than %d services", maxEntities)
	}
	packed, err := l.pack(l.plain.Bytes())
	d.packed = packed
	l.result.entries = append(l.result.entries, d.entry)
	return err
}

// pack compresses a description. It keeps what it needs for the next one.
func (l *load) pack(plain []byte) ([]byte, error) {
	l.packed.Reset()
	if l.packer == nil {
		made, err := flate.NewWriter(&l.packed, flate.BestSpeed)
		if err != nil {
			return nil, err
		}
		l.packer = made
	}
	l.packer.Reset(&l.packed)
	_, err := l.packer.Write(plain)
	err = errors.Join(err, l.packer.Close())
	return bytes.Clone(l.packed.Bytes()), err
}

func (d *description) open(e *element) {
	switch {
	case d.depth == 2 && e.is(spaceMetadata, "IDPSSODescriptor"):
		d.within = true
		d.provider = d.provider || slices.Contains(strings.Fields(e.value("protocolSupportEnumeration")), protocol)
	case d.within && e.is(spaceUI, "DisplayName"), e.is(spaceMetadata, "OrganizationDisplayName"), e.is(spaceScope, "Scope"),
		e.is(spaceAssert, "AttributeValue"):
		d.of, d.text = e, d.text[:0]
	}
}

func (d *description) close(e *element) {
	if d.depth == 1 && e.is(spaceMetadata, "IDPSSODescriptor") {
		d.within = false
	}
	if d.of != e {
		return
	}
	d.of = nil
	value := strings.Clone(text.Line(text.StripHidden(string(d.text)), maxShown))
	switch {
	case value == "":
	case e.local == "Scope":
		d.scopes = append(d.scopes, scope{value, e.value("regexp") == "true" || e.value("regexp") == "1"})
	case e.local == "AttributeValue":
		d.hidden = d.hidden || value == hideFromLists
	default:
		lang := languageOf(e)
		if _, has := d.names[lang]; !has || e.local == "DisplayName" {
			d.names[lang] = value
		}
	}
}

// maxShown bounds a name, in bytes.
const maxShown = 200

func languageOf(e *element) string {
	for _, a := range e.attributes {
		if a.space == spaceXML && a.local == "lang" {
			return strings.ToLower(a.value)
		}
	}
	return ""
}
