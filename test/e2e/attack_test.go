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

// attackFixture is a running auth service with accounts, and its private key: some tokens must be
// refused even if the service's own key signed them.
type attackFixture struct {
	service
	key              *ecdsa.PrivateKey
	rounds           int // of races
	owner, admin     *person
	victim, attacker *person // their sessions must survive all attacks
	late             *person // refreshed once at the beginning; lateToken is its token before that
	lateToken        string
	lateSince        time.Time
}

type attack struct {
	name string
	run  func(t *testing.T, a *attackFixture)
}

const origin = "https://app.test"

// The name of an attack says what it tries. Each must fail, and the victim must stay signed in. All attacks run against the default stores; those that depend on a store
// run against each of them.
func TestAttacks(t *testing.T) {
	storeDependent := slices.Concat(sessionAttacks, codeAttacks, passwordAttacks, rightsAttacks)
	all := slices.Concat(storeDependent, tokenAttacks, forgeryAttacks(), browserAttacks, formAttacks(), queryAttacks, headerAttacks)
	t.Parallel()
	for name, store := range authStores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, attacks := store(t), all
			if len(env) > 0 {
				attacks = storeDependent
			}
			a := newAttackFixture(t, env...)
			if total := a.run(t, attacks); total < 60 {
				t.Errorf("only %d attacks", total)
			}
		})
	}
}

// run runs the attacks one after another and logs their number.
func (a *attackFixture) run(t *testing.T, attacks []attack) int {
	for _, x := range attacks {
		t.Run(x.name, func(t *testing.T) {
			a.victim.t, a.attacker.t, a.owner.t, a.admin.t = t, t, t, t
			x.run(t, a)
			a.victim.assertSignedIn("the victim of " + x.name)
		})
	}
	return len(attacks)
}

func newAttackFixture(t *testing.T, env ...string) *attackFixture {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &attackFixture{key: key, rounds: 200}
	if len(env) > 0 || testing.Short() {
		a.rounds = 100
	}
	a.service = startAuth(t, append(append(keyPair(t, key), "ALLOWED_ORIGINS="+origin), env...)...)
	a.late = a.member(t, byBearer, "late")
	a.lateToken, a.lateSince = a.late.refresh, time.Now()
	a.late.refreshes()
	a.late.assertSignedIn("with the new access token")
	a.owner, a.admin = a.promoted(t, byBearer, "owner"), a.promoted(t, byBearer, "admin")
	a.victim, a.attacker = a.member(t, byBearer, "victim"), a.member(t, byBearer, "attacker")
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
