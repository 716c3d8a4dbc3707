package hashing

import (
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // HMAC-SHA1 within PBKDF2 is sound, and old hashes have it
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"hash"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/scrypt"
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
	maxSalt          = 256
	minKey, maxKey   = 16, 128
)

// phc is an imported password hash in the PHC string format,
// $id[$v=…][$name=value,…]$salt$hash.
type phc struct {
	id     string
	params map[string]int
	salt   []byte
	key    []byte
	derive func(password []byte) ([]byte, error)
}

var errPHC = errors.New("not a hash in PHC form")

// parsePHC parses argon2id, argon2i, scrypt and PBKDF2 hashes within the limits.
func parsePHC(text string) (phc, error) {
	if len(text) > 1024 || !strings.HasPrefix(text, "$") {
		return phc{}, errPHC
	}
	fields := strings.Split(text[1:], "$")
	p := phc{id: fields[0], params: map[string]int{}}
	if len(fields) > 1 && strings.HasPrefix(fields[1], "v=") {
		if fields[1] != "v=19" {
			return phc{}, errPHC
		}
		fields = append(fields[:1], fields[2:]...)
	}
	if len(fields) != 4 || !p.readParams(fields[1]) {
		return phc{}, errPHC
	}
	var errSalt, errKey error
	p.salt, errSalt = decode64(fields[2])
	p.key, errKey = decode64(fields[3])
	if errSalt != nil || errKey != nil || len(p.salt) == 0 || len(p.salt) > maxSalt || len(p.key) < minKey || len(p.key) > maxKey {
		return phc{}, errPHC
	}
	if p.derive = p.derivation(); p.derive == nil {
		return phc{}, errPHC
	}
	return p, nil
}

// readParams parses m=65536,t=3,p=4, or only the rounds, as passlib writes PBKDF2.
func (p *phc) readParams(text string) bool {
	if rounds, err := strconv.Atoi(text); err == nil && strings.HasPrefix(p.id, "pbkdf2") {
		p.params["i"] = rounds
		return true
	}
	for _, pair := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(value)
		if _, duplicate := p.params[name]; err != nil || duplicate || n < 1 {
			return false
		}
		p.params[name] = n
	}
	return true
}

// derivation returns nil for an unknown algorithm and for parameters beyond the limits.
func (p *phc) derivation() func([]byte) ([]byte, error) {
	size := len(p.key)
	switch p.id {
	case "argon2id", "argon2i":
		m, t, threads := p.params["m"], p.params["t"], p.params["p"]
		if m < 8*max(1, threads) || m > maxArgon2Memory || t < 1 || t > maxArgon2Passes || threads < 1 || threads > maxArgon2Threads {
			return nil
		}
		key := argon2.IDKey
		if p.id == "argon2i" {
			key = argon2.Key
		}
		return func(password []byte) ([]byte, error) {
			return key(password, p.salt, uint32(t), uint32(m), uint8(threads), uint32(size)), nil
		}
	case "scrypt":
		ln, r, parallel := p.params["ln"], p.params["r"], p.params["p"]
		if ln < 1 || ln > maxScryptLogN || r < 1 || r > 64 || parallel < 1 || parallel > 64 || int64(r*parallel)<<ln > maxScryptWork {
			return nil
		}
		return func(password []byte) ([]byte, error) { return scrypt.Key(password, p.salt, 1<<ln, r, parallel, size) }
	}
	return p.pbkdf2()
}

func (p *phc) pbkdf2() func([]byte) ([]byte, error) {
	sums := map[string]func() hash.Hash{
		"pbkdf2": sha1.New, "pbkdf2-sha1": sha1.New, "pbkdf2-sha256": sha256.New, "pbkdf2-sha512": sha512.New,
	}
	sum, rounds := sums[p.id], p.params["i"]
	if sum == nil || rounds < 1 || rounds > maxPBKDF2Rounds || p.params["l"] != 0 && p.params["l"] != len(p.key) {
		return nil
	}
	return func(password []byte) ([]byte, error) {
		return pbkdf2.Key(sum, string(password), p.salt, rounds, len(p.key))
	}
}

// matches compares in constant time.
func (p *phc) matches(password []byte) bool {
	key, err := p.derive(password)
	return err == nil && subtle.ConstantTimeCompare(key, p.key) == 1
}

// large reports whether the comparison uses more than 64 MiB.
func (p *phc) large() bool {
	return p.params["m"] > 64<<10 || p.id == "scrypt" && p.params["r"]<<p.params["ln"] > 512<<10
}

// decode64 decodes base64 with or without padding, and passlib's variant with . for +.
func decode64(text string) ([]byte, error) {
	text = strings.ReplaceAll(strings.TrimRight(text, "="), ".", "+")
	return base64.RawStdEncoding.DecodeString(text)
}
