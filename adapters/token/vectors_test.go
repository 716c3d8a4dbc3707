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
)

// The vectors have the form of our signatures: P-521, SHA-512, r and s concatenated.
func TestTheVerifierAgreesWithWycheproof(t *testing.T) {
	raw, err := os.ReadFile("testdata/ecdsa_secp521r1_sha512_p1363_test.json")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, group := range file.TestGroups {
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P521(), unhex(t, group.Key.Uncompressed))
		if err != nil {
			t.Fatal(err)
		}
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
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKeysAndSignaturesOfOpenSSLAreAccepted(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile("testdata/openssl." + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	key, err := ParsePair(read("pub"), read("key"))
	if err != nil {
		t.Fatal(err)
	}
	var der struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal([]byte(read("sig")), &der); err != nil {
		t.Fatal(err)
	}
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
