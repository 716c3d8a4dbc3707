package hashing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/deep"
)

const (
	rfc7914Key = "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
	rfc7914B64 = "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw"
	somesalt   = "c29tZXNhbHQ"
	somekey    = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	bcryptRest = "$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
)

// fromElsewhere has published hashes of other programs.
var fromElsewhere = []struct {
	source, hash string
	password     user.Password
}{
	{"the tests of the reference implementation of Argon2", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA", "password"},
	{"the tests of the reference implementation of Argon2", "$argon2id$v=19$m=65536,t=2,p=1$" + somesalt + "$" + somekey, "password"},
	{"Django's prefix before the same", "argon2$argon2id$v=19$m=65536,t=2,p=1$" + somesalt + "$" + somekey, "password"},
	{"RFC 7914, section 12", "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$" + rfc7914B64, "pleaseletmein"},
	{"RFC 7914, as Django writes it", "scrypt$16384$SodiumChloride$8$1$" + rfc7914B64 + "==", "pleaseletmein"},
	{"RFC 7914, as Werkzeug writes it", "scrypt:16384:8:1$SodiumChloride$" + rfc7914Key, "pleaseletmein"},
	{"Django's tests", "scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==", "lètmein"},
	{"Django's tests", "pbkdf2_sha256$600000$seasalt$OAXyhAQ/4ZDA9V5RMExt3C1OwQdUpLZ99vm1McFlLRA=", "lètmein"},
	{"passlib's documentation", "$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk", "toomanysecrets"},
	{"the same, as RustCrypto writes it", "$pbkdf2-sha256$i=29000,l=32$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A+WF/Z5JZv+lfCIhXXN33N23OSgQYThBYRfk=", "toomanysecrets"},
	{"Python's hashlib", "$pbkdf2-sha512$i=6400$c29kaXVtIGNobG9yaWRlIQ$et4ALGW/HsmSw7EtbWRi6Z03j2zIU+oGtl2rrSp4vOsTeTiSLmG/ZKqI/WbdpR0U6AoXhRy1D9G0842WYgs8kA", "password"},
	{"RFC 6070", "$pbkdf2$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE", "password"},
	{"RFC 6070, as Django writes it", "pbkdf2_sha1$4096$salt$SwB5AbdlSJq+rUnZJvch0GWkKcE=", "password"},
	{"RFC 7914, section 11, as Werkzeug writes it", "pbkdf2:sha256:1$salt$55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783", "passwd"},
	{"the tests of djangohashers", "bcrypt$$2b$12$LZSJchsWG/DrBy1erNs4ee31eJ7DaWiuwhDOC7aqIyqGGggfu6Y/.", "ExjGmyUT73bFoT"},
	{"the tests of djangohashers", "bcrypt_sha256$$2b$12$LZSJchsWG/DrBy1erNs4eeYo6tZNlLFQmONdxN9HPesa1EyXVcTXK", "ExjGmyUT73bFoT"},
	{"the README of Firebase's scrypt", firebaseHash, "user1password"},
}

func TestHashesOfOtherProgramsMatchAndAreOutdated(t *testing.T) {
	deep.NotShort(t, "compares passwords for seconds")
	h := hasher(t, hashing.Config{Cost: 10})
	for _, f := range fromElsewhere {
		if err := h.CheckHash(f.hash); err != nil {
			t.Errorf("%s: %s: %v", f.source, f.hash, err)
		}
		if right, outdated := verify(t, h, f.hash, f.password); !right || !outdated {
			t.Errorf("%s: %s: right %v, outdated %v", f.source, f.hash, right, outdated)
		}
		if right, outdated := verify(t, h, f.hash, f.password+"x"); right || outdated {
			t.Errorf("%s: %s: a wrong password matches", f.source, f.hash)
		}
	}
}

// refused lists hashes beyond a limit, by a part of the reason.
var refused = map[string][]string{
	"KiB of memory": {argon2("m=262145,t=1,p=1"), argon2("m=999999999,t=2,p=1")},
	"passes":        {argon2("m=65536,t=11,p=1"), argon2("m=65536,t=999999999,p=1")},
	"threads":       {argon2("m=65536,t=1,p=255"), argon2("m=65536,t=1,p=256")},
	"each thread":   {argon2("m=64,t=1,p=9")},
	"version":       {"$argon2id$v=16$m=65536,t=2,p=1$" + somesalt + "$" + somekey, "$argon2id$m=65536,t=2,p=1$" + somesalt + "$" + somekey},
	"form $argon2": {
		argon2("m=65536,t=0,p=1"), argon2("m=65536,t=2"), argon2("m=4294967297,t=2,p=1"), argon2("m=65536,m=1,t=2,p=1"), argon2("m=65536,t=-2,p=1"),
		argon2("m=65536,t=+2,p=1"), argon2("m=65536,t=2,p=1,keyid=5"), argon2(""), argon2("m=65536,t=2,p=1") + "$x",
		"$argon2id$v=19$m=65536,t=2,p=1$" + somesalt, "$argon2id$v=19$m=65536,t=2,p=1$!$" + somekey, "$argon2id$v=19$m=65536,t=2,p=1$" + somesalt + "$" + somekey[:20] + "\n" + somekey[20:],
	},
	"salt of the hash":   {"$argon2id$v=19$m=65536,t=2,p=1$$" + somekey, "$scrypt$ln=14,r=8,p=1$" + strings.Repeat("A", 400) + "$" + somekey},
	"hash itself":        {"$argon2id$v=19$m=65536,t=2,p=1$" + somesalt + "$", "$argon2id$v=19$m=65536,t=2,p=1$" + somesalt + "$abcd", "$scrypt$ln=14,r=8,p=1$" + somesalt + "$" + strings.Repeat("A", 200)},
	"longer than":        {"$scrypt$ln=14,r=8,p=1$" + somesalt + "$" + strings.Repeat("A", 2000)},
	"at most 2^20":       {phc("scrypt$ln=21,r=8,p=1"), "scrypt$2097152$salt$8$1$" + somekey, "scrypt:2097152:8:1$salt$" + rfc7914Key},
	"N·r·p":              {phc("scrypt$ln=20,r=16,p=1"), phc("scrypt$ln=20,r=64,p=64"), phc("scrypt$ln=1,r=999999999,p=1"), phc("scrypt$ln=1,r=1,p=999999999"), "scrypt:2:99999999:99999999$salt$" + rfc7914Key},
	"form $scrypt":       {phc("scrypt$ln=14,r=8"), phc("scrypt$ln=-14,r=8,p=1")},
	"form scrypt$":       {"scrypt$16383$salt$8$1$" + somekey, "scrypt$-16384$salt$8$1$" + somekey, "scrypt$16384$salt$8$" + somekey},
	"form scrypt:":       {"scrypt:16383:8:1$salt$" + rfc7914Key, "scrypt:16384:8:1$salt$xyz", "scrypt:16384:8$salt$" + rfc7914Key, "scrypt:"},
	"rounds":             {phc("pbkdf2-sha256$i=10000001"), "pbkdf2_sha256$10000001$salt$" + somekey, "pbkdf2:sha256:10000001$salt$" + rfc7914Key, "$pbkdf2-sha1$i=6000000$c2FsdA$" + somekey},
	"form $pbkdf2":       {phc("pbkdf2-sha256$0"), phc("pbkdf2-sha256$-5"), phc("pbkdf2-sha256$i=6400,l=20"), phc("pbkdf2-sha256$i=1e3"), phc("pbkdf2-sha256$")},
	"form pbkdf2_sha256": {"pbkdf2_sha256$-1$salt$" + somekey, "pbkdf2_sha256$1000$salt", "pbkdf2_sha256$1000$salt$!"},
	"form pbkdf2:":       {"pbkdf2:sha256$salt$" + rfc7914Key, "pbkdf2:sha256:0$salt$" + rfc7914Key},
	"another function":   {"pbkdf2:md5:1000$salt$" + rfc7914Key},
	"cost 16":            {"$2a$16" + bcryptRest, "bcrypt$$2b$16" + bcryptRest, "bcrypt_sha256$$2b$16" + bcryptRest},
	"cost 31":            {"$2a$31" + bcryptRest},
	"not valid":          {"$2a$03" + bcryptRest, "$2a$99" + bcryptRest},
	"form of bcrypt":     {"$2x$12" + bcryptRest, "$2a$12" + bcryptRest + "x", "$2a$12" + bcryptRest[:50], "bcrypt$5f4dcc3b5aa765d61d8327deb882cf99", "$2a$-1" + bcryptRest},
	"form $fbscrypt": {
		"$fbscrypt$", strings.Replace(firebaseHash, "p=1", "p=2", 1), strings.Replace(firebaseHash, "v=1", "v=2", 1), strings.Replace(firebaseHash, "n=14", "n=-14", 1),
		strings.Replace(firebaseHash, "ss=Bw==,", "", 1), strings.Replace(firebaseHash, "r=8,", "", 1), strings.Replace(firebaseHash, "sk=", "sk=!", 1), strings.Replace(firebaseHash, "sk=", "x=1,sk=", 1),
	},
	"signer key":            {strings.Replace(firebaseHash, "jxspr8Ki", "", 1)},
	"N=2^21":                {strings.Replace(firebaseHash, "n=14", "n=21", 1)},
	"in a form that Octavo": {"", "password", phc("pbkdf2-md5$i=6400"), phc("md5$i=1"), "$argon2d$v=19$m=65536,t=2,p=1$" + somesalt + "$" + somekey, "$argon2id", "md5$salt$5f4dcc3b5aa765d61d8327deb882cf99", "{SSHA}abc", "sha384:$2a$12" + bcryptRest},
}

func phc(idAndCosts string) string { return "$" + idAndCosts + "$" + somesalt + "$" + somekey }

func argon2(costs string) string { return phc("argon2id$v=19$" + costs) }

func TestExpensiveAndBrokenHashesAreRefusedWithTheReason(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: hashing.MinCost})
	for reason, all := range refused {
		for _, hash := range all {
			err := h.CheckHash(hash)
			if !errors.Is(err, hashing.ErrHash) || !strings.Contains(fmt.Sprint(err), reason) {
				t.Errorf("%.100q: %v, not %s", hash, err, reason)
			}
			if len(hash) > 20 && strings.Contains(fmt.Sprint(err), hash[len(hash)-10:]) {
				t.Errorf("the error quotes the hash: %v", err)
			}
		}
	}
}

