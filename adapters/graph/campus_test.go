package graph_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/vektah/gqlparser/v2/ast"
)

// at creates an account with a profile at a university and a role, and signs it in.
func (c *core) at(name, university string, role user.Role) auth.TokenPair {
	c.t.Helper()
	c.CreateUser(c.t, name+"@campus.edu")
	g := c.SignIn(c.t, name+"@campus.edu")
	last, mailbox, pay := "Lee", "CPU 1", "pay-"+name
	_, err := c.Users.UpdateProfile(c.t.Context(), c.CallerOf(c.t, g), account.ProfileChange{
		FirstName: &name, LastName: &last, University: &university, CampusMailbox: &mailbox, PaymentUsername: &pay,
	})
	if err == nil {
		_, err = c.Users.Promote(c.t.Context(), name+"@campus.edu", role)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return g
}

func newCampusCore(t *testing.T) *core {
	return newCore(t, func(_ *authrooms.Ports, cfg *auth.Config) { cfg.CampusAdmins = true })
}

// attacks are all fields of Query and Mutation that take an id, with an id of another campus,
// and how they are refused: by the code and the reason.
var attacks = map[string][2]string{
	"user":                      {`query($i: ID!) { user(id: $i) { email sessions { ip } totpEnabled metadata } }`, "FORBIDDEN OTHER_CAMPUS"},
	"auditLog":                  {`query($i: ID!) { auditLog(userId: $i) { edges { node { ip } } } }`, "FORBIDDEN"},
	"setMetadata":               {`mutation($i: ID!) { setMetadata(userId: $i, metadata: {a: 1}) { email } }`, "FORBIDDEN OTHER_CAMPUS"},
	"setRoles":                  {`mutation($i: ID!) { setRoles(userId: $i, roles: ["king"]) { email } }`, "FORBIDDEN OTHER_CAMPUS"},
	"setGroups":                 {`mutation($i: ID!) { setGroups(userId: $i, groups: ["kings"]) { email } }`, "FORBIDDEN OTHER_CAMPUS"},
	"updateClient":              {`mutation($i: ID!) { updateClient(id: $i, input: {name: "Mine"}) { secret } }`, "FORBIDDEN"},
	"renewClientSecret":         {`mutation($i: ID!) { renewClientSecret(id: $i) { secret } }`, "FORBIDDEN"},
	"removeClient":              {`mutation($i: ID!) { removeClient(id: $i) }`, "FORBIDDEN"},
	"updateResource":            {`mutation($i: ID!) { updateResource(id: $i, input: {name: "Mine"}) { secret } }`, "FORBIDDEN"},
	"renewResourceSecret":       {`mutation($i: ID!) { renewResourceSecret(id: $i) { secret } }`, "FORBIDDEN"},
	"removeResource":            {`mutation($i: ID!) { removeResource(id: $i) }`, "FORBIDDEN"},
	"updateMachine":             {`mutation($i: ID!) { updateMachine(id: $i, input: {name: "Mine"}) { secret } }`, "FORBIDDEN"},
	"renewMachineSecret":        {`mutation($i: ID!) { renewMachineSecret(id: $i) { secret } }`, "FORBIDDEN"},
	"removeMachine":             {`mutation($i: ID!) { removeMachine(id: $i) }`, "FORBIDDEN"},
	"revokeToken":               {`mutation($s: ID!) { revokeToken(id: $s) }`, "NOT_FOUND"},
	"suspendUser":               {`mutation($i: ID!) { suspendUser(userId: $i, reason: "spam") { email } }`, "FORBIDDEN OTHER_CAMPUS"},
	"unsuspendUser":             {`mutation($i: ID!) { unsuspendUser(userId: $i) { email } }`, "FORBIDDEN OTHER_CAMPUS"},
	"setRole":                   {`mutation($i: ID!) { setRole(userId: $i, role: USER) { email } }`, "FORBIDDEN"},
	"adminSetPassword":          {`mutation($i: ID!) { adminSetPassword(userId: $i, newPassword: "another long phrase") }`, "FORBIDDEN OTHER_CAMPUS"},
	"adminEndSessions":          {`mutation($i: ID!) { adminEndSessions(userId: $i) }`, "FORBIDDEN OTHER_CAMPUS"},
	"adminDeleteUsers":          {`mutation($i: ID!) { adminDeleteUsers(ids: [$i]) }`, "FORBIDDEN OTHER_CAMPUS"},
	"revokeSession":             {`mutation($s: ID!) { revokeSession(id: $s) }`, "NOT_FOUND"},
	"revokeInvitation":          {`mutation($v: ID!) { revokeInvitation(id: $v) }`, "NOT_FOUND"},
	"removePasskey":             {`mutation($i: ID!) { removePasskey(id: $i) }`, "NOT_FOUND"},
	"unlinkIdentity":            {`mutation($i: ID!) { unlinkIdentity(id: $i) }`, "NOT_FOUND"},
	"finishPasskeyRegistration": {`mutation($i: ID!) { finishPasskeyRegistration(id: $i, response: {}) { id } }`, "CHALLENGE_INVALID"},
	"finishPasskeySignIn":       {`mutation($i: ID!) { finishPasskeySignIn(id: $i, response: {}) { accessToken } }`, "CHALLENGE_INVALID"},
}

func TestAnAdminOfOneCampusReachesNoAccountOfAnother(t *testing.T) {
	c := newCampusCore(t)
	lea, carl, eve := c.at("lea", "Lyon", user.Admin), c.at("carl", "Grenoble", user.Regular), c.at("eve", "Grenoble", user.Admin)
	c.ask(`mutation { inviteUser(email: "new@campus.edu") }`, nil, "Authorization", "Bearer "+eve.AccessToken)
	open, err := c.Store.Identity.ListOpenInvitations(t.Context(), c.Clock.Now())
	if err != nil || len(open) != 1 {
		t.Fatalf("open invitations: %v, %v", open, err)
	}
	if a := c.ask(prove, credentials(), "Authorization", "Bearer "+lea.AccessToken); a.code() != "" {
		t.Fatalf("reauthenticate: %s", a)
	}
	schema := graphgen.NewExecutableSchema(graphgen.Config{}).Schema()
	for _, f := range append(append(ast.FieldList{}, schema.Query.Fields...), schema.Mutation.Fields...) {
		takesID := false
		for _, a := range f.Arguments {
			takesID = takesID || a.Type.Name() == "ID"
		}
		attack, listed := attacks[f.Name]
		if takesID != listed {
			t.Errorf("%s takes an id: %t, is among the attacks: %t", f.Name, takesID, listed)
		}
		if !listed {
			continue
		}
		v := map[string]any{}
		for name, id := range map[string]string{"i": carl.User.ID.String(), "s": carl.Session.ID.String(), "v": user.ID(open[0].ID).String()} {
			if strings.Contains(attack[0], "$"+name+":") {
				v[name] = id
			}
		}
		a := c.ask(attack[0], v, "Authorization", "Bearer "+lea.AccessToken)
		reason := ""
		if len(a.Errors) > 0 {
			reason, _ = a.Errors[0].Extensions["reason"].(string)
		}
		if got := strings.TrimSpace(a.code() + " " + reason); got != attack[1] || strings.Contains(a.Text, "carl@") {
			t.Errorf("%s: %s, want %s", f.Name, a.Text, attack[1])
		}
	}
	if a := c.ask(me, nil, "Authorization", "Bearer "+carl.AccessToken); !strings.Contains(a.Text, "carl@campus.edu") {
		t.Errorf("carl: %s", a)
	}
}

func TestTheListsOfAnAdminOfOneCampusHaveNobodyElse(t *testing.T) {
	c := newCampusCore(t)
	lea, eve := c.at("lea", "École de Lyon", user.Admin), c.at("eve", "Grenoble", user.Admin)
	c.at("carl", "Grenoble", user.Regular)
	c.at("ann", "ecole de lyon", user.Regular)
	c.ask(`mutation { inviteUser(email: "new@campus.edu") }`, nil, "Authorization", "Bearer "+eve.AccessToken)
	a := c.ask(`{ users(first: 100) { edges { node { email sessions { ip } totpEnabled identities { id } passkeys { id } } } } invitations { email } }`,
		nil, "Authorization", "Bearer "+lea.AccessToken)
	if len(a.Errors) > 0 || strings.Count(a.Text, "@") != 2 || !strings.Contains(a.Text, "ann@") || !strings.Contains(a.Text, "lea@") {
		t.Errorf("users and invitations: %s, want ann and lea only", a)
	}
}

func TestAnAdminWithoutACampusLearnsWhatIsMissing(t *testing.T) {
	c := newCampusCore(t)
	c.CreateCaller(t, "root@campus.edu", user.Admin)
	g := c.SignIn(t, "root@campus.edu")
	a := c.ask(`{ users { edges { cursor } } }`, nil, "Authorization", "Bearer "+g.AccessToken)
	if a.code() != "FORBIDDEN" || a.Errors[0].Extensions["reason"] != "NO_CAMPUS" {
		t.Errorf("users: %s", a)
	}
	if a := c.ask(`mutation($p: String!) { signIn(email: "root@campus.edu", password: $p) { user { role sessions { current } totpEnabled } } }`, map[string]any{"p": authkit.Password}); len(a.Errors) > 0 {
		t.Errorf("sign in: %s", a)
	}
}
