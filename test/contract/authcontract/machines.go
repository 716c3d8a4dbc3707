package authcontract

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Machines tests machines.Reader and machines.Store, and the use cases over them.
func Machines(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"machines and resources are found as they were saved":                machineRoundTrip,
		"of too many sessions of a machine the oldest go":                    machineSessionsBounded,
		"an assertion is used once, at whichever replica":                    assertionOnce,
		"a token is for its own resource and the scopes that are left":       machineTokenInspected,
		"a token ends with its session, its machine and its resource":        machineTokenEnds,
		"a machine asks only for what it may":                                machineRefusals,
		"a renewed secret works, and the old one for as long as it overlaps": machineSecretRenewed,
		"an assertion is by its machine, for this server, short and new":     assertionRules,
		"only owners register machines and resources":                        machinesOfOwners,
		"owners who add at once stay within the limits of 1,000":             lastOnesAtOnce,
		"a changed resource has the same id and secret":                      resourceChanged,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func machineTx(k *authkit.Fixture, fn func(machines.Store) error) error {
	return k.Store.Identity.Atomically(ctx, func(_ context.Context, st auth.Stores) error { return fn(k.Store.Identity.MachineStore(st)) })
}

func machineRoundTrip(t *testing.T, k *authkit.Fixture) {
	s := k.Store.Identity
	r := machine.Resource{ID: "r1", Name: "Prices", Identifier: "https://prices.example", Scopes: []string{"read", "write"}, Secret: machine.Secret{Hash: machine.Hash{1}}, CreatedAt: monday}
	c := machine.Client{
		ID: "m1", Name: "Robot", Keys: "{}", KeysURL: "https://a.example", Resources: []string{"r1", "r2"}, Scopes: []string{"read"}, CreatedAt: monday,
		Secret: machine.Secret{Hash: machine.Hash{2}, Previous: machine.Hash{3}, PreviousUntil: monday.Add(time.Hour)},
	}
	for range 2 { // adds, then updates
		must.Do(t, machineTx(k, func(st machines.Store) error { return errors.Join(st.SaveResource(ctx, r), st.SaveMachine(ctx, c)) }))
		if found, err := s.FindMachine(ctx, "m1"); err != nil || !reflect.DeepEqual(found, c) {
			t.Fatalf("saved %+v, found %+v, %v", c, found, err)
		}
		if found, err := s.FindResource(ctx, "r1"); err != nil || !reflect.DeepEqual(found, r) {
			t.Fatalf("saved %+v, found %+v, %v", r, found, err)
		}
		c.Name, c.Scopes, r.Name = "Another", []string{"write"}, "Costs"
	}
	c.Name, c.Scopes, r.Name = "Another", []string{"write"}, "Costs"
	taken := r
	taken.ID = "r2"
	want(t, machineTx(k, func(st machines.Store) error { return st.SaveResource(ctx, taken) }), machine.ErrIdentifierTaken)
	want(t, must.Err(s.FindMachine(ctx, "m2")), machine.ErrClientNotFound)
	want(t, must.Err(s.FindResource(ctx, "r2")), machine.ErrResourceNotFound)
	if found, err := s.FindResourceByIdentifier(ctx, r.Identifier); err != nil || found.ID != "r1" {
		t.Errorf("found %+v, %v", found, err)
	}
	want(t, must.Err(s.FindResourceByIdentifier(ctx, "https://prices.example/")), machine.ErrResourceNotFound)
	if len(must.Get(s.ListMachines(ctx))(t)) != 1 || len(must.Get(s.ListResources(ctx))(t)) != 1 {
		t.Error("the lists are wrong")
	}
}

func machineSessionsBounded(t *testing.T, k *authkit.Fixture) {
	must.Do(t, machineTx(k, func(st machines.Store) error {
		if err := st.SaveMachine(ctx, machine.Client{ID: "m1", Resources: []string{"r1"}, CreatedAt: monday}); err != nil {
			return err
		}
		for id := range user.SessionID(5) {
			for _, of := range []string{"m1", "m2"} {
				one := machine.Session{ID: 2*id + 1, Client: of, Resource: "r1", Scopes: "read write", IP: "192.0.2.7", CreatedAt: monday, ExpiresAt: monday.Add(time.Hour)}
				if of == "m2" {
					one.ID++
				}
				if err := st.AddMachineSession(ctx, one, 3); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	all := must.Get(k.Store.Identity.ListMachineSessions(ctx, "m1"))(t)
	if len(all) != 3 || all[0].ID != 9 || all[2].ID != 5 || all[0].Scopes != "read write" || !all[0].ExpiresAt.Equal(monday.Add(time.Hour)) {
		t.Errorf("left are %+v", all)
	}
	if s, c, err := k.Store.Identity.FindMachineSession(ctx, 9); err != nil || s != all[0] || c.ID != "m1" || c.Resources[0] != "r1" {
		t.Errorf("found %+v of %+v, %v", s, c, err)
	}
	want(t, must.Err(k.Store.Identity.FindMachineSession(ctx, 1)), machine.ErrSessionNotFound)
	k.Clock.Advance(100 * 365 * 24 * time.Hour)
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	if all := must.Get(k.Store.Identity.ListMachineSessions(ctx, "m1"))(t); len(all) != 0 {
		t.Errorf("not swept: %+v", all)
	}
}

func assertionOnce(t *testing.T, k *authkit.Fixture) {
	var accepted atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			used := false
			err := machineTx(k, func(st machines.Store) (err error) {
				used, err = st.UseAssertion(ctx, sha256.Sum256([]byte("one")), k.Clock.Now().Add(time.Minute))
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if used {
				accepted.Add(1)
			}
		})
	}
	all.Wait()
	if accepted.Load() != 1 {
		t.Errorf("accepted %d times", accepted.Load())
	}
}

// robots are a resource, another one, and a machine that may call both.
type robots struct {
	root          user.Caller
	prices, other machine.Resource
	robot         machine.Client
	secret        string
}

func newRobots(t *testing.T, k *authkit.Fixture) (r robots) {
	t.Helper()
	var err error
	r.root = k.CreateCaller(t, "root@u.edu", user.Owner)
	r.prices, _, err = k.Resources.Add(ctx, r.root, machine.Resource{Name: "Prices", Identifier: "https://prices.example", Scopes: []string{"read", "write", "never"}})
	must.Do(t, err)
	r.other, _, err = k.Resources.Add(ctx, r.root, machine.Resource{Name: "Other", Identifier: "https://other.example", Scopes: []string{"read"}})
	must.Do(t, err)
	r.robot, r.secret, err = k.Machines.Add(ctx, r.root, machine.Client{Name: "Robot", Resources: []string{r.prices.ID, r.other.ID}, Scopes: []string{"read", "write"}})
	must.Do(t, err)
	r.robot = must.Get(k.MachineTokens.AuthenticateBySecret(ctx, r.robot.ID, r.secret))(t)
	return r
}

func (r robots) issue(t *testing.T, k *authkit.Fixture, scope string) machines.Issued {
	t.Helper()
	return must.Get(k.MachineTokens.Issue(ctx, r.robot, "https://prices.example", scope, authkit.Firefox))(t)
}

func machineTokenInspected(t *testing.T, k *authkit.Fixture) {
	r := newRobots(t, k)
	all := r.issue(t, k, "")
	if all.Scopes != "read write" || all.ExpiresIn != k.Config.AccessTTL {
		t.Errorf("issued %+v", all)
	}
	inspect := func(of machine.Resource) machines.Inspection {
		return must.Get(k.MachineTokens.Inspect(ctx, of, all.AccessToken))(t)
	}
	if found := inspect(r.prices); !found.Active || found.Client != r.robot.ID || found.Audience != "https://prices.example" || found.Scopes != "read write" {
		t.Errorf("it is %+v", found)
	}
	if inspect(r.other).Active {
		t.Error("another resource learns about it")
	}
	want(t, must.Err(k.Authenticator.Authenticate(ctx, all.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	narrow := func(change func(*machine.Client)) {
		_, _, err := k.Machines.Update(ctx, r.root, r.robot.ID, change)
		must.Do(t, err)
	}
	narrow(func(c *machine.Client) { c.Scopes = []string{"read"} })
	if found := inspect(r.prices); found.Scopes != "read" {
		t.Errorf("after its scope was narrowed it is %+v", found)
	}
	want(t, must.Err(k.MachineTokens.Issue(ctx, r.robot, "https://prices.example", "write", authkit.Firefox)), machine.ErrInvalidScope)
	narrow(func(c *machine.Client) { c.Resources = []string{r.other.ID} })
	if inspect(r.prices).Active {
		t.Error("it is active at a resource that the machine has lost")
	}
}

func machineTokenEnds(t *testing.T, k *authkit.Fixture) {
	r := newRobots(t, k)
	active := func(token machines.Issued) bool {
		return must.Get(k.MachineTokens.Inspect(ctx, r.prices, token.AccessToken))(t).Active
	}
	one, two, three := r.issue(t, k, "read"), r.issue(t, k, "read"), r.issue(t, k, "read")
	thief, _, err := k.Machines.Add(ctx, r.root, machine.Client{Name: "Thief", Resources: []string{r.prices.ID}, Scopes: []string{"read"}})
	must.Do(t, err)
	must.Do(t, k.MachineTokens.Revoke(ctx, thief, one.AccessToken, authkit.Firefox))
	if !active(one) {
		t.Error("another machine has revoked it")
	}
	must.Do(t, k.MachineTokens.Revoke(ctx, r.robot, one.AccessToken, authkit.Firefox))
	if active(one) || !active(two) {
		t.Error("one token was revoked, and not that one")
	}
	listed := must.Get(k.Machines.ListSessions(ctx, r.root, r.robot.ID))(t)
	if len(listed) != 2 || listed[1].IP != authkit.Firefox.IP {
		t.Fatalf("listed %+v", listed)
	}
	if n, err := k.Machines.EndSessions(ctx, r.root, r.robot.ID, listed[1].ID); err != nil || n != 1 || active(two) || !active(three) {
		t.Errorf("ended %d, %v", n, err)
	}
	if n, err := k.Resources.Remove(ctx, r.root, r.other.ID); err != nil || n != 0 || !active(three) {
		t.Errorf("the end of another resource ended %d, %v", n, err)
	}
	if n, err := k.Machines.Remove(ctx, r.root, r.robot.ID); err != nil || n != 1 || active(three) {
		t.Errorf("the end of the machine ended %d, %v", n, err)
	}
	want(t, must.Err(k.MachineTokens.Issue(ctx, r.robot, "https://prices.example", "", authkit.Firefox)), machine.ErrUnknown)
	want(t, must.Err(k.Machines.Remove(ctx, r.root, r.robot.ID)), machine.ErrClientNotFound)
	last := must.Get(k.MachineTokens.Issue(ctx, thief, "", "", authkit.Firefox))(t)
	k.Clock.Advance(k.Config.AccessTTL)
	if active(last) {
		t.Error("an expired token is active")
	}
	if n, err := k.Resources.Remove(ctx, r.root, r.prices.ID); err != nil || n != 1 {
		t.Errorf("the end of the resource ended %d, %v", n, err)
	}
	want(t, must.Err(k.MachineTokens.AuthenticateResource(ctx, r.prices.ID, "any")), machine.ErrUnknown)
}

func machineRefusals(t *testing.T, k *authkit.Fixture) {
	r := newRobots(t, k)
	for asked, refusal := range map[[2]string]error{
		{"", ""}: machine.ErrInvalidTarget, {"https://unknown.example", ""}: machine.ErrInvalidTarget,
		{"https://prices.example", "never"}: machine.ErrInvalidScope, {"https://other.example", "write"}: machine.ErrInvalidScope, {"https://prices.example", "read openid"}: machine.ErrInvalidScope,
	} {
		must.Refuse(t, must.Err(k.MachineTokens.Issue(ctx, r.robot, asked[0], asked[1], authkit.Firefox)), refusal, strings.Join(asked[:], " "))
	}
	want(t, must.Err(k.MachineTokens.AuthenticateBySecret(ctx, r.robot.ID, "")), machine.ErrUnknown)
	want(t, must.Err(k.MachineTokens.AuthenticateBySecret(ctx, "m1", r.secret)), machine.ErrUnknown)
	for _, bad := range []machine.Resource{
		{Name: "", Identifier: "https://a.example", Scopes: []string{"a"}}, {Name: "A", Identifier: "a.example", Scopes: []string{"a"}},
		{Name: "A", Identifier: "https://a.example/#x", Scopes: []string{"a"}}, {Name: "A", Identifier: "https://a.example", Scopes: []string{"a", "a"}},
		{Name: "A", Identifier: "https://a.example"}, {Name: "A", Identifier: "https://a.example", Scopes: []string{"a b"}},
		{Name: "A", Identifier: "https://prices.example", Scopes: []string{"a"}}, {Name: "A", Identifier: k.Config.Issuer, Scopes: []string{"a"}},
		{Name: "A", Identifier: "octavo:audience", Scopes: []string{"a"}},
	} {
		if _, _, err := k.Resources.Add(ctx, r.root, bad); err == nil {
			t.Errorf("added %+v", bad)
		}
	}
	for _, bad := range []machine.Client{
		{Name: "A", Scopes: []string{"read"}}, {Name: "A", Resources: []string{"r1"}, Scopes: []string{"read"}}, {Name: "A", Resources: []string{r.prices.ID}},
		{Name: "A", Resources: []string{r.prices.ID}, Scopes: []string{"read"}, Keys: `{"keys":[]}`},
		{Name: "A", Resources: []string{r.prices.ID}, Scopes: []string{"read"}, KeysURL: "http://keys.example"},
	} {
		if _, _, err := k.Machines.Add(ctx, r.root, bad); err == nil {
			t.Errorf("added %+v", bad)
		}
	}
}

func machineSecretRenewed(t *testing.T, k *authkit.Fixture) {
	r := newRobots(t, k)
	signsIn := func(secret string) error {
		return must.Err(k.MachineTokens.AuthenticateBySecret(ctx, r.robot.ID, secret))
	}
	want(t, must.Err(k.Machines.RenewSecret(ctx, r.root, r.robot.ID, machine.MaxOverlap+1)), machine.ErrOverlap)
	renewed := must.Get(k.Machines.RenewSecret(ctx, r.root, r.robot.ID, time.Hour))(t)
	must.Do(t, errors.Join(signsIn(renewed), signsIn(r.secret)))
	k.Clock.Advance(time.Hour)
	want(t, signsIn(r.secret), machine.ErrUnknown)
	again := must.Get(k.Machines.RenewSecret(ctx, r.root, r.robot.ID, 0))(t)
	want(t, signsIn(renewed), machine.ErrUnknown)
	must.Do(t, signsIn(again))
	secret := must.Get(k.Resources.RenewSecret(ctx, r.root, r.prices.ID, 0))(t)
	must.Get(k.MachineTokens.AuthenticateResource(ctx, r.prices.ID, secret))(t)
}

func machinesOfOwners(t *testing.T, k *authkit.Fixture) {
	dean := k.CreateCaller(t, "dean@u.edu", user.Admin)
	_, _, added := k.Machines.Add(ctx, dean, machine.Client{})
	_, _, updated := k.Machines.Update(ctx, dean, "m1", func(*machine.Client) {})
	_, _, resource := k.Resources.Add(ctx, dean, machine.Resource{})
	for _, err := range []error{
		added, updated, resource, must.Err(k.Machines.List(ctx, dean)), must.Err(k.Machines.Remove(ctx, dean, "m1")), must.Err(k.Machines.RenewSecret(ctx, dean, "m1", 0)),
		must.Err(k.Machines.EndSessions(ctx, dean, "m1")), must.Err(k.Resources.List(ctx, dean)), must.Err(k.Resources.Remove(ctx, dean, "r1")), must.Err(k.Resources.RenewSecret(ctx, dean, "r1", 0)),
	} {
		want(t, err, user.ErrForbidden)
	}
}

// lastOnesAtOnce leaves room for one machine, one resource and one application, and lets several owners add each.
func lastOnesAtOnce(t *testing.T, k *authkit.Fixture) {
	must.Do(t, k.Store.Identity.Atomically(ctx, func(_ context.Context, st auth.Stores) error {
		m, clients := k.Store.Identity.MachineStore(st), k.Store.Identity.ProviderStore(st)
		var err error
		for i := range machine.Max - 1 {
			n := strconv.Itoa(1_000 + i)
			err = errors.Join(
				err, m.SaveResource(ctx, machine.Resource{ID: "r" + n, Name: n, Identifier: "https://a.example/" + n, Scopes: []string{"read"}, CreatedAt: monday}),
				m.SaveMachine(ctx, machine.Client{ID: "m" + n, Name: n, Resources: []string{"r1000"}, Scopes: []string{"read"}, CreatedAt: monday}),
				clients.SaveClient(ctx, openid.Client{ID: n, Name: n, RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256, CreatedAt: monday}),
			)
		}
		return err
	}))
	for name, test := range map[string]struct {
		add  func(n int) error
		full error
	}{
		"resources": {func(n int) error {
			return must.Err(k.Resources.Add(ctx, admin, machine.Resource{Name: "New", Identifier: "https://b.example/" + strconv.Itoa(n), Scopes: []string{"read"}}))
		}, machine.ErrTooMany},
		"machines": {func(int) error {
			return must.Err(k.Machines.Add(ctx, admin, machine.Client{Name: "New", Resources: []string{"r1000"}, Scopes: []string{"read"}}))
		}, machine.ErrTooMany},
		"applications": {func(int) error {
			return must.Err(k.Clients.Add(ctx, admin, openid.Client{Name: "New", RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256}))
		}, openid.ErrTooManyClients},
	} {
		var added atomic.Int32
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				switch err := test.add(n); {
				case err == nil:
					added.Add(1)
				case !errors.Is(err, test.full):
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		if all.Wait(); added.Load() != 1 {
			t.Errorf("%d %s were added where there was room for one", added.Load(), name)
		}
	}
}

func resourceChanged(t *testing.T, k *authkit.Fixture) {
	r, secret, err := k.Resources.Add(ctx, admin, machine.Resource{Name: "Prices", Identifier: "https://prices.example", Scopes: []string{"read", "write"}})
	must.Do(t, err)
	must.Get(k.Resources.Update(ctx, admin, r.ID, func(one *machine.Resource) {
		one.ID, one.Name, one.Scopes, one.Secret = "r1", "Costs", []string{"read"}, machine.Secret{}
	}))(t)
	after := must.Get(k.Resources.Find(ctx, admin, r.ID))(t)
	if after.Name != "Costs" || len(after.Scopes) != 1 || after.Identifier != r.Identifier || !after.Secret.Is(secret, k.Clock.Now()) {
		t.Errorf("the resource is %+v", after)
	}
	for _, identifier := range []string{"prices", "octavo:audience"} {
		if err := must.Err(k.Resources.Update(ctx, admin, r.ID, func(one *machine.Resource) { one.Identifier = identifier })); err == nil {
			t.Errorf("%q was accepted", identifier)
		}
	}
	want(t, must.Err(k.Resources.Update(ctx, admin, "r2", func(*machine.Resource) {})), machine.ErrResourceNotFound)
	want(t, must.Err(k.Resources.Update(ctx, user.Caller{ID: 1, Role: user.Admin}, r.ID, func(*machine.Resource) {})), user.ErrForbidden)
	want(t, must.Err(k.Resources.Find(ctx, user.Caller{ID: 1, Role: user.Admin}, r.ID)), user.ErrForbidden)
}
