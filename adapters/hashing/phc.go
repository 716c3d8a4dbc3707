package hashing

import (
	"encoding/base64"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The forms of hashes in the PHC string format, $id[$v=…]$name=value,…$salt$hash.
const (
	argon2Form = "$argon2id$v=19$m=…,t=…,p=…$salt$hash"
	scryptForm = "$scrypt$ln=…,r=…,p=…$salt$hash"
	pbkdf2Form = "$pbkdf2-sha256$i=…$salt$hash"
)

// parseArgon2id parses what follows $argon2id$.
func parseArgon2id(rest string) (foreign, error) { return parseArgon2(argon2.IDKey, rest) }

// parseArgon2i parses what follows $argon2i$.
func parseArgon2i(rest string) (foreign, error) { return parseArgon2(argon2.Key, rest) }

// parseArgon2 accepts version 1.3 alone. A hash without v= is of version 1.0, which
// computes something else.
func parseArgon2(
	derive func(password, salt []byte, time, memory uint32, threads uint8, keyLen uint32) []byte, rest string,
) (foreign, error) {
	rest, ok := strings.CutPrefix(rest, "v=19$")
	if !ok {
		return foreign{}, errLimit("The Argon2 hash has another version than v=19.")
	}
	p, salt, key, err := splitPHC(rest, argon2Form, "m", "t", "p")
	if err != nil {
		return foreign{}, err
	}
	return newArgon2(derive, p["m"], p["t"], p["p"], salt, key)
}

// parseScrypt parses what follows $scrypt$.
func parseScrypt(rest string) (foreign, error) {
	p, salt, key, err := splitPHC(rest, scryptForm, "ln", "r", "p")
	if err != nil {
		return foreign{}, err
	}
	return newScrypt(p["ln"], p["r"], p["p"], salt, key)
}

// parsePBKDF2 parses i=29000 or i=29000,l=32, and the bare number of passlib.
func parsePBKDF2(sum string) func(string) (foreign, error) {
	return func(rest string) (foreign, error) {
		params, other, _ := strings.Cut(rest, "$")
		names := []string{"i"}
		switch {
		case !strings.Contains(params, "="):
			params = "i=" + params
		case strings.Contains(params, "l="):
			names = append(names, "l")
		}
		p, salt, key, err := splitPHC(params+"$"+other, pbkdf2Form, names...)
		if err != nil {
			return foreign{}, err
		}
		if l, ok := p["l"]; ok && l != len(key) {
			return foreign{}, errForm(pbkdf2Form)
		}
		return newPBKDF2(sum, p["i"], salt, key)
	}
}

// splitPHC parses params$salt$hash, with exactly the params of these names.
func splitPHC(rest, form string, names ...string) (params map[string]int, salt, key []byte, err error) {
	fields := strings.Split(rest, "$")
	if len(fields) != 3 {
		return nil, nil, nil, errForm(form)
	}
	params, ok := parseParams(fields[0], names)
	salt, err = decode64(fields[1])
	if err == nil {
		key, err = decode64(fields[2])
	}
	if !ok || err != nil {
		return nil, nil, nil, errForm(form)
	}
	return params, salt, key, nil
}

// parseParams parses m=65536,t=3,p=4 in any order.
func parseParams(text string, names []string) (map[string]int, bool) {
	params := map[string]int{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(pair, "=")
		n, ok := parseCost(value)
		if _, duplicate := params[name]; duplicate || !ok {
			return nil, false
		}
		params[name] = n
	}
	for _, name := range names {
		if params[name] == 0 {
			return nil, false
		}
	}
	return params, len(params) == len(names)
}

// parseCost parses a positive number of at most nine digits, without a sign.
func parseCost(text string) (int, bool) {
	if len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

// decode64 decodes base64 with or without padding, its variant for URLs, and passlib's
// variant with . for +.
func decode64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") { // which encoding/base64 skips
		return nil, errForm("of base64")
	}
	text = strings.NewReplacer(".", "+", "-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	return base64.RawStdEncoding.Strict().DecodeString(text)
}
