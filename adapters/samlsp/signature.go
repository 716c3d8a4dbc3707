package samlsp

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512" // for crypto.Hash
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strings"
)

// The algorithms that signatures of metadata may use. SHA-1 is not among them.
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"

var (
	signatureHashes = map[string]crypto.Hash{
		"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": crypto.SHA256,
		"http://www.w3.org/2001/04/xmldsig-more#rsa-sha384": crypto.SHA384,
		"http://www.w3.org/2001/04/xmldsig-more#rsa-sha512": crypto.SHA512,
	}
	digestHashes = map[string]crypto.Hash{
		"http://www.w3.org/2001/04/xmlenc#sha256":       crypto.SHA256,
		"http://www.w3.org/2001/04/xmldsig-more#sha384": crypto.SHA384,
		"http://www.w3.org/2001/04/xmlenc#sha512":       crypto.SHA512,
	}
)

// maxSignature bounds a signature element, in bytes.
const maxSignature = 256 << 10

// tree is an element of a signature with what is in it.
type tree struct {
	*element
	tokens []token // all of it, from its start tag to its end
	inner  []*tree
	text   string
}

// readTree reads the rest of the element that has just begun.
func readTree(from *tags, e *element, left *int) (*tree, error) {
	n := &tree{element: e, tokens: []token{{start: e}}}
	for {
		t, err := from.next()
		if err != nil {
			return nil, err
		}
		if *left -= len(t.text) + 100; *left < 0 {
			return nil, fmt.Errorf("the signature has more than %d bytes", maxSignature)
		}
		switch {
		case t.start != nil:
			inner, err := readTree(from, t.start, left)
			if err != nil {
				return nil, err
			}
			n.inner = append(n.inner, inner)
			n.tokens = append(n.tokens, inner.tokens...)
		case t.end != nil:
			n.tokens = append(n.tokens, t)
			return n, nil
		default:
			n.text += string(t.text)
			n.tokens = append(n.tokens, token{text: bytes.Clone(t.text)})
		}
	}
}

// one returns the only element of a name.
func (n *tree) one(local string) (*tree, error) {
	var found *tree
	for _, inner := range n.inner {
		if !inner.is(spaceSignature, local) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the signature has two elements %s", local)
		}
		found = inner
	}
	if found == nil {
		return nil, fmt.Errorf("the signature has no element %s", local)
	}
	return found, nil
}

func (n *tree) decoded() ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.text), ""))
	if err != nil {
		return nil, fmt.Errorf("%s is not Base64", n.local)
	}
	return b, nil
}

// prefixes returns the PrefixList of a canonicalization, which must be the exclusive one.
func (n *tree) prefixes() ([]string, error) {
	if n.value("Algorithm") != exclusive {
		return nil, fmt.Errorf("the canonicalization %.80q is not supported", n.value("Algorithm"))
	}
	var all []string
	for _, inner := range n.inner {
		if !inner.is(exclusive, "InclusiveNamespaces") {
			return nil, errors.New("the canonicalization has an unknown parameter")
		}
		for _, prefix := range strings.Fields(inner.value("PrefixList")) {
			all = append(all, strings.TrimPrefix(prefix, "#default"))
		}
	}
	return all, nil
}

// signed is what a valid signature says about the document around it.
type signed struct {
	hash.Hash
	want      []byte
	inclusive []string
}

// verify checks a signature of the element with an ID, made by one of the signers.
func (n *tree) verify(id string, signers []*x509.Certificate) (*signed, error) {
	info, err := n.one("SignedInfo")
	if err != nil {
		return nil, err
	}
	if err := n.verifyInfo(info, signers); err != nil {
		return nil, err
	}
	reference, err := info.one("Reference")
	if err != nil {
		return nil, err
	}
	if id == "" || reference.value("URI") != "#"+id {
		return nil, fmt.Errorf("the signature is of %.80q, not of the document", reference.value("URI"))
	}
	return reference.digest()
}

// verifyInfo checks the signature of the element SignedInfo.
func (n *tree) verifyInfo(info *tree, signers []*x509.Certificate) error {
	value, err := n.one("SignatureValue")
	if err != nil {
		return err
	}
	signature, err := value.decoded()
	if err != nil {
		return err
	}
	method, err := info.one("SignatureMethod")
	if err != nil {
		return err
	}
	algorithm, ok := signatureHashes[method.value("Algorithm")]
	if !ok {
		return fmt.Errorf("the algorithm %.80q is not supported: RSA with SHA-256 or better is", method.value("Algorithm"))
	}
	digest := algorithm.New()
	if err := info.canonicalize(digest); err != nil {
		return err
	}
	sum := digest.Sum(nil)
	for _, signer := range signers {
		if key, ok := signer.PublicKey.(*rsa.PublicKey); ok && rsa.VerifyPKCS1v15(key, algorithm, sum, signature) == nil {
			return nil
		}
	}
	return errors.New("the signature was not made with the key of metadataCert")
}

// canonicalize writes SignedInfo as its CanonicalizationMethod says.
func (n *tree) canonicalize(to hash.Hash) error {
	method, err := n.one("CanonicalizationMethod")
	if err != nil {
		return err
	}
	inclusive, err := method.prefixes()
	if err != nil {
		return err
	}
	c := &canonical{out: to, inclusive: inclusive}
	for _, t := range n.tokens {
		if err := c.write(t); err != nil {
			return err
		}
	}
	return nil
}

// digest reads the element Reference.
func (n *tree) digest() (*signed, error) {
	transforms, err := n.one("Transforms")
	if err != nil {
		return nil, err
	}
	all := transforms.inner
	if len(all) != 2 || all[0].value("Algorithm") != spaceSignature+"enveloped-signature" {
		return nil, errors.New("the transforms must be enveloped-signature and an exclusive canonicalization")
	}
	s := &signed{}
	if s.inclusive, err = all[1].prefixes(); err != nil {
		return nil, err
	}
	method, err := n.one("DigestMethod")
	if err != nil {
		return nil, err
	}
	algorithm, ok := digestHashes[method.value("Algorithm")]
	if !ok {
		return nil, fmt.Errorf("the digest %.80q is not supported: SHA-256 or better is", method.value("Algorithm"))
	}
	value, err := n.one("DigestValue")
	if err != nil {
		return nil, err
	}
	s.Hash = algorithm.New()
	s.want, err = value.decoded()
	return s, err
}

// matches reports whether the document that was written has the signed digest.
func (s *signed) matches() bool { return bytes.Equal(s.Sum(nil), s.want) && len(s.want) >= sha256.Size }
