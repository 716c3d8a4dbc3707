package hashing

import (
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // HMAC-SHA1 within PBKDF2 is sound, and old hashes have it
	"crypto/sha256"
	"crypto/sha512"
	"hash"

	"golang.org/x/crypto/scrypt"
)

// newArgon2 returns an Argon2 hash of version 1.3 with memory in KiB.
func newArgon2(derive func(
	password, salt []byte, time, memory uint32, threads uint8, keyLen uint32,
) []byte, memory, passes, threads int, salt, key []byte) (foreign, error) {
	switch {
	case memory > maxArgon2Memory:
		return foreign{}, errLimit("The Argon2 hash needs %d KiB of memory; at most %d are accepted.", memory, maxArgon2Memory)
	case passes > maxArgon2Passes:
		return foreign{}, errLimit("The Argon2 hash needs %d passes; at most %d are accepted.", passes, maxArgon2Passes)
	case threads > maxArgon2Threads:
		return foreign{}, errLimit("The Argon2 hash needs %d threads; at most %d are accepted.", threads, maxArgon2Threads)
	case memory < 8*threads:
		return foreign{}, errLimit("The Argon2 hash has less memory than 8 KiB for each thread.")
	}
	return newKeyed(int64(memory)<<10, salt, key, func(password []byte) ([]byte, error) {
		return derive(password, salt, uint32(passes), uint32(memory), uint8(threads), uint32(len(key))), nil
	})
}

// checkScrypt checks the costs of scrypt, N being 2^logN.
func checkScrypt(logN, r, p int) error {
	switch {
	case logN < 1 || r < 1 || p < 1:
		return errLimit("The costs of the scrypt hash are not valid.")
	case logN > maxScryptLogN:
		return errLimit("The scrypt hash has N=2^%d; at most 2^%d is accepted.", logN, maxScryptLogN)
	case r > maxScryptWork>>logN || p > maxScryptWork>>logN/r:
		return errLimit("The scrypt hash has a product N·r·p above 2^23.")
	}
	return nil
}

// scryptMemory returns how many bytes scrypt allocates.
func scryptMemory(logN, r, p int) int64 { return 128 * int64(r) * (1<<logN + int64(p)) }

func newScrypt(logN, r, p int, salt, key []byte) (foreign, error) {
	if err := checkScrypt(logN, r, p); err != nil {
		return foreign{}, err
	}
	return newKeyed(scryptMemory(logN, r, p), salt, key, func(password []byte) ([]byte, error) {
		return scrypt.Key(password, salt, 1<<logN, r, p, len(key))
	})
}

// sums are the hash functions of PBKDF2.
var sums = map[string]struct {
	new  func() hash.Hash
	size int
}{"sha1": {sha1.New, sha1.Size}, "sha256": {sha256.New, sha256.Size}, "sha512": {sha512.New, sha512.Size}}

// newPBKDF2 counts the rounds of all blocks of the key, as each block takes as long as the
// first.
func newPBKDF2(sum string, rounds int, salt, key []byte) (foreign, error) {
	h, ok := sums[sum]
	switch blocks := 1 + (len(key)-1)/max(1, h.size); {
	case !ok:
		return foreign{}, errLimit("The hash uses PBKDF2 with another function than SHA-1, SHA-256 or SHA-512.")
	case rounds > maxPBKDF2Rounds/max(1, blocks):
		return foreign{}, errLimit("The PBKDF2 hash needs more than %d rounds.", maxPBKDF2Rounds)
	}
	return newKeyed(0, salt, key, func(password []byte) ([]byte, error) {
		return pbkdf2.Key(h.new, string(password), salt, rounds, len(key))
	})
}
