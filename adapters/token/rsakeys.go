package token

import (
	"crypto/rsa"
	"encoding/pem"
	"strings"
)

// ParseRSAKeys parses any number of keys that ParseRSA accepts, as concatenated PEM blocks.
func ParseRSAKeys(text string) ([]*rsa.PrivateKey, error) {
	var keys []*rsa.PrivateKey
	for rest := []byte(newlines(text)); len(strings.TrimSpace(string(rest))) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, ErrRSAKey
		}
		key, err := ParseRSA(string(pem.EncodeToMemory(block)))
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
