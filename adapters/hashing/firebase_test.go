package hashing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/test/must"
)

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
