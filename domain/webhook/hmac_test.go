package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// macOf is an HMAC as another program would make it.
func macOf(algorithm func() hash.Hash, secret, text string) []byte {
	h := hmac.New(algorithm, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

// hmacHex is the HMAC of a text with the secret of most tests.
func hmacHex(text string) string { return hex.EncodeToString(macOf(sha256.New, "hush", text)) }

func hexBytes(text string) []byte {
	bytes, _ := hex.DecodeString(text)
	return bytes
}
