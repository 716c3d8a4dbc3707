package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// The vectors have the form of our signatures: P-521, SHA-512, r and s concatenated.
func TestTheVerifierAgreesWithWycheproof(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/ecdsa_secp521r1_sha512_p1363_test.json"))(t)
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			Key   struct{ Uncompressed string }
			Tests []struct {
				TcID                      int
				Comment, Msg, Sig, Result string
			}
		}
	}
	must.Do(t, json.Unmarshal(raw, &file))
	n := 0
	for _, group := range file.TestGroups {
		key := must.Get(ecdsa.ParseUncompressedPublicKey(elliptic.P521(), unhex(t, group.Key.Uncompressed)))(t)
		for _, v := range group.Tests {
			n++
			got := isSignature(string(unhex(t, v.Msg)), unhex(t, v.Sig), key)
			if want := v.Result == "valid"; got != want { // "acceptable" signatures have a wrong size
				t.Errorf("vector %d (%s): %v, want %v", v.TcID, v.Comment, got, want)
			}
		}
	}
	if n != file.NumberOfTests || n == 0 {
		t.Errorf("only %d of %d vectors were tested", n, file.NumberOfTests)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(s))(t)
}

func TestKeysAndSignaturesOfOpenSSLAreAccepted(t *testing.T) {
	read := func(name string) string {
		b := must.Get(os.ReadFile("testdata/openssl." + name))(t)
		return string(b)
	}
	key := must.Get(ParsePair(read("pub"), read("key")))(t)
	var der struct{ R, S *big.Int }
	must.Get(asn1.Unmarshal([]byte(read("sig")), &der))(t)
	plain := make([]byte, 132)
	der.R.FillBytes(plain[:66])
	der.S.FillBytes(plain[66:])
	const message = "a message that openssl signed"
	if !isSignature(message, plain, &key.PublicKey) || isSignature(message+"!", plain, &key.PublicKey) {
		t.Error("a signature is accepted for another text")
	}
	if isSignature(message, []byte(read("sig")), &key.PublicKey) {
		t.Error("a DER signature is accepted")
	}
}
