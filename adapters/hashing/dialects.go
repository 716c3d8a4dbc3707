package hashing

import (
	"encoding/hex"
	"math/bits"
	"strings"
)

// The forms of hashes of Django and of Werkzeug, which Flask uses. Their salts are plain
// text.
const (
	djangoPBKDF2Form   = "pbkdf2_sha256$rounds$salt$hash"
	djangoScryptForm   = "scrypt$N$salt$r$p$hash"
	werkzeugPBKDF2Form = "pbkdf2:sha256:rounds$salt$hash"
	werkzeugScryptForm = "scrypt:N:r:p$salt$hash"
)

// parseDjangoPBKDF2 parses what follows pbkdf2_sha256$.
func parseDjangoPBKDF2(sum string) func(string) (foreign, error) {
	return func(rest string) (foreign, error) {
		fields := strings.Split(rest, "$")
		if len(fields) != 3 {
			return foreign{}, errForm(djangoPBKDF2Form)
		}
		rounds, ok := parseCost(fields[0])
		key, err := decode64(fields[2])
		if !ok || err != nil {
			return foreign{}, errForm(djangoPBKDF2Form)
		}
		return newPBKDF2(sum, rounds, []byte(fields[1]), key)
	}
}

// parseDjangoScrypt parses what follows scrypt$.
func parseDjangoScrypt(rest string) (foreign, error) {
	fields := strings.Split(rest, "$")
	if len(fields) != 5 {
		return foreign{}, errForm(djangoScryptForm)
	}
	logN, r, p, ok := parseScryptCosts(fields[0], fields[2], fields[3])
	key, err := decode64(fields[4])
	if !ok || err != nil {
		return foreign{}, errForm(djangoScryptForm)
	}
	return newScrypt(logN, r, p, []byte(fields[1]), key)
}

// parseWerkzeugPBKDF2 parses what follows pbkdf2:.
func parseWerkzeugPBKDF2(rest string) (foreign, error) {
	method, salt, key, err := splitWerkzeug(rest)
	if err != nil || len(method) != 2 {
		return foreign{}, errForm(werkzeugPBKDF2Form)
	}
	rounds, ok := parseCost(method[1])
	if !ok {
		return foreign{}, errForm(werkzeugPBKDF2Form)
	}
	return newPBKDF2(method[0], rounds, salt, key)
}

// parseWerkzeugScrypt parses what follows scrypt:.
func parseWerkzeugScrypt(rest string) (foreign, error) {
	method, salt, key, err := splitWerkzeug(rest)
	if err != nil || len(method) != 3 {
		return foreign{}, errForm(werkzeugScryptForm)
	}
	logN, r, p, ok := parseScryptCosts(method[0], method[1], method[2])
	if !ok {
		return foreign{}, errForm(werkzeugScryptForm)
	}
	return newScrypt(logN, r, p, salt, key)
}

// splitWerkzeug parses method:costs$salt$hash; the hash is hexadecimal.
func splitWerkzeug(rest string) (method []string, salt, key []byte, err error) {
	fields := strings.Split(rest, "$")
	if len(fields) != 3 {
		return nil, nil, nil, ErrHash
	}
	key, err = hex.DecodeString(fields[2])
	return strings.Split(fields[0], ":"), []byte(fields[1]), key, err
}

// parseScryptCosts parses N, which must be a power of two, r and p.
func parseScryptCosts(textN, textR, textP string) (logN, r, p int, ok bool) {
	n, okN := parseCost(textN)
	r, okR := parseCost(textR)
	p, okP := parseCost(textP)
	return bits.TrailingZeros(uint(n)), r, p, okN && okR && okP && bits.OnesCount(uint(n)) == 1
}
