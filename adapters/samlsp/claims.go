package samlsp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/crewjam/saml"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/text"
)

// classes begins the names of the classes of sign-ins that SAML has itself.
const classes = "urn:oasis:names:tc:SAML:2.0:ac:classes:"

// twoFactors are the classes of sign-ins with more than one factor.
var twoFactors = []string{
	"https://refeds.org/profile/mfa", "http://schemas.microsoft.com/claims/multipleauthn", classes + "MobileTwoFactorContract",
}

// claims returns what a verified assertion says about the person.
func (p *provider) claims(s *service, a *saml.Assertion) (identity.Claims, error) {
	v := valuesOf(a)
	v.keepScoped(s)
	subject, err := p.subject(s, v, a.Subject.NameID)
	if err != nil {
		return identity.Claims{}, err
	}
	c := identity.Claims{Subject: subject, Email: p.address(v, a.Subject.NameID), Name: p.name(v)}
	c.Session, c.SID = s.sessionOf(a), s.sid(a)
	c.EmailVerified = !s.federated || s.speaksFor(c.Email)
	for _, statement := range a.AuthnStatements {
		if class := statement.AuthnContext.AuthnContextClassRef; class != nil && slices.Contains(twoFactors, class.Value) {
			c.Methods = session.ExternalMethods([]string{"mfa"})
		}
	}
	c.AuthenticatedAt = provedAt(a.AuthnStatements, p.Now())
	if c.Grants, err = p.grants(s, v); err != nil {
		return identity.Claims{}, err
	}
	return c, nil
}

// grants returns what the rules of the provider give for the attributes.
func (p *provider) grants(s *service, v values) (identity.Grants, error) {
	if p.Rules == nil {
		return identity.Grants{}, nil
	}
	text, err := json.Marshal(v.rules(s))
	if err != nil {
		return identity.Grants{}, err
	}
	return p.Rules(text), nil
}

// provedAt returns when the person proved who they are, if the service says so.
func provedAt(all []saml.AuthnStatement, now time.Time) (at time.Time) {
	for _, statement := range all {
		if instant := statement.AuthnInstant.UTC(); instant.After(at) {
			at = instant
		}
	}
	if at.After(now) {
		return now
	}
	return at
}

// byName is the value of attributes that stands for the NameID.
const byName = "NameID"

// lasting are the attributes that name a person for good, the best first.
var lasting = []known{pairwiseID, subjectID, objectID, targetedID, uniqueID}

// subject returns what names the person for good. A transient NameID does not.
func (p *provider) subject(s *service, v values, named *saml.NameID) (string, error) {
	id := p.lastingID(v, named)
	if id == "" || !text.Storable(id) {
		return "", errors.New("the answer names the person by nothing that lasts: ask the operator to release pairwise-id, eduPersonPrincipalName or a persistent NameID, or name an attribute in attributes.id")
	}
	if s.federated { // each service chooses its own
		id = s.id + "!" + id
	}
	if len(id) > identity.MaxSubject {
		sum := sha256.Sum256([]byte(id))
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	return id, nil
}

func (p *provider) lastingID(v values, named *saml.NameID) string {
	switch p.Attributes.ID {
	case "":
	case byName:
		return idOf(named, "")
	default:
		return v.one(known{p.Attributes.ID})
	}
	for _, names := range lasting {
		if id := v.one(names); id != "" {
			return foldScoped(names, id)
		}
	}
	if id := idOf(named, string(saml.PersistentNameIDFormat)); id != "" {
		return id
	}
	if id := v.one(principalName); id != "" {
		return foldScoped(principalName, id)
	}
	return idOf(named, "")
}

// foldScoped makes values alike that differ in case alone, where the standard says so.
func foldScoped(names known, id string) string {
	if slices.ContainsFunc(scoped, func(one known) bool { return one[0] == names[0] }) {
		return strings.ToLower(id)
	}
	return id
}

// idOf returns a NameID of a format, or of any that lasts.
func idOf(n *saml.NameID, format string) string {
	if n == nil || n.Format == string(saml.TransientNameIDFormat) || format != "" && n.Format != format {
		return ""
	}
	return n.Value
}

func (p *provider) address(v values, named *saml.NameID) string {
	if p.Attributes.Mail == byName {
		return idOf(named, "")
	}
	if p.Attributes.Mail != "" {
		return v.one(known{p.Attributes.Mail})
	}
	return cmp.Or(v.one(mail), idOf(named, string(saml.EmailAddressNameIDFormat)))
}

func (p *provider) name(v values) string {
	if p.Attributes.Name != "" {
		return v.one(known{p.Attributes.Name})
	}
	return cmp.Or(v.one(displayName), strings.TrimSpace(v.one(givenName)+" "+v.one(surname)), v.one(commonName))
}

// speaksFor reports whether the service is entitled to speak of the domain of an address or of a
// scoped value: one of its scopes. A service without scopes speaks for itself, unless a federation has
// vouched for it and for no scope.
func (s *service) speaksFor(value string) bool {
	at := strings.LastIndexByte(value, '@')
	if at < 0 {
		return false
	}
	if len(s.scopes) == 0 {
		return !s.federated
	}
	domain := strings.ToLower(value[at+1:])
	return slices.ContainsFunc(s.scopes, func(one scope) bool { return one.covers(domain) })
}

func (s scope) covers(domain string) bool {
	if !s.regexp {
		return strings.EqualFold(s.text, domain)
	}
	pattern, err := regexp.Compile("^(?:" + s.text + ")$")
	return err == nil && pattern.MatchString(domain)
}

// issuer is what rules call the entity ID of the service that signed a person in, as in OpenID Connect.
const issuer = "iss"

// rules returns what rules about claims may look at: each attribute by its formal name, and the usual
// ones by the names that people know. An attribute is a list, but a text if it says who a person is. An
// address of which the service may not speak is left out: in a federation anybody could claim it.
func (v values) rules(s *service) map[string]any {
	all := map[string]any{}
	for name, found := range v.formal {
		all[name] = found
	}
	for _, names := range usual {
		if found := v.all(names); len(found) > 0 {
			all[names[0]] = found
		}
	}
	for _, names := range single {
		if one := v.one(names); one != "" {
			all[names[0]] = one
		}
	}
	if s.federated && !s.speaksFor(v.one(mail)) {
		for _, name := range mail {
			delete(all, name)
		}
	}
	all[issuer] = s.id
	return all
}

// byURI says that the name of an attribute is an address.
const byURI = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"

// wanted are the attributes that Octavo asks for in its metadata.
func (p *provider) wanted() saml.AttributeConsumingService {
	name := saml.LocalizedName{Lang: "en", Value: cmp.Or(p.ServiceName, "Octavo")}
	service := saml.AttributeConsumingService{Index: 1, ServiceNames: []saml.LocalizedName{name}}
	for _, names := range []known{mail, displayName, pairwiseID, principalName, affiliation} {
		required := names[0] == mail[0]
		service.RequestedAttributes = append(service.RequestedAttributes, saml.RequestedAttribute{
			Attribute:  saml.Attribute{FriendlyName: names[0], Name: names[1], NameFormat: byURI},
			IsRequired: &required,
		})
	}
	return service
}
