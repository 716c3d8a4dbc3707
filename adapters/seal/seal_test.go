package seal_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/test/must"
)

func TestASealedTextIsUnreadableAndOpens(t *testing.T) {
	box := newBox(t, newKey(t), "outbox")
	for _, plain := range [][]byte{nil, []byte("12345678"), bytes.Repeat([]byte("x"), 10_000)} {
		sealed := must.Get(box.Seal(plain))(t)
		if len(plain) > 0 && bytes.Contains(sealed, plain) {
			t.Error("the plain text can be read")
		}
		if again, _ := box.Seal(plain); bytes.Equal(again, sealed) {
			t.Error("sealing the same text twice gives the same bytes")
		}
		if opened, err := box.Open(sealed); err != nil || !bytes.Equal(opened, plain) {
			t.Errorf("opened %q, %v", opened, err)
		}
	}
}

func TestTheSameKeyOpensAfterARestart(t *testing.T) {
	key := newKey(t)
	sealed := must.Get(newBox(t, key, "outbox").Seal([]byte("12345678")))(t)
	if _, err := newBox(t, key, "outbox").Open(sealed); err != nil {
		t.Error(err)
	}
}

func TestAModifiedOrForeignTextDoesNotOpen(t *testing.T) {
	key := newKey(t)
	box := newBox(t, key, "outbox")
	sealed := must.Get(box.Seal([]byte("12345678")))(t)
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, attempt := range map[string]func() ([]byte, error){
		"changed":         func() ([]byte, error) { return box.Open(changed) },
		"cut":             func() ([]byte, error) { return box.Open(sealed[:10]) },
		"nothing":         func() ([]byte, error) { return box.Open(nil) },
		"another purpose": func() ([]byte, error) { return newBox(t, key, "unsubscribe").Open(sealed) },
		"another key":     func() ([]byte, error) { return newBox(t, newKey(t), "outbox").Open(sealed) },
	} {
		if opened, err := attempt(); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("%s: opened %q, %v, want %v", name, opened, err, seal.ErrBroken)
		}
	}
}

func TestATextSealedWithAnOlderKeyStillOpens(t *testing.T) {
	old, older, now := newKey(t), newKey(t), newKey(t)
	box := must.Get(seal.New(now, "secrets", old, older))(t)
	for _, key := range []*ecdsa.PrivateKey{now, old, older} {
		sealed := must.Get(newBox(t, key, "secrets").Seal([]byte("a secret")))(t)
		if opened, err := box.Open(sealed); err != nil || string(opened) != "a secret" {
			t.Errorf("opened %q, %v", opened, err)
		}
	}
	sealed := must.Get(box.Seal([]byte("a secret")))(t)
	must.Refuse(t, must.Err(newBox(t, old, "secrets").Open(sealed)), seal.ErrBroken, "it still seals with an old key")
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))(t)
}

func newBox(t *testing.T, key *ecdsa.PrivateKey, purpose string) *seal.Box {
	t.Helper()
	return must.Get(seal.New(key, purpose))(t)
}
