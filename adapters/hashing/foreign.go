package hashing

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"
)

// The limits of imported hashes. The server does this much work for every sign-in attempt
// until the right password is entered and hashed with bcrypt.
const (
	maxArgon2Memory  = 256 << 10 // KiB
	maxArgon2Passes  = 10
	maxArgon2Threads = 64
	maxScryptLogN    = 20
	maxScryptWork    = 1 << 23 // N·r·p; the memory is 128·N·r bytes, so 1 GiB at most
	maxPBKDF2Rounds  = 10_000_000
	maxSalt          = 256 // bytes
	minKey, maxKey   = 16, 128
	maxForeign       = 1024 // bytes of the whole text
	// largeMemory is how many bytes a comparison may use beside others.
	largeMemory = 64 << 20
)

// foreign is a password hash of another program.
type foreign struct {
	memory  int64 // bytes that a comparison allocates
	matches func(password []byte) bool
}

// dialects are the formats of hashes by their first characters. None of them begins a
// hash of our own.
var dialects = []struct {
	prefix string
	parse  func(rest string) (foreign, error)
}{
	{"$argon2id$", parseArgon2id},
	{"$argon2i$", parseArgon2i},
	{"$scrypt$", parseScrypt},
	{"$fbscrypt$", parseFirebase},
	{"$pbkdf2$", parsePBKDF2("sha1")},
	{"$pbkdf2-sha1$", parsePBKDF2("sha1")},
	{"$pbkdf2-sha256$", parsePBKDF2("sha256")},
	{"$pbkdf2-sha512$", parsePBKDF2("sha512")},
	{"argon2$argon2id$", parseArgon2id},
	{"argon2$argon2i$", parseArgon2i},
	{"pbkdf2_sha1$", parseDjangoPBKDF2("sha1")},
	{"pbkdf2_sha256$", parseDjangoPBKDF2("sha256")},
	{"scrypt$", parseDjangoScrypt},
	{"bcrypt$", parseDjangoBcrypt(func(password []byte) []byte { return password })},
	{"bcrypt_sha256$", parseDjangoBcrypt(hexSHA256)},
	{"pbkdf2:", parseWerkzeugPBKDF2},
	{"scrypt:", parseWerkzeugScrypt},
}

// isForeign reports whether a hash claims to be in one of the dialects.
func isForeign(text string) bool {
	for _, d := range dialects {
		if strings.HasPrefix(text, d.prefix) {
			return true
		}
	}
	return false
}

// parseForeign parses a hash within the limits. The error is an ErrHash with the reason,
// which never quotes the hash.
func parseForeign(text string) (foreign, error) {
	if len(text) > maxForeign {
		return foreign{}, errLimit("The hash is longer than %d bytes.", maxForeign)
	}
	for _, d := range dialects {
		if rest, ok := strings.CutPrefix(text, d.prefix); ok {
			return d.parse(rest)
		}
	}
	return foreign{}, ErrHash
}

// errLimit returns an ErrHash that names the limit which a hash exceeds.
func errLimit(format string, args ...any) error { return ErrHash.WithMsg(fmt.Sprintf(format, args...)) }

// errForm returns an ErrHash that says how hashes of a kind are written.
func errForm(form string) error {
	return ErrHash.WithMsg("The hash does not have the form " + form + ".")
}

// newKeyed returns a hash that matches if derive computes key from a password and salt. It
// compares in constant time.
func newKeyed(memory int64, salt, key []byte, derive func(password []byte) ([]byte, error)) (foreign, error) {
	switch {
	case len(salt) == 0 || len(salt) > maxSalt:
		return foreign{}, errLimit("The salt of the hash has %d bytes; 1 to %d are accepted.", len(salt), maxSalt)
	case len(key) < minKey || len(key) > maxKey:
		return foreign{}, errLimit("The hash itself has %d bytes; %d to %d are accepted.", len(key), minKey, maxKey)
	}
	return foreign{memory, func(password []byte) bool {
		derived, err := derive(password)
		return err == nil && subtle.ConstantTimeCompare(derived, key) == 1
	}}, nil
}

// parseDjangoBcrypt parses what follows bcrypt$ or bcrypt_sha256$: a bcrypt hash of what
// prepare makes of the password.
func parseDjangoBcrypt(prepare func([]byte) []byte) func(string) (foreign, error) {
	return func(rest string) (foreign, error) {
		if err := checkBcrypt(rest); err != nil {
			return foreign{}, err
		}
		return foreign{matches: func(password []byte) bool {
			password = prepare(password)
			return len(password) <= maxBcrypt && bcrypt.CompareHashAndPassword([]byte(rest), password) == nil
		}}, nil
	}
}

func hexSHA256(password []byte) []byte {
	sum := sha256.Sum256(password)
	return hex.AppendEncode(nil, sum[:])
}

// checkBcrypt checks the form and the cost of a bcrypt hash as every program writes it.
func checkBcrypt(text string) error {
	if !plain.MatchString(text) {
		return errForm("of bcrypt: $2a$, $2b$ or $2y$, two digits, $ and 53 characters")
	}
	switch cost, err := bcrypt.Cost([]byte(text)); {
	case err != nil || cost < bcrypt.MinCost:
		return errLimit("The cost of the bcrypt hash is not valid.")
	case cost > MaxCost:
		return errLimit("The bcrypt hash has cost %d; at most %d is accepted.", cost, MaxCost)
	}
	return nil
}
