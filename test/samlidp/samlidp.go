// Package samlidp is a SAML 2.0 identity provider that writes what a test tells it to: good answers,
// and those of an attacker.
package samlidp

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"encoding/xml"
	"io"
	"math/big"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	"github.com/crewjam/saml/xmlenc"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/octavo-books/octavo/test/must"
)

// Provider is an identity provider.
type Provider struct {
	t           testing.TB
	EntityID    string
	Key         *rsa.PrivateKey
	Certificate *x509.Certificate
}

// Federation writes an aggregate of providers, with their names and scopes.
func Federation(t testing.TB, all map[string]*Provider, scopes map[string]string) []byte {
	t.Helper()
	f := saml.EntitiesDescriptor{}
	for name, i := range all {
		d := i.Descriptor(i.EntityID)
		role := &d.IDPSSODescriptors[0]
		role.Organization = &saml.Organization{OrganizationDisplayNames: []saml.LocalizedName{{Lang: "en", Value: name}}}
		role.Extensions = &saml.Extensions{ShibbolethScopes: []saml.ShibbolethScope{{Value: scopes[name]}}}
		f.EntityDescriptors = append(f.EntityDescriptors, *d)
	}
	return must.Get(xml.Marshal(f))(t)
}

var keys sync.Map // of int to *rsa.PrivateKey: making one takes long

// Key returns one of the keys that all tests of a process share.
func Key(t testing.TB, number int) *rsa.PrivateKey {
	t.Helper()
	if known, ok := keys.Load(number); ok {
		return known.(*rsa.PrivateKey)
	}
	made, _ := keys.LoadOrStore(number, must.Get(rsa.GenerateKey(rand.Reader, 2048))(t))
	return made.(*rsa.PrivateKey)
}

// New returns an identity provider with one of the shared keys.
func New(t testing.TB, entityID string, key int) *Provider {
	t.Helper()
	i := &Provider{t: t, EntityID: entityID, Key: Key(t, key)}
	i.Certificate = Certificate(t, i.Key)
	return i
}

// PEM writes a key as programs read it.
func PEM(t testing.TB, key *rsa.PrivateKey) []byte {
	t.Helper()
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must.Get(x509.MarshalPKCS8PrivateKey(key))(t)})
}

// Certificate returns a certificate that signs itself. It has expired, as those in metadata often have.
func Certificate(t testing.TB, key *rsa.PrivateKey) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "idp"},
		NotBefore: time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	return must.Get(x509.ParseCertificate(der))(t)
}

// Descriptor describes the provider, whose pages are below base.
func (i *Provider) Descriptor(base string) *saml.EntityDescriptor {
	return &saml.EntityDescriptor{EntityID: i.EntityID, IDPSSODescriptors: []saml.IDPSSODescriptor{{
		SSODescriptor: saml.SSODescriptor{
			RoleDescriptor: saml.RoleDescriptor{
				ProtocolSupportEnumeration: "urn:oasis:names:tc:SAML:2.0:protocol",
				KeyDescriptors: []saml.KeyDescriptor{{Use: "signing", KeyInfo: saml.KeyInfo{X509Data: saml.X509Data{
					X509Certificates: []saml.X509Certificate{{Data: base64.StdEncoding.EncodeToString(i.Certificate.Raw)}},
				}}}},
			},
			SingleLogoutServices: []saml.Endpoint{{Binding: saml.HTTPRedirectBinding, Location: base + "/slo"}},
		},
		SingleSignOnServices: []saml.Endpoint{{Binding: saml.HTTPRedirectBinding, Location: base + "/sso"}},
	}}}
}

// Metadata are those of Descriptor as a document.
func (i *Provider) Metadata(base string) []byte {
	i.t.Helper()
	return must.Get(xml.Marshal(i.Descriptor(base)))(i.t)
}

// Request returns the request with which a browser comes to the address.
func Request(t testing.TB, address string) *saml.AuthnRequest {
	t.Helper()
	u := must.Get(url.Parse(address))(t)
	packed := must.Get(base64.StdEncoding.DecodeString(u.Query().Get("SAMLRequest")))(t)
	r := &saml.AuthnRequest{}
	must.Do(t, xml.Unmarshal(must.Get(io.ReadAll(flate.NewReader(bytes.NewReader(packed))))(t), r))
	return r
}

// LogoutAddress is where a browser goes with the request to end a session.
func (i *Provider) LogoutAddress(slo, name, index string) string {
	i.t.Helper()
	whom := i.Descriptor("")
	whom.IDPSSODescriptors[0].SingleLogoutServices[0].Location = slo
	sp := &saml.ServiceProvider{EntityID: i.EntityID, Key: i.Key, Certificate: i.Certificate, SignatureMethod: dsig.RSASHA256SignatureMethod, IDPMetadata: whom}
	exact := func(r *saml.LogoutRequest) {
		r.NameID = &saml.NameID{Format: string(saml.PersistentNameIDFormat), Value: name}
	}
	return must.Get(sp.MakeRedirectLogoutRequest(name, "back", exact, saml.WithSessionIndex(index)))(i.t).String()
}

// LogoutAnswer is the address at which the provider says that its session has ended, as a request wanted.
func (i *Provider) LogoutAnswer(slo, request string) string {
	i.t.Helper()
	whom := i.Descriptor("")
	whom.IDPSSODescriptors[0].SingleLogoutServices[0].Location = slo
	sp := &saml.ServiceProvider{EntityID: i.EntityID, Key: i.Key, Certificate: i.Certificate, SignatureMethod: dsig.RSASHA256SignatureMethod, IDPMetadata: whom}
	return must.Get(sp.MakeRedirectLogoutResponse(request, ""))(i.t).String()
}

