package hashing_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"golang.org/x/crypto/bcrypt"
)

func hasher(t testing.TB, c hashing.Config) *hashing.Hasher {
	t.Helper()
	return must.Get(hashing.New(c))(t)
}

func verify(t *testing.T, h *hashing.Hasher, hash string, p user.Password) (right, outdated bool) {
	t.Helper()
	right, outdated = must.Get2(h.VerifyPassword(context.Background(), hash, p))(t)
	return right, outdated
}

func TestOnlyTheWholePasswordOfAnyLengthMatches(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	long := strings.Repeat("x", 71)
	for _, p := range []user.Password{"k", "correct horse", user.Password(long + "yz"), user.Password(strings.Repeat("💐", 128))} {
		hash := must.Get(h.HashPassword(context.Background(), p))(t)
		if strings.Contains(hash, string(p)) && len(p) > 1 {
			t.Fatalf("%q contains the password", hash)
		}
		if right, outdated := verify(t, h, hash, p); !right || outdated {
			t.Errorf("%.10q: right %v, outdated %v", p, right, outdated)
		}
		if right, _ := verify(t, h, hash, p+"x"); right {
			t.Errorf("%.10q: one more character still matches", p)
		}
	}
	hash := must.Get(h.HashPassword(context.Background(), user.Password(long+"yz")))(t)
	if right, _ := verify(t, h, hash, user.Password(long+"yZ")); right {
		t.Error("a long password was truncated")
	}
}

func TestImportedBcryptHashesMatchOnlyTheWholePassword(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	cut := strings.Repeat("x", 72)
	for _, cost := range []int{4, 10, 11} {
		hash := must.Get(bcrypt.GenerateFromPassword([]byte(cut), cost))(t)
		foreign := strings.Replace(string(hash), "$2a$", "$2y$", 1)
		if right, outdated := verify(t, h, foreign, user.Password(cut)); !right || outdated != (cost != 10) {
			t.Errorf("cost %d: right %v, outdated %v", cost, right, outdated)
		}
		if right, _ := verify(t, h, foreign, user.Password(cut+"y")); right {
			t.Errorf("cost %d: a longer password matches by its first 72 bytes", cost)
		}
	}
}

func TestAnEmptyOrBrokenHashNeverMatches(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	for _, hash := range []string{"", "x", "sha384:", "sha384:x", "$2a$10$", "$1$abc$def", strings.Repeat("$", 60)} {
		if right, outdated := verify(t, h, hash, "correct horse"); right || outdated {
			t.Errorf("%q: right %v, outdated %v", hash, right, outdated)
		}
	}
}

func TestOnlyBcryptHashesOfABoundedCostAreImported(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	const rest = "$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
	for hash, good := range map[string]bool{
		"$2a$04" + rest: true, "$2b$12" + rest: true, "$2y$15" + rest: true, "$2a$16" + rest: false, "$2a$31" + rest: false, "$2a$03" + rest: false,
		"$2a$12" + rest + "x": false, "$2a$12" + rest[:50]: false, "": false, "password": false, "$argon2id$v=19$m=1": false,
		"$2x$12" + rest: false, "$2a$12" + rest[:53] + "!": false, "$2a$12" + rest[:53] + "\n": false, "$2a$12" + strings.Repeat("$", 54): false,
	} {
		if err := h.CheckHash(hash); (err == nil) != good {
			t.Errorf("%q: %v", hash, err)
		}
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	for _, c := range []hashing.Config{{}, {Cost: hashing.MinCost - 1}, {Cost: 16}, {Cost: 12, Workers: -1}, {Cost: 12, Queue: -1}} {
		if _, err := hashing.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestAFingerprintIsEqualForTheSamePasswordAndSaltOnly(t *testing.T) {
	h := hasher(t, hashing.Config{Cost: 10})
	mark := func(p user.Password, salt string) [32]byte {
		return must.Get(h.FingerprintPassword(context.Background(), p, []byte(salt)))(t)
	}
	one := mark("correct horse", "a salt")
	if one != mark("correct horse", "a salt") || one == mark("correct horsf", "a salt") || one == mark("correct horse", "b salt") {
		t.Error("fingerprints of different passwords or salts are equal")
	}
}

// The example in the README of Firebase's scrypt, in the form in which the console shows
// the parameters of a project.
const (
	firebaseParameters = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
`
	firebaseSalt = "42xEC+ixf3L2lw=="
	firebaseKey  = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
	firebaseHash = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$" + firebaseSalt + "$" + firebaseKey
)

func TestTheParametersOfAFirebaseProjectCompleteItsHashes(t *testing.T) {
	asJSON := `{"algorithm": "SCRYPT", "base64_signer_key": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
		"base64_salt_separator": "Bw==", "rounds": 8, "mem_cost": 14}`
	for _, text := range []string{firebaseParameters, asJSON, strings.ReplaceAll(firebaseParameters, "\n", "\r\n")} {
		f := must.Get(hashing.ParseFirebase(text))(t)
		for _, key := range []string{firebaseKey, strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(firebaseKey)} {
			if hash, err := f.Format(key, firebaseSalt); err != nil || hash != firebaseHash {
				t.Errorf("%s, %v", hash, err)
			}
		}
		for _, bad := range [][2]string{{"!", firebaseSalt}, {firebaseKey, "!"}, {firebaseKey, ""}, {"", firebaseSalt}, {firebaseKey[4:], firebaseSalt}} {
			if hash, err := f.Format(bad[0], bad[1]); !errors.Is(err, hashing.ErrHash) {
				t.Errorf("%q is accepted: %s, %v", bad, hash, err)
			}
		}
	}
}

func TestIncompleteParametersOfAFirebaseProjectAreRefused(t *testing.T) {
	for old, changed := range map[string]string{
		"base64_signer_key": "key", "base64_salt_separator": "sep", "rounds: 8": "rounds: 0", "mem_cost: 14": "", "mem_cost: 1": "mem_cost: -1",
		"Bw==": "!", "rounds: 8,": "rounds: 8, rounds: 9,", "mem_cost: 14,": "mem_cost: 21,", "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==": "AAAA",
	} {
		if f, err := hashing.ParseFirebase(strings.Replace(firebaseParameters, old, changed, 1)); err == nil {
			t.Errorf("%s in place of %s is accepted: %+v", changed, old, f)
		}
	}
}
