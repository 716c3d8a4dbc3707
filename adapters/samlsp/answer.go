package samlsp

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/octavo-books/octavo/domain/identity"
)

// The bounds of an answer. Those of universities have 5 to 30 KiB.
const (
	// MaxAnswer is the largest answer in Base64, in bytes.
	MaxAnswer   = 256 << 10
	maxElements = 2000
)

// RedeemCode implements external.ProviderClient. The code is the answer as the browser posts it.
func (c *Client) RedeemCode(ctx context.Context, name string, r identity.Request, a identity.Answer) (identity.Claims, error) {
	p, err := c.provider(name)
	if err != nil {
		return identity.Claims{}, err
	}
	s, err := p.find(ctx, r.Service)
	if err != nil {
		return identity.Claims{}, err
	}
	assertion, err := s.verify(a.Code, requestID(r))
	if err != nil {
		return identity.Claims{}, refusal(err)
	}
	claims, err := p.claims(s, assertion)
	if err != nil {
		return identity.Claims{}, because(identity.ErrAnswerInvalid, err)
	}
	return claims, nil
}

// refusal distinguishes a service that refuses from an answer that nobody should believe.
func refusal(err error) error {
	if invalid := (*saml.InvalidResponseError)(nil); errors.As(err, &invalid) {
		err = invalid.PrivateErr
	}
	if status := (saml.ErrBadStatus{}); errors.As(err, &status) {
		return because(identity.ErrCancelled, fmt.Errorf("the service answers with the status %s", status.Status))
	}
	return because(identity.ErrAnswerInvalid, err)
}

// verify returns the assertion of an answer to a request.
func (s *service) verify(answer, request string) (*saml.Assertion, error) {
	if answer == "" || len(answer) > MaxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes", len(answer))
	}
	document, err := base64.StdEncoding.DecodeString(answer)
	if err != nil {
		return nil, errors.New("the answer is not Base64")
	}
	if err := checkForm(document); err != nil {
		return nil, err
	}
	signatures := &signatures{}
	s.SignatureVerifier = signatures
	assertion, err := s.ParseXMLResponse(document, []string{request}, s.AcsURL)
	if err != nil {
		return nil, err
	}
	if !signatures.assertion {
		return nil, errors.New("the assertion itself is not signed")
	}
	return assertion, nil
}

// form is what an answer looks like. Of an answer that could be read in two ways it is not asked
// which one was signed.
type form struct {
	tags       *tags
	root       string
	first      *element
	refuses    bool // it has a status other than success
	ids        map[string]bool
	elements   int
	assertions int
	signatures map[*element]int // by the element that they sign
}

// checkForm refuses answers in which what is signed and what is read could differ: with more than one
// assertion, an assertion or a signature in another place than its own, an ID given twice, a transform
// other than the usual ones; and what no service sends, such as comments and document types.
func checkForm(document []byte) error {
	f, err := readForm(bytes.NewReader(document), "Response")
	if err == nil && f.assertions != 1 && !f.refuses {
		err = errors.New("it has no assertion")
	}
	return err
}

// readForm reads a document whose root has a name.
func readForm(from io.Reader, root string) (*form, error) {
	f := &form{tags: newTags(from), root: root, ids: map[string]bool{}, signatures: map[*element]int{}}
	f.tags.strict = true
	for {
		t, err := f.tags.next()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err == nil && t.start != nil {
			err = f.check(t.start)
		}
		if err != nil {
			return nil, fmt.Errorf("the answer has a form that is not accepted: %w", err)
		}
	}
}

func (f *form) check(e *element) error {
	if f.elements++; f.elements > maxElements {
		return fmt.Errorf("it has more than %d elements", maxElements)
	}
	first := f.tags.depth() == 1
	if first {
		f.first = e
	}
	if first != (e.local == f.root && (e.space == protocol || e.space == spaceAssert)) {
		return fmt.Errorf("a %.40q is not where one belongs", e.local)
	}
	for _, a := range e.attributes {
		switch a.local {
		case "ID", "Id", "id", "AssertionID":
			if f.ids[a.value] {
				return fmt.Errorf("the ID %.80q is there twice", a.value)
			}
			f.ids[a.value] = true
		}
	}
	switch e.space {
	case protocol:
		f.refuses = f.refuses || e.local == "StatusCode" && f.tags.depth() == 3 && e.value("Value") != saml.StatusSuccess
	case spaceAssert:
		return f.checkAssertion(e)
	case spaceSignature:
		return f.checkSignature(e)
	}
	return nil
}

func (f *form) checkAssertion(e *element) error {
	if e.local != "Assertion" && e.local != "EncryptedAssertion" {
		return nil
	}
	if f.root == "Assertion" {
		return nil // its own, as check has seen to
	}
	if f.assertions++; f.assertions > 1 {
		return errors.New("it has more than one assertion")
	}
	if f.tags.depth() != 2 {
		return errors.New("its assertion is not where one belongs")
	}
	return nil
}

func (f *form) checkSignature(e *element) error {
	switch e.local {
	case "Signature":
		around := f.tags.parent()
		if around == nil || around != f.first && !around.is(spaceAssert, "Assertion") {
			return errors.New("a signature is not where one belongs")
		}
		if f.signatures[around]++; f.signatures[around] > 1 {
			return errors.New("an element has two signatures")
		}
	case "Object", "Manifest", "XPath":
		return fmt.Errorf("a signature has a %s", e.local)
	case "Transform":
		return checkTransform(e.value("Algorithm"))
	}
	return nil
}

// checkTransform accepts those of SAML Core, section 5.4.4, without comments.
func checkTransform(algorithm string) error {
	if algorithm != exclusive && algorithm != spaceSignature+"enveloped-signature" {
		return fmt.Errorf("the transform %.80q is not accepted", algorithm)
	}
	return nil
}

// signatures verifies signatures for the library, and notes whether the assertion has one.
type signatures struct{ assertion bool }

// VerifySignature implements saml.SignatureVerifier.
func (s *signatures) VerifySignature(with *dsig.ValidationContext, e *etree.Element) error {
	_, err := s.VerifySignedElement(with, e)
	return err
}

// VerifySignedElement implements saml.SignedElementVerifier: it returns what a signature covers.
func (s *signatures) VerifySignedElement(with *dsig.ValidationContext, e *etree.Element) (*etree.Element, error) {
	if err := checkPlain(e); err != nil {
		return nil, err
	}
	keys, err := with.CertificateStore.Certificates()
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		one := *with
		one.CertificateStore = &dsig.MemoryX509CertificateStore{Roots: []*x509.Certificate{key}}
		covered, failed := one.Validate(e)
		if failed == nil {
			s.assertion = s.assertion || e.Tag == "Assertion"
			return covered, nil
		}
		err = fmt.Errorf("the signature of the %s: %w", e.Tag, failed)
	}
	return nil, err
}

// checkPlain checks the form of an assertion once more: one that was encrypted shows it only now.
func checkPlain(e *etree.Element) error {
	if e.Tag != "Assertion" {
		return nil
	}
	var b bytes.Buffer
	document := etree.NewDocument()
	document.SetRoot(e.Copy())
	if _, err := document.WriteTo(&b); err != nil {
		return err
	}
	_, err := readForm(&b, "Assertion")
	return err
}
