// Package samlsp is a SAML 2.0 service provider: it lets people sign in at the identity providers of
// universities and federations (Shibboleth, SimpleSAMLphp, ADFS, Entra, Google).
//
// Answers come through a browser, so anybody can write one. Package saml checks their signatures and
// reads what lies inside of them alone; before it does, an answer whose form leaves any doubt about
// what was signed is refused here (see checkForm). Each answer belongs to one request, which the
// ticket of a browser holds, and a ticket is used once: an assertion is as well.
package samlsp

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/text"
)

// Provider is one service, or a federation of services.
type Provider struct {
	Name     string
	Metadata string // address, or path of a file
	// Signers are those who may have signed the metadata. Without any their signature is not checked.
	Signers    []*x509.Certificate
	EntityID   string // of the service that is meant in an aggregate; "": the only one, or each person chooses
	Attributes Attributes
	Private    bool // the metadata may be in a private network
	// Rules returns what the attributes of a person give them; nil: nothing.
	Rules func(attributes []byte) identity.Grants
}

// Attributes are the names of attributes in assertions. Empty ones mean the usual names.
type Attributes struct{ ID, Mail, Name string }

// Options are what all providers share.
type Options struct {
	BaseURL     string // of Octavo, without a slash at the end
	ServiceName string // for the metadata
	Agent       string // User-Agent
	Development bool   // allows http at loopback addresses
	Now         func() time.Time
	Log         *slog.Logger
	// Key returns the key that signs requests and decrypts assertions.
	Key func() (*rsa.PrivateKey, error)
	// Others are keys that decrypt, too, and are in the metadata: the next one, or the previous one.
	Others []*rsa.PrivateKey
}

// Client implements external.ProviderClient. It is safe for concurrent use.
type Client struct{ providers map[string]*provider }

// provider is a Provider with what is known of it.
type provider struct {
	Provider
	Options
	*source
	certificate func() (*x509.Certificate, error) // of Key
}

