package samlsp

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/text"
)

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
