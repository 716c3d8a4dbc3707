package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// arena is a running auth service with accounts, and its private key: some tokens must be
// refused even if the service's own key signed them.
type arena struct {
	service
	key           *ecdsa.PrivateKey
	rounds        int // of races
	owner, admin  *person
	victim, thief *person // their sessions live through all attacks
	late          *person // refreshed once at the beginning
	lateToken     string
	lateSince     time.Time
}

type attack struct {
	name string
	run  func(t *testing.T, a *arena)
}

const origin = "https://app.test"

// Each attack has the name of its goal. The test passes if the attack fails and its victims
// notice nothing. All attacks run against the default stores; those that depend on a store
// run against each of them.
func TestAttacks(t *testing.T) {
	decidedByStores := slices.Concat(sessionAttacks, codeAttacks, passwordAttacks, rightsAttacks)
	everything := slices.Concat(decidedByStores, tokenAttacks, forgeryAttacks(), browserAttacks, formAttacks(), queryAttacks, headerAttacks)
	t.Parallel()
	for name, store := range authStores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, attacks := store(t), everything
			if len(env) > 0 {
				attacks = decidedByStores
			}
			a := newArena(t, env...)
			if total := a.face(t, attacks); total < 60 {
				t.Errorf("only %d attacks", total)
			}
		})
	}
}

// face runs the attacks one after another and logs their number.
func (a *arena) face(t *testing.T, attacks []attack) int {
	for _, x := range attacks {
		t.Run(x.name, func(t *testing.T) {
			a.victim.t, a.thief.t, a.owner.t, a.admin.t = t, t, t, t
			x.run(t, a)
			a.victim.in("the victim of " + x.name)
		})
	}
	return len(attacks)
}

func newArena(t *testing.T, env ...string) *arena {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &arena{key: key, rounds: 200}
	if len(env) > 0 || testing.Short() {
		a.rounds = 100
	}
	a.service = startAuth(t, append(append(keyPair(t, key), "ALLOWED_ORIGINS="+origin), env...)...)
	a.late = a.member(t, byBearer, "late")
	a.lateToken, a.lateSince = a.late.refresh, time.Now()
	a.late.refreshes()
	a.late.in("the new access token has arrived")
	a.owner, a.admin = a.promoted(t, byBearer, "owner"), a.promoted(t, byBearer, "admin")
	a.victim, a.thief = a.member(t, byBearer, "victim"), a.member(t, byBearer, "thief")
	return a
}

// keyPair is a key in the form of the settings.
func keyPair(t *testing.T, key *ecdsa.PrivateKey) []string {
	t.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	line := func(kind string, der []byte) string {
		return strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})), "\n", `\n`)
	}
	return []string{"PRIVATE_KEY=" + line("PRIVATE KEY", private), "PUBLIC_KEY=" + line("PUBLIC KEY", public)}
}

// together runs f n times concurrently.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	all.Wait()
}
