package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/vektah/gqlparser/v2/ast"
)

// The least that somebody must be for a mutation.
const (
	anyone   = "anyone"
	signedIn = "signed in"
	anAdmin  = "admin"
	anOwner  = "owner"
)

// mutations says who may change what.
var mutations = map[string][]string{
	anyone: {
		"signUp", "verifyEmail", "resendVerification", "signIn", "refreshSession", "signOut", "requestPasswordReset", "resetPassword", "acceptInvitation",
		"requestSignInCode", "signInWithCode", "beginPasskeySignIn", "finishPasskeySignIn", "completeSignIn",
	},
	signedIn: {
		"updateMe", "deleteMyAccount", "changeEmail", "confirmEmailChange", "exportMyData", "revokeSession", "revokeOtherSessions", "changePassword",
		"unlinkIdentity", "beginPasskeyRegistration", "finishPasskeyRegistration", "removePasskey",
		"reauthenticate", "startTotp", "confirmTotp", "disableTotp", "renewRecoveryCodes",
		"createToken", "revokeToken",
	},
	anAdmin: {
		"inviteUser", "revokeInvitation", "setMetadata", "setRoles", "setGroups", "suspendUser", "unsuspendUser", "adminSetPassword", "adminEndSessions", "adminDeleteUsers",
	},
	anOwner: {
		"addClient", "updateClient", "renewClientSecret", "removeClient", "setRole", "addMachine", "updateMachine", "renewMachineSecret", "removeMachine",
		"addResource", "updateResource", "renewResourceSecret", "removeResource",
	},
}

func TestEveryMutationRefusesThoseWhomTheTableDoesNotName(t *testing.T) {
	c := newCore(t, nil)
	regular, admin := c.at("ann", "Lyon", user.Regular), c.at("dean", "Lyon", user.Admin)
	tokens := map[string]string{anyone: "", signedIn: regular.AccessToken, anAdmin: admin.AccessToken}
	ranks := []string{anyone, signedIn, anAdmin, anOwner}
	schema := graphgen.NewExecutableSchema(graphgen.Config{}).Schema()
	for _, f := range schema.Mutation.Fields {
		need := slices.IndexFunc(ranks, func(r string) bool { return slices.Contains(mutations[r], f.Name) })
		if need < 0 {
			t.Errorf("%s is not in the table", f.Name)
			continue
		}
		for _, less := range ranks[:need] {
			want := "FORBIDDEN"
			if less == anyone {
				want = "UNAUTHENTICATED"
			}
			if a := c.ask(anyCall(schema, f), nil, bearer(tokens[less])...); a.code() != want {
				t.Errorf("%s by %s: %s, not %s", f.Name, less, a.Text, want)
			}
		}
	}
}

func bearer(token string) []string {
	if token == "" {
		return nil
	}
	return []string{"Authorization", "Bearer " + token}
}

// anyCall calls a mutation with some values.
func anyCall(schema *ast.Schema, f *ast.FieldDefinition) string {
	var values []string
	for _, a := range f.Arguments {
		values = append(values, a.Name+": "+anyValue(schema, a.Type))
	}
	call := f.Name
	if len(values) > 0 {
		call += "(" + strings.Join(values, ", ") + ")"
	}
	if schema.Types[f.Type.Name()].Kind == ast.Object {
		call += " { __typename }"
	}
	return "mutation { " + call + " }"
}

func anyValue(schema *ast.Schema, of *ast.Type) string {
	if of.Elem != nil {
		return "[" + anyValue(schema, of.Elem) + "]"
	}
	known := map[string]string{"ID": `"1"`, "String": `"a@campus.edu"`, "Boolean": "true", "Int": "1", "JSON": "{}", "ClientInput": "{}", "MachineInput": "{}", "ResourceInput": "{}"}
	if v, ok := known[of.NamedType]; ok {
		return v
	}
	if def := schema.Types[of.NamedType]; def.Kind == ast.Enum {
		return def.EnumValues[0].Name
	}
	panic(fmt.Sprintf("no value of %s", of.NamedType))
}
