package samlsp

import (
	"slices"

	"github.com/crewjam/saml"
)

// known is an attribute under the names that services use for it: those of eduPerson (REFEDS) as
// identifiers of objects and as URNs, those of Microsoft, and plain ones. The first one is what
// rules call it.
type known []string

var (
	mail        = known{"mail", "urn:oid:0.9.2342.19200300.100.1.3", mace + "mail", wsClaims + "emailaddress", "email"}
	displayName = known{"displayName", "urn:oid:2.16.840.1.113730.3.1.241", mace + "displayName", microsoft + "displayname"}
	commonName  = known{"cn", "urn:oid:2.5.4.3", mace + "cn"}
	givenName   = known{"givenName", "urn:oid:2.5.4.42", mace + "givenName", wsClaims + "givenname"}
	surname     = known{"sn", "urn:oid:2.5.4.4", mace + "sn", wsClaims + "surname"}

	pairwiseID    = known{"pairwise-id", "urn:oasis:names:tc:SAML:attribute:pairwise-id"}
	subjectID     = known{"subject-id", "urn:oasis:names:tc:SAML:attribute:subject-id"}
	objectID      = known{"objectidentifier", microsoft + "objectidentifier"}
	targetedID    = known{"eduPersonTargetedID", eduPerson + "1.1.10"}
	uniqueID      = known{"eduPersonUniqueId", eduPerson + "1.1.13"}
	principalName = known{"eduPersonPrincipalName", eduPerson + "1.1.6", mace + "eduPersonPrincipalName"}

	affiliation       = known{"eduPersonAffiliation", eduPerson + "1.1.1", mace + "eduPersonAffiliation"}
	scopedAffiliation = known{"eduPersonScopedAffiliation", eduPerson + "1.1.9", mace + "eduPersonScopedAffiliation"}
	entitlement       = known{"eduPersonEntitlement", eduPerson + "1.1.7", mace + "eduPersonEntitlement"}
	memberOf          = known{"isMemberOf", eduPerson + "5.1.1"}
	groups            = known{"groups", "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups", "http://schemas.xmlsoap.org/claims/Group"}
)

const (
	eduPerson = "urn:oid:1.3.6.1.4.1.5923.1."
	mace      = "urn:mace:dir:attribute-def:"
	wsClaims  = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
	microsoft = "http://schemas.microsoft.com/identity/claims/"
)

// usual are the attributes that rules may call by their first names.
var usual = []known{
	mail, displayName, commonName, givenName, surname, pairwiseID, subjectID, objectID, targetedID, uniqueID, principalName,
	affiliation, scopedAffiliation, entitlement, memberOf, groups,
}

// single are the usual attributes of which a person has one value.
var single = []known{
	mail, displayName, commonName, givenName, surname, pairwiseID, subjectID, objectID, targetedID, uniqueID, principalName,
}

// scoped are the attributes whose values end with a domain, of which the service must be entitled to
// speak. Their values do not depend on case.
var scoped = []known{pairwiseID, subjectID, uniqueID, principalName, scopedAffiliation}

// values has the attributes of an assertion by their formal names and, apart from these, by the names
// that are meant for people.
type values struct{ formal, friendly map[string][]string }

const (
	maxValues = 500     // of all attributes together
	maxValue  = 4 << 10 // bytes of one
)

func valuesOf(a *saml.Assertion) values {
	v := values{map[string][]string{}, map[string][]string{}}
	count := 0
	for _, statement := range a.AttributeStatements {
		for _, attribute := range statement.Attributes {
			for _, value := range attribute.Values {
				text := value.Value
				if value.NameID != nil {
					text = value.NameID.Value
				}
				if count++; text == "" || len(text) > maxValue || count > maxValues {
					continue
				}
				v.formal[attribute.Name] = append(v.formal[attribute.Name], text)
				if attribute.FriendlyName != "" {
					v.friendly[attribute.FriendlyName] = append(v.friendly[attribute.FriendlyName], text)
				}
			}
		}
	}
	return v
}

// all returns the values of an attribute. A name for people counts only where no formal one is given.
func (v values) all(names known) []string {
	for _, name := range names {
		if found := v.formal[name]; len(found) > 0 {
			return found
		}
	}
	for _, name := range names {
		if found := v.friendly[name]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// one returns the first value, "" without any.
func (v values) one(names known) string {
	if found := v.all(names); len(found) > 0 {
		return found[0]
	}
	return ""
}

// keepScoped removes the values of scoped attributes of whose domains the service may not speak.
func (v values) keepScoped(s *service) {
	for _, names := range scoped {
		for _, name := range names {
			for _, side := range []map[string][]string{v.formal, v.friendly} {
				side[name] = slices.DeleteFunc(side[name], func(value string) bool { return !s.speaksFor(value) })
				if len(side[name]) == 0 {
					delete(side, name)
				}
			}
		}
	}
}