// Answer is what a test wants of an answer.
type Answer struct {
	Service   string // the entity ID of the service provider
	ACS       string // where it takes answers
	RequestID string
	Now       time.Time
	NameID    saml.NameID
	// Values are attributes by their names.
	Values map[string][]string
	// Response signs the whole answer, Bare leaves the assertion without a signature.
	Response, Bare bool
	Encrypt        *x509.Certificate // for whom the assertion is encrypted; nil: it is not
	Method         string            // of signatures; "": RSA with SHA-256
	// Change changes the assertion before it is signed, Shape the answer around it.
	Change func(a *saml.Assertion)
	Shape  func(r *saml.Response)
	// Edit changes the assertion as it will be signed, Break the signed answer.
	Edit, Break func(e *etree.Element)
}

// Document writes an answer.
func (i *Provider) Document(a Answer) *etree.Document {
	i.t.Helper()
	assertion := i.assertion(a)
	if a.Change != nil {
		a.Change(assertion)
	}
	e := assertion.Element()
	if a.Edit != nil {
		a.Edit(e)
	}
	if !a.Bare {
		e = i.Sign(e, a.Method)
	}
	r := &saml.Response{
		ID: "response-" + a.RequestID, InResponseTo: a.RequestID, Version: "2.0", IssueInstant: a.Now, Destination: a.ACS,
		Issuer: &saml.Issuer{Value: i.EntityID}, Status: saml.Status{StatusCode: saml.StatusCode{Value: saml.StatusSuccess}},
	}
	if a.Shape != nil {
		a.Shape(r)
	}
	root := r.Element()
	if a.Encrypt != nil {
		e = i.encrypt(e, a.Encrypt)
	}
	root.AddChild(e)
	if a.Response {
		root = i.Sign(root, a.Method)
	}
	if a.Break != nil {
		a.Break(root)
	}
	document := etree.NewDocument()
	document.SetRoot(root)
	return document
}

// Encode writes an answer as browsers post it.
func (i *Provider) Encode(a Answer) string {
	i.t.Helper()
	return base64.StdEncoding.EncodeToString(must.Get(i.Document(a).WriteToBytes())(i.t))
}

// EncodeEncrypted is Encode with another assertion, which is encrypted.
func (i *Provider) EncodeEncrypted(a Answer, assertion *etree.Element, whom *x509.Certificate) string {
	i.t.Helper()
	document := i.Document(a)
	root := document.Root()
	root.RemoveChild(root.SelectElement("Assertion"))
	root.AddChild(i.encrypt(assertion, whom))
	return base64.StdEncoding.EncodeToString(must.Get(document.WriteToBytes())(i.t))
}

func (i *Provider) assertion(a Answer) *saml.Assertion {
	made := &saml.Assertion{
		ID: "assertion-" + a.RequestID, IssueInstant: a.Now, Version: "2.0", Issuer: saml.Issuer{Value: i.EntityID},
		Subject: &saml.Subject{NameID: &a.NameID, SubjectConfirmations: []saml.SubjectConfirmation{{
			Method: "urn:oasis:names:tc:SAML:2.0:cm:bearer",
			SubjectConfirmationData: &saml.SubjectConfirmationData{
				NotOnOrAfter: a.Now.Add(5 * time.Minute), Recipient: a.ACS, InResponseTo: a.RequestID,
			},
		}}},
		Conditions: &saml.Conditions{
			NotBefore: a.Now, NotOnOrAfter: a.Now.Add(5 * time.Minute),
			AudienceRestrictions: []saml.AudienceRestriction{{Audience: saml.Audience{Value: a.Service}}},
		},
		AuthnStatements: []saml.AuthnStatement{{
			AuthnInstant: a.Now, SessionIndex: "session-1",
			AuthnContext: saml.AuthnContext{AuthnContextClassRef: &saml.AuthnContextClassRef{Value: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"}},
		}},
	}
	statement := saml.AttributeStatement{}
	for name, all := range a.Values {
		attribute := saml.Attribute{Name: name, NameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"}
		for _, value := range all {
			attribute.Values = append(attribute.Values, saml.AttributeValue{Type: "xs:string", Value: value})
		}
		statement.Attributes = append(statement.Attributes, attribute)
	}
	if len(a.Values) > 0 {
		made.AttributeStatements = []saml.AttributeStatement{statement}
	}
	return made
}

// Sign signs an element in the way of SAML: the signature follows the issuer.
func (i *Provider) Sign(e *etree.Element, method string) *etree.Element {
	i.t.Helper()
	with := must.Get(dsig.NewSigningContext(i.Key, [][]byte{i.Certificate.Raw}))(i.t)
	with.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if method != "" {
		must.Do(i.t, with.SetSignatureMethod(method))
	}
	made := must.Get(with.SignEnveloped(e))(i.t)
	signature := made.Child[len(made.Child)-1]
	made.RemoveChildAt(len(made.Child) - 1)
	at := 0
	if issuer := made.SelectElement("Issuer"); issuer != nil {
		at = issuer.Index() + 1
	}
	made.InsertChildAt(at, signature)
	return made
}

func (i *Provider) encrypt(e *etree.Element, whom *x509.Certificate) *etree.Element {
	document := etree.NewDocument()
	document.SetRoot(e)
	with := xmlenc.OAEP()
	with.BlockCipher = xmlenc.AES256GCM
	data := must.Get(with.Encrypt(whom, must.Get(document.WriteToBytes())(i.t), nil))(i.t)
	data.CreateAttr("Type", "http://www.w3.org/2001/04/xmlenc#Element")
	around := etree.NewElement("saml:EncryptedAssertion")
	around.CreateAttr("xmlns:saml", "urn:oasis:names:tc:SAML:2.0:assertion")
	around.AddChild(data)
	return around
}
