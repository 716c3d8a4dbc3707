package hashing_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/domain/user"
)

// fromElsewhere has published hashes of other programs, by their password.
func fromElsewhere(t *testing.T) map[string]user.Password {
	t.Helper()
	key, err := hex.DecodeString("7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887")
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawStdEncoding.EncodeToString
	return map[string]user.Password{
		// the test of the reference implementation of Argon2
		"$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA":  "password",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc": "password",
		// RFC 7914, section 12
		"$scrypt$ln=14,r=8,p=1$" + b64([]byte("SodiumChloride")) + "$" + b64(key): "pleaseletmein",
		// the documentation of passlib, and the same as RustCrypto writes it
		"$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk":         "toomanysecrets",
		"$pbkdf2-sha256$i=29000,l=32$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A+WF/Z5JZv+lfCIhXXN33N23OSgQYThBYRfk=": "toomanysecrets",
		// Python's hashlib, and RFC 6070
		"$pbkdf2-sha512$i=6400$c29kaXVtIGNobG9yaWRlIQ$et4ALGW/HsmSw7EtbWRi6Z03j2zIU+oGtl2rrSp4vOsTeTiSLmG/ZKqI/WbdpR0U6AoXhRy1D9G0842WYgs8kA": "password",
		"$pbkdf2$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE": "password",
	}
}

func TestHashesOfOtherProgramsMatchAndAreOutdated(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	for hash, password := range fromElsewhere(t) {
		if err := h.CheckHash(hash); err != nil {
			t.Errorf("%s: %v", hash, err)
		}
		if right, outdated := verify(t, h, hash, password); !right || !outdated {
			t.Errorf("%s: right %v, outdated %v", hash, right, outdated)
		}
		if right, outdated := verify(t, h, hash, password+"x"); right || outdated {
			t.Errorf("%s: a wrong password matches", hash)
		}
	}
}

func TestExpensiveAndBrokenHashesAreRefused(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for _, text := range []string{
		"argon2id$v=19$m=262145,t=1,p=1", "argon2id$v=19$m=65536,t=11,p=1", "argon2id$v=19$m=65536,t=0,p=1", "argon2id$v=19$m=65536,t=1,p=255",
		"argon2id$v=16$m=65536,t=2,p=1", "argon2d$v=19$m=65536,t=2,p=1", "argon2id$v=19$m=65536,t=2", "argon2id$v=19$m=4294967297,t=2,p=1",
		"argon2id$v=19$m=65536,m=1,t=2,p=1", "scrypt$ln=21,r=8,p=1", "scrypt$ln=20,r=16,p=1", "scrypt$ln=20,r=64,p=64", "scrypt$ln=14,r=8",
		"pbkdf2-sha256$i=10000001", "pbkdf2-sha256$0", "pbkdf2-sha256$-5", "pbkdf2-md5$i=6400", "pbkdf2-sha256$i=6400,l=20", "md5$i=1", "",
	} {
		hash := "$" + text + "$" + salt + "$" + key
		if err := h.CheckHash(hash); err == nil {
			t.Errorf("%s is accepted", hash)
		}
		if right, _ := verify(t, h, hash, "password"); right {
			t.Errorf("%s matches", hash)
		}
	}
	for _, broken := range []string{
		"$argon2id$v=19$m=65536,t=2,p=1$" + salt, "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$", "$argon2id$v=19$m=65536,t=2,p=1$$" + key,
		"$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$" + key + "$x", "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$short", "$argon2id",
		"$argon2id$v=19$m=65536,t=2,p=1$!$" + key, "$scrypt$ln=14,r=8,p=1$" + salt + "$" + strings.Repeat("A", 2000),
	} {
		if err := h.CheckHash(broken); err == nil {
			t.Errorf("%s is accepted", broken)
		}
	}
}