// Whoever can write to the database must not make the server work for hours.
func TestARefusedHashInTheDatabaseMatchesNothingAndIsNotComputed(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: hashing.MinCost})
	for _, hash := range []string{"$2a$31" + bcryptRest, argon2("m=999999999,t=999999999,p=1"), "bcrypt$$2b$31" + bcryptRest, phc("scrypt$ln=30,r=8,p=1")} {
		if right, outdated := verify(t, h, hash, "password"); right || outdated {
			t.Errorf("%s matches", hash)
		}
	}
}

func TestTheLimitsThemselvesAreAccepted(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: hashing.MinCost})
	for _, hash := range []string{
		argon2("m=262144,t=10,p=4"), phc("scrypt$ln=20,r=8,p=1"), phc("pbkdf2-sha256$i=10000000"), "$2y$15" + bcryptRest, "scrypt:1048576:8:1$salt$" + rfc7914Key,
	} {
		if err := h.CheckHash(hash); err != nil {
			t.Errorf("%s: %v", hash, err)
		}
	}
}

func FuzzCheckHash(f *testing.F) {
	for _, one := range fromElsewhere {
		f.Add(one.hash)
	}
	for _, all := range refused {
		for _, hash := range all {
			f.Add(hash)
		}
	}
	h := hasher(f, hashing.Config{Cost: hashing.MinCost})
	f.Fuzz(func(t *testing.T, hash string) {
		err := h.CheckHash(hash)
		if err != nil && !errors.Is(err, hashing.ErrHash) {
			t.Fatalf("%q: %v", hash, err)
		}
		if err == nil && (len(hash) > 1024 || strings.ContainsAny(hash, "\r\n\x00") && !strings.ContainsAny(hash, "$:")) {
			t.Fatalf("%q is accepted", hash)
		}
	})
}
