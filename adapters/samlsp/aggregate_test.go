package samlsp

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
	"github.com/octavo-books/octavo/test/servers"
)

const entityHead = `<md:EntityDescriptor entityID="%s"><md:Extensions><mdattr:EntityAttributes xmlns:mdattr="urn:oasis:names:tc:SAML:metadata:attribute"><saml:Attribute xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Name="http://macedir.org/entity-category"><saml:AttributeValue>%s</saml:AttributeValue></saml:Attribute></mdattr:EntityAttributes></md:Extensions>`

// describe writes the description of a service in a federation.
func describe(w io.Writer, id, name, scope, category, certificate string) {
	_, _ = fmt.Fprintf(w, entityHead, id, category)
	_, _ = fmt.Fprintf(w, `<md:IDPSSODescriptor protocolSupportEnumeration="urn:mace:shibboleth:1.0 urn:oasis:names:tc:SAML:2.0:protocol"><md:Extensions><shibmd:Scope xmlns:shibmd="urn:mace:shibboleth:metadata:1.0" regexp="false">%s</shibmd:Scope>
<mdui:UIInfo xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui"><mdui:DisplayName xml:lang="en">%s</mdui:DisplayName><mdui:DisplayName xml:lang="fr">L’%s</mdui:DisplayName></mdui:UIInfo></md:Extensions>
<md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>%s</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="%s/sso?a=1&amp;b=2"/></md:IDPSSODescriptor></md:EntityDescriptor>`, scope, name, name, certificate, id)
}

// federation writes an aggregate of two universities, one that hides, and a service that signs nobody in.
func federation(t testing.TB) *etree.Element {
	t.Helper()
	certificate := base64.StdEncoding.EncodeToString(samlidp.New(t, "", 1).Certificate.Raw)
	var b bytes.Buffer
	b.WriteString(`<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="_all" Name="federation" validUntil="2026-10-01T00:00:00Z"><!-- the members -->`)
	describe(&b, "https://idp.rochester.edu", "University of Rochester", "rochester.edu", "x", certificate)
	b.WriteString(`<md:EntitiesDescriptor validUntil="2026-09-20T00:00:00Z">`)
	describe(&b, "https://idp.zuerich.ch", "Universität Zürich &amp; ETH", "uzh.ch", "x", certificate)
	describe(&b, "https://idp.hidden.edu", "Hidden College", "hidden.edu", hideFromLists, certificate)
	b.WriteString("</md:EntitiesDescriptor>\n<md:EntityDescriptor entityID=\"https://wiki.example.org\"><md:SPSSODescriptor protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\"/></md:EntityDescriptor></md:EntitiesDescriptor>")
	document := etree.NewDocument()
	must.Do(t, document.ReadFromBytes(b.Bytes()))
	return document.Root()
}

func written(t testing.TB, root *etree.Element) []byte {
	t.Helper()
	document := etree.NewDocument()
	document.SetRoot(root)
	return must.Get(document.WriteToBytes())(t)
}

func names(all []*entry) (names []string) {
	for _, e := range all {
		names = append(names, e.name("en"))
	}
	return names
}

