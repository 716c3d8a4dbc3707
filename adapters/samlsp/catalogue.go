package samlsp

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crewjam/saml"

	"github.com/octavo-books/octavo/domain/text"
)

// catalogue has the services of one document of metadata. It keeps the description of each
// compressed, because an aggregate has thousands and a sign-in needs one.
type catalogue struct {
	aggregate bool
	entries   []*entry          // by name
	byID      map[string]*entry // by entity ID
}

// entry is one service.
type entry struct {
	id         string
	names      map[string]string // by language
	scopes     []scope
	hidden     bool // it asks not to be listed
	validUntil time.Time
	packed     []byte
	folded     string // what a search compares
}

// scope is a domain of which a service may speak.
type scope struct {
	text   string
	regexp bool
}

// descriptor returns the description of the service.
func (e *entry) descriptor() (*saml.EntityDescriptor, error) {
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(e.packed)), maxEntity+1))
	if err != nil {
		return nil, err
	}
	d := &saml.EntityDescriptor{}
	if err := xml.Unmarshal(plain, d); err != nil {
		return nil, err
	}
	if !e.validUntil.IsZero() && (d.ValidUntil.IsZero() || e.validUntil.Before(d.ValidUntil)) {
		d.ValidUntil = e.validUntil
	}
	return d, nil
}

// name returns the name in a language, or in another one.
func (e *entry) name(lang string) string {
	first := ""
	for _, one := range slices.Sorted(maps.Keys(e.names)) {
		first = cmp.Or(first, e.names[one])
	}
	return cmp.Or(e.names[lang], e.names["en"], first, e.id)
}

// find returns the only service or, of an aggregate, the one with an entity ID.
func (c *catalogue) find(id string) (*entry, error) {
	if id == "" && len(c.entries) == 1 {
		return c.entries[0], nil
	}
	if e := c.byID[id]; e != nil {
		return e, nil
	}
	return nil, errors.New("the metadata describe no service with this entity ID")
}

// search returns the services that have all words in a name, a domain or the entity ID.
func (c *catalogue) search(words string, most int) (found []*entry) {
	wanted := strings.Fields(text.Fold(words))
	for _, e := range c.entries {
		missing := slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(e.folded, word) })
		if missing || e.hidden {
			continue
		}
		if found = append(found, e); len(found) == most {
			break
		}
	}
	return found
}

// finish sorts the services and prepares the search.
func (c *catalogue) finish(only string) error {
	switch {
	case len(c.entries) == 0 && only != "":
		return fmt.Errorf("the metadata describe no SAML 2.0 identity provider with the entityID %.200q", only)
	case len(c.entries) == 0:
		return errors.New("the metadata describe no SAML 2.0 identity provider")
	}
	c.byID = make(map[string]*entry, len(c.entries))
	c.entries = slices.DeleteFunc(c.entries, func(e *entry) bool {
		_, again := c.byID[e.id]
		if !again {
			c.byID[e.id] = e
		}
		return again // the first one counts, as everywhere
	})
	for _, e := range c.entries {
		parts := []string{e.id}
		for _, name := range e.names {
			parts = append(parts, name)
		}
		for _, s := range e.scopes {
			parts = append(parts, s.text)
		}
		e.folded = text.Fold(strings.Join(parts, "\n"))
	}
	slices.SortFunc(c.entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(text.Fold(a.name("en")), text.Fold(b.name("en"))), strings.Compare(a.id, b.id))
	})
	return nil
}
