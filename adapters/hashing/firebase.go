package hashing

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
	"golang.org/x/crypto/scrypt"
)

const firebaseForm = "$fbscrypt$v=1,n=…,r=…,p=1,ss=…,sk=…$salt$hash"

// Firebase holds the password hash parameters of a Firebase project, which are the same
// for all of its accounts.
type Firebase struct {
	SignerKey     []byte
	SaltSeparator []byte // may be empty
	Rounds        int    // r of scrypt
	MemCost       int    // scrypt's N is 2^MemCost
}

// ErrFirebase rejects the text of the parameters.
var ErrFirebase = fault.New(fault.Invalid, "firebase_invalid",
	"The password hash parameters must have base64_signer_key, base64_salt_separator, rounds and mem_cost, as Firebase shows them.")

// firebaseParam matches one parameter in the text that the console shows, and in JSON.
var firebaseParam = regexp.MustCompile(`"?(base64_signer_key|base64_salt_separator|rounds|mem_cost)"?\s*:\s*"?([^\s",{}]*)`)

// ParseFirebase parses the password hash parameters as the Firebase console shows them.
func ParseFirebase(text string) (Firebase, error) {
	found := map[string]string{}
	for _, m := range firebaseParam.FindAllStringSubmatch(text, -1) {
		if _, twice := found[m[1]]; twice {
			return Firebase{}, ErrFirebase
		}
		found[m[1]] = m[2]
	}
	var f Firebase
	var okR, okN bool
	key, errKey := decode64(found["base64_signer_key"])
	separator, errSeparator := decode64(found["base64_salt_separator"])
	f.SignerKey, f.SaltSeparator = key, separator
	f.Rounds, okR = parseCost(found["rounds"])
	f.MemCost, okN = parseCost(found["mem_cost"])
	if errKey != nil || errSeparator != nil || len(found) != 4 || !okR || !okN || len(key) < minKey || len(key) > maxKey ||
		len(separator) > maxSalt {
		return Firebase{}, ErrFirebase
	}
	return f, checkScrypt(f.MemCost, f.Rounds, 1)
}

// Format returns the hash of an exported account with the parameters in it, so that a
// Hasher can compare it. key and salt are base64 as Firebase exports them.
func (f Firebase) Format(key, salt string) (string, error) {
	k, errKey := decode64(key)
	s, errSalt := decode64(salt)
	if errKey != nil || errSalt != nil {
		return "", ErrHash.WithMsg("The hash or the salt is not base64.")
	}
	b64 := base64.StdEncoding.EncodeToString
	text := fmt.Sprintf(
		"$fbscrypt$v=1,n=%d,r=%d,p=1,ss=%s,sk=%s$%s$%s", f.MemCost, f.Rounds, b64(f.SaltSeparator), b64(f.SignerKey), b64(s), b64(k),
	)
	_, err := parseForeign(text)
	return text, err
}

// firebaseParams matches the parameters, which come in a fixed order, and captures n, r,
// ss and sk.
var firebaseParams = regexp.MustCompile(`^v=1,n=([0-9]+),r=([0-9]+),p=1,ss=([^,]*),sk=([^,]*)$`)

// parseFirebase parses what follows $fbscrypt$.
func parseFirebase(rest string) (foreign, error) {
	fields := strings.Split(rest, "$")
	values := firebaseParams.FindStringSubmatch(fields[0])
	if len(fields) != 3 || values == nil {
		return foreign{}, errForm(firebaseForm)
	}
	n, okN := parseCost(values[1])
	r, okR := parseCost(values[2])
	separator, errSeparator := decode64(values[3])
	signer, errSigner := decode64(values[4])
	salt, errSalt := decode64(fields[1])
	key, errKey := decode64(fields[2])
	if !okN || !okR || errors.Join(errSeparator, errSigner, errSalt, errKey) != nil {
		return foreign{}, errForm(firebaseForm)
	}
	return newFirebase(Firebase{SignerKey: signer, SaltSeparator: separator, Rounds: r, MemCost: n}, salt, key)
}

// newFirebase returns a hash that is the project's signer key, encrypted with a key that
// scrypt derives from the password.
func newFirebase(f Firebase, salt, key []byte) (foreign, error) {
	if err := checkScrypt(f.MemCost, f.Rounds, 1); err != nil {
		return foreign{}, err
	}
	if len(f.SignerKey) != len(key) || len(f.SaltSeparator) > maxSalt {
		return foreign{}, errLimit("The Firebase hash does not fit its signer key and salt separator.")
	}
	return newKeyed(scryptMemory(f.MemCost, f.Rounds, 1), salt, key, func(password []byte) ([]byte, error) {
		derived, err := scrypt.Key(password, append(append([]byte{}, salt...), f.SaltSeparator...), 1<<f.MemCost, f.Rounds, 1, 32)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(derived)
		if err != nil {
			return nil, err
		}
		encrypted := make([]byte, len(f.SignerKey))
		cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(encrypted, f.SignerKey) //nolint:gosec // Firebase uses each key once
		return encrypted, nil
	})
}