func TestAFederationIsReadOnceAndSearched(t *testing.T) {
	operator := samlidp.New(t, "", 2)
	text := written(t, operator.Sign(federation(t), ""))
	all := must.Get(loadMetadata(bytes.NewReader(text), []*x509.Certificate{samlidp.New(t, "", 1).Certificate, operator.Certificate}, ""))(t)
	if len(all.entries) != 3 || !all.aggregate {
		t.Fatalf("%d services", len(all.entries))
	}
	for words, want := range map[string][]string{
		"": {"Universität Zürich & ETH", "University of Rochester"}, "rochester": {"University of Rochester"}, "univ ZURICH": {"Universität Zürich & ETH"},
		"uzh.ch": {"Universität Zürich & ETH"}, "l’university": {"University of Rochester"}, "hidden": nil, "nowhere": nil,
	} {
		if got := names(all.search(words, 10)); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
	if got := all.search("", 1); len(got) != 1 {
		t.Errorf("of a bound of 1: %d", len(got))
	}
	zurich := must.Get(all.find("https://idp.zuerich.ch"))(t)
	d := must.Get(zurich.descriptor())(t)
	if d.EntityID != zurich.id || d.ValidUntil.Format("01-02") != "09-20" || zurich.name("fr") != "L’Universität Zürich & ETH" || !slices.Equal(zurich.scopes, []scope{{"uzh.ch", false}}) {
		t.Errorf("%+v of %+v", zurich, d)
	}
	if location := d.IDPSSODescriptors[0].SingleSignOnServices[0].Location; location != "https://idp.zuerich.ch/sso?a=1&b=2" {
		t.Errorf("its address is %q", location)
	}
}

func TestMetadataThatAreOddButClearAreRead(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" validUntil="2026-10-01T00:00:00">`)
	describe(&b, "https://idp.one.edu", "One", "one.edu", "x", "AAAA")
	describe(&b, "https://idp.one.edu", "Another", "two.edu", "x", "AAAA")
	b.WriteString("</md:EntitiesDescriptor>")
	all := must.Get(loadMetadata(&b, nil, ""))(t)
	if len(all.entries) != 1 || all.entries[0].name("en") != "One" || all.byID["https://idp.one.edu"] != all.entries[0] || all.entries[0].validUntil.IsZero() {
		t.Errorf("%+v", all.entries)
	}
	const one = `<EntityDescriptor xmlns="` + spaceMetadata + `" entityID="https://x.edu"/>`
	if _, err := loadMetadata(strings.NewReader(one), nil, "https://y.edu"); err == nil || !strings.Contains(err.Error(), `with the entityID "https://y.edu"`) {
		t.Error(err)
	}
}

func TestMetadataThatTheFederationHasNotSignedAreRefused(t *testing.T) {
	operator := samlidp.New(t, "", 2)
	signers := []*x509.Certificate{operator.Certificate}
	good := string(written(t, operator.Sign(federation(t), "")))
	for name, c := range map[string]struct{ text, cause string }{
		"unsigned":              {string(written(t, federation(t))), "not signed"},
		"by somebody else":      {string(written(t, samlidp.New(t, "", 1).Sign(federation(t), ""))), "metadataCert"},
		"with SHA-1":            {string(written(t, operator.Sign(federation(t), "http://www.w3.org/2000/09/xmldsig#rsa-sha1"))), "rsa-sha1"},
		"a changed name":        {strings.Replace(good, "University of", "Universitx of", 1), "changed after"},
		"an added service":      {strings.Replace(good, "<md:EntityDescriptor", `<md:EntityDescriptor entityID="https://evil.example.org"/><md:EntityDescriptor`, 1), "changed after"},
		"a changed digest":      {strings.Replace(good, "<ds:DigestValue>", "<ds:DigestValue>AAAA", 1), "metadataCert"},
		"another ID":            {strings.Replace(good, `ID="_all"`, `ID="_other"`, 1), "is of"},
		"a signature elsewhere": {strings.Replace(good, "<ds:Signature", "<md:Extensions/><ds:Signature", 1), "not at their beginning"},
		"a second signature":    {strings.Replace(good, "</md:EntitiesDescriptor>\n", `</md:EntitiesDescriptor><ds:Signature xmlns:ds="`+spaceSignature+`"/>`, 1), "second signature"},
		"a document type":       {"<!DOCTYPE x>" + good, "document type"},
		"half of it":            {good[:len(good)/2], "EOF"},
		"a page":                {"<html/>", "no SAML metadata"},
		"nobody":                {`<EntitiesDescriptor xmlns="` + spaceMetadata + `"/>`, "not signed"},
	} {
		if all, err := loadMetadata(strings.NewReader(c.text), signers, ""); err == nil || all != nil || !strings.Contains(err.Error(), c.cause) {
			t.Errorf("%s: %v, want %q", name, err, c.cause)
		}
	}
}

// Another program signs in its own way: its canonical form is ours.
func TestMetadataSignedByAnotherProgramAreRead(t *testing.T) {
	tool := servers.Need(t, "xmlsec1", "apt-get install xmlsec1", "xmlsec1")
	operator := samlidp.New(t, "", 2)
	dir := t.TempDir()
	key := filepath.Join(dir, "key.pem")
	must.Do(t, os.WriteFile(key, samlidp.PEM(t, operator.Key), 0o600))
	const template = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"/>
<ds:Reference URI="#_all"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="xs #default"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature>`
	plain := string(written(t, federation(t)))
	at := strings.Index(plain, "<!-- the members -->")
	plain = plain[:at] + "\n\t" + template + plain[at:]
	plain = strings.Replace(plain, `<md:Extensions>`, `<md:Extensions><x xmlns="urn:x" b='"2"' a="1 &#10; 2" xmlns:z="urn:z" z:a="&lt;">a &gt; b&#13; <![CDATA[<c>]]><y xmlns=""/></x>`, 1)
	in, out := filepath.Join(dir, "in.xml"), filepath.Join(dir, "out.xml")
	must.Do(t, os.WriteFile(in, []byte(plain), 0o600))
	said, err := exec.CommandContext(t.Context(), tool, "--sign", "--privkey-pem", key, "--id-attr:ID", spaceMetadata+":EntitiesDescriptor", "--output", out, in).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	all, err := loadMetadata(bytes.NewReader(must.Get(os.ReadFile(out))(t)), []*x509.Certificate{operator.Certificate}, "")
	if err != nil || len(all.entries) != 3 {
		t.Errorf("%v, %+v", err, all)
	}
}

func TestAnAggregateFromAnAddressNeedsTheCertificateOfItsFederation(t *testing.T) {
	text := written(t, federation(t))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) }))
	defer server.Close()
	c := must.Get(New([]Provider{{Name: "all", Metadata: server.URL}}, optionsAt(t, fake.NewClock())))(t)
	defer c.Close()
	if _, err := c.CheckProvider(t.Context(), "all"); err == nil || !strings.Contains(err.Error(), "needs metadataCert") {
		t.Error(err)
	}
}