// New returns a Client, or an error for metadata at an address that is not allowed. It does not
// connect, because a provider may be down when the program starts.
func New(all []Provider, o Options) (*Client, error) {
	c := &Client{providers: map[string]*provider{}}
	certificate := sync.OnceValues(func() (*x509.Certificate, error) {
		key, err := o.Key()
		if err != nil {
			return nil, err
		}
		return certificateOf(key, o.BaseURL)
	})
	for _, p := range all {
		source, err := newSource(p, o)
		if err != nil {
			return nil, fmt.Errorf("%s: metadata: %w", p.Name, err)
		}
		c.providers[p.Name] = &provider{p, o, source, certificate}
	}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() {
	for _, p := range c.providers {
		p.close()
	}
}

// Warm loads all metadata, so that nobody waits for an aggregate.
func (c *Client) Warm(ctx context.Context) {
	for _, p := range c.providers {
		if _, err := p.current(ctx); err != nil {
			p.Log.WarnContext(ctx, "the metadata of a SAML provider could not be loaded", "provider", p.Name, "error", err)
		}
	}
}

// CheckProvider loads the metadata of a provider, and returns what they describe.
func (c *Client) CheckProvider(ctx context.Context, name string) (string, error) {
	p, err := c.provider(name)
	if err != nil {
		return "", err
	}
	all, err := p.current(ctx)
	if err != nil {
		return "", err
	}
	if p.chooses(all) {
		return text.Count(len(all.entries), "identity provider", "identity providers"), nil
	}
	e, err := all.find(p.EntityID)
	if err != nil {
		return "", err
	}
	_, err = described(e)
	return e.id, err
}

func (c *Client) provider(name string) (*provider, error) {
	if p, ok := c.providers[name]; ok {
		return p, nil
	}
	return nil, identity.ErrUnknownProvider
}

// chooses reports whether each person chooses a service of the federation.
func (p *provider) chooses(all *catalogue) bool { return all.aggregate && p.EntityID == "" }

// find returns the service that a request is for.
func (p *provider) find(ctx context.Context, chosen string) (*service, error) {
	all, err := p.current(ctx)
	if err != nil {
		return nil, because(identity.ErrUnreachable, err)
	}
	id := p.EntityID
	if p.chooses(all) {
		id = chosen
	}
	e, err := all.find(id)
	if err != nil {
		return nil, because(identity.ErrUnknownProvider, err)
	}
	s, err := p.service(e)
	if err != nil {
		return nil, because(identity.ErrUnreachable, err)
	}
	s.federated = p.chooses(all)
	return s, nil
}

// FindServices returns those services of a federation that have all words in a name, a domain or their
// address, at most as many as the bound, with their names in a language. chosen is false if people have
// no choice, because the metadata or the settings name one service.
func (c *Client) FindServices(ctx context.Context, name, words, lang string, most int) (found []identity.Service, chosen bool, err error) {
	p, err := c.provider(name)
	if err != nil {
		return nil, false, err
	}
	all, err := p.current(ctx)
	if err != nil {
		return nil, false, because(identity.ErrUnreachable, err)
	}
	if !p.chooses(all) {
		return nil, false, nil
	}
	for _, e := range all.search(words, most) {
		found = append(found, identity.Service{ID: e.id, Name: e.name(lang)})
	}
	return found, true, nil
}

// service is one service with which people sign in.
type service struct {
	saml.ServiceProvider
	*entry
	federated bool
}

// service returns the library's view of a service, which is made anew for each use.
func (p *provider) service(e *entry) (*service, error) {
	described, err := described(e)
	if err != nil {
		return nil, err
	}
	own, err := p.itself()
	if err != nil {
		return nil, err
	}
	own.IDPMetadata = described
	return &service{ServiceProvider: *own, entry: e}, nil
}

// described returns what metadata say about a service, if that is enough for sign-ins.
func described(e *entry) (*saml.EntityDescriptor, error) {
	d, err := e.descriptor()
	if err != nil {
		return nil, fmt.Errorf("the metadata of %.100q: %w", e.id, err)
	}
	sp := saml.ServiceProvider{IDPMetadata: d}
	if sp.GetSSOBindingLocation(saml.HTTPRedirectBinding) == "" {
		return nil, fmt.Errorf("%.100q offers no sign-in with HTTP-Redirect", e.id)
	}
	return d, nil
}

// itself describes Octavo as a service provider.
func (p *provider) itself() (*saml.ServiceProvider, error) {
	key, err := p.Key()
	if err != nil {
		return nil, err
	}
	certificate, err := p.certificate()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(p.BaseURL + "/auth/saml/" + url.PathEscape(p.Name))
	if err != nil {
		return nil, err
	}
	return &saml.ServiceProvider{
		EntityID: base.String() + "/metadata", MetadataURL: *base.JoinPath("metadata"),
		AcsURL: *base.JoinPath("acs"), SloURL: *base.JoinPath("slo"),
		Key: key, Certificate: certificate, SignatureMethod: dsig.RSASHA256SignatureMethod,
		LogoutBindings:                   []string{saml.HTTPRedirectBinding, saml.HTTPPostBinding},
		AssertionConsumerServiceBindings: []string{saml.HTTPPostBinding},
		AuthnNameIDFormat:                saml.UnspecifiedNameIDFormat, MetadataOmitValidUntil: true,
		DecryptionKeys:       p.Others,
		RejectSHA1Signatures: true, RejectExpiredIDPMetadata: true, IgnoreCertificateExpiry: true, LimitRelayStateLength: true,
		Clock: dsig.NewFakeClockAt(p.Now()), // it is used once
	}, nil
}

// AuthorizationURL implements external.ProviderClient.
func (c *Client) AuthorizationURL(ctx context.Context, name string, r identity.Request) (string, error) {
	p, err := c.provider(name)
	if err != nil {
		return "", err
	}
	s, err := p.find(ctx, r.Service)
	if err != nil {
		return "", err
	}
	if r.Login || r.MaxAge == "0" {
		force := true
		s.ForceAuthn = &force
	}
	s.RequestedAuthnContext = classesFor(r.Freshness)
	at := s.GetSSOBindingLocation(saml.HTTPRedirectBinding)
	request, err := s.MakeAuthenticationRequest(at, saml.HTTPRedirectBinding, saml.HTTPPostBinding)
	if err != nil {
		return "", err
	}
	request.ID = requestID(r)
	to, err := request.Redirect(r.State, &s.ServiceProvider)
	if err != nil {
		return "", err
	}
	return to.String(), nil
}

// classesFor returns the classes of sign-ins that a service is asked for, the best first; nil without a
// wish. A service must choose one of them or refuse, so the usual one is among them: a second factor of
// Octavo's own may follow.
func classesFor(f identity.Freshness) *saml.RequestedAuthnContext {
	var all []string
	for _, class := range strings.Fields(f.ACRValues) {
		if strings.HasPrefix(class, "https://refeds.org/") || strings.HasPrefix(class, classes) {
			all = append(all, class)
		}
	}
	if f.Strong {
		all = append(all, twoFactors...)
	}
	if len(all) == 0 {
		return nil
	}
	all = append(all, classes+"PasswordProtectedTransport", classes+"unspecified")
	return &saml.RequestedAuthnContext{Comparison: "exact", AuthnContextClassRefs: all}
}

// requestID is the ID of the request of a ticket. It follows from a secret of the ticket, so that the
// ticket knows which answer it waits for.
func requestID(r identity.Request) string {
	sum := sha256.Sum256([]byte("saml request " + r.Nonce))
	return "id-" + hex.EncodeToString(sum[:20])
}

// Metadata returns the description of Octavo that the operator of a provider needs.
func (c *Client) Metadata(name string) ([]byte, error) {
	p, err := c.provider(name)
	if err != nil {
		return nil, err
	}
	own, err := p.itself()
	if err != nil {
		return nil, err
	}
	described := own.Metadata()
	role := &described.SPSSODescriptors[0]
	role.AttributeConsumingServices = []saml.AttributeConsumingService{p.wanted()}
	for _, key := range p.Others {
		other, err := certificateOf(key, p.BaseURL)
		if err != nil {
			return nil, err
		}
		role.KeyDescriptors = append(role.KeyDescriptors, keyIn(other, "encryption"), keyIn(other, "signing"))
	}
	text, err := xml.MarshalIndent(described, "", "  ")
	return append([]byte(xml.Header), text...), err
}

// keyIn describes a key in metadata.
func keyIn(c *x509.Certificate, use string) saml.KeyDescriptor {
	d := saml.KeyDescriptor{Use: use}
	d.KeyInfo.X509Data.X509Certificates = []saml.X509Certificate{{Data: base64.StdEncoding.EncodeToString(c.Raw)}}
	return d
}

// maxCause limits what a provider can write to the log, in bytes.
const maxCause = 300

// because adds a cause for the log to an error for people.
func because(shown, cause error) error {
	return fmt.Errorf("%w: %s", shown, text.Line(cause.Error(), maxCause))
}