// In a federation each service chooses its own names for people, and speaks for its own domains.
func TestTheServicesOfAFederationAreKeptApart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "all.xml")
	must.Do(t, os.WriteFile(file, written(t, federation(t)), 0o600))
	w := newParty(t, func(p *Provider) { p.Metadata = file })
	w.idp.EntityID = "https://idp.rochester.edu"
	w.asked.Service = w.idp.EntityID
	a := w.answer()
	c := must.Get(w.redeem(t, w.idp.Encode(a)))(t)
	if c.Subject != "https://idp.rochester.edu!ann-4711" || c.EmailVerified {
		t.Errorf("an address of another domain: %+v", c)
	}
	a.Values = map[string][]string{mail[1]: {"ann@rochester.edu"}, pairwiseID[1]: {"ann@uzh.ch"}, principalName[1]: {"ann@rochester.edu"}}
	if c = must.Get(w.redeem(t, w.idp.Encode(a)))(t); c.Subject != "https://idp.rochester.edu!ann-4711" || !c.EmailVerified {
		t.Errorf("an id of another domain: %+v", c)
	}
	// The answer of one service is none to a request to another, even with the same key.
	w.asked.Service = "https://idp.zuerich.ch"
	if c, err := w.redeem(t, w.idp.Encode(a)); !is(err, identity.ErrAnswerInvalid) || !strings.Contains(err.Error(), "ssuer") {
		t.Errorf("%+v, %v", c, err)
	}
	w.asked.Service = "https://nowhere.example.org"
	if _, err := w.AuthorizationURL(t.Context(), "campus", w.asked); !is(err, identity.ErrUnknownProvider) {
		t.Error(err)
	}
}

// Sixty megabytes pass by without being there at once.
func TestAnAggregateOfSixtyMegabytesNeedsLittleMemory(t *testing.T) {
	size := deep.Else(6<<20, 60<<20)
	runtime.GC()
	before := inUse()
	peak := before
	all := must.Get(loadMetadata(watched{large(t, size), &peak}, nil, ""))(t)
	if len(all.entries) < size/12_000 || peak-before > 150<<20 {
		t.Errorf("%d services, %d MiB", len(all.entries), (peak-before)>>20)
	}
	t.Logf("%d services in %d MiB at most", len(all.entries), (peak-before)>>20)
	if found := all.search("University 411", 50); len(found) == 0 {
		t.Error("a university is not found")
	}
}

// watched notes how much memory is in use while something is read.
type watched struct {
	io.Reader
	peak *uint64
}

func (w watched) Read(p []byte) (int, error) {
	*w.peak = max(*w.peak, inUse())
	return w.Reader.Read(p)
}

// inUse is what the program has of the system and has not given back.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// large is the text of an aggregate of a size, made while it is read.
func large(t testing.TB, size int) io.Reader {
	certificate := base64.StdEncoding.EncodeToString(samlidp.New(t, "", 1).Certificate.Raw)
	r, w := io.Pipe()
	go func() {
		written := 0
		var b bytes.Buffer
		b.WriteString(`<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ID="_all">`)
		random, photo := rand.NewChaCha8([32]byte{}), make([]byte, 4500)
		for i := 0; written < size; i++ {
			_, _ = random.Read(photo)
			describe(&b, fmt.Sprintf("https://idp%d.example.edu", i), fmt.Sprintf("University %d", i), fmt.Sprintf("u%d.example.edu", i), "x", certificate+base64.StdEncoding.EncodeToString(photo))
			written += b.Len()
			_, _ = w.Write(b.Bytes())
			b.Reset()
		}
		_, _ = io.WriteString(w, "</md:EntitiesDescriptor>")
		_ = w.Close()
	}()
	return r
}
