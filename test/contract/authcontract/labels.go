package authcontract

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Labels tests the roles and groups that applications learn as claims.
func Labels(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"labels of one source replace each other, and go with their user":       labelRoundTrip,
		"admins give roles and groups, and applications learn them":             labelsAsClaims,
		"somebody with as many labels as there may be signs in to applications": manyLabels,
		"labels are bounded, and given by those who may":                        labelRefusals,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func setLabels(t *testing.T, k *authkit.Fixture, of user.ID, kind user.LabelKind, source string, names ...string) {
	t.Helper()
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return st.SetLabels(ctx, of, kind, source, names) }))
}

func labelRoundTrip(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@u.edu").ID
	setLabels(t, k, ann, user.RoleLabel, "", "editor", "author")
	setLabels(t, k, ann, user.RoleLabel, "campus", "editor")
	setLabels(t, k, ann, user.GroupLabel, "campus", "staff")
	setLabels(t, k, ann, user.RoleLabel, "", "author")
	wanted := []user.Label{{Kind: user.GroupLabel, Name: "staff", Source: "campus"}, {Kind: user.RoleLabel, Name: "author"}, {Kind: user.RoleLabel, Name: "editor", Source: "campus"}}
	if all := must.Get(k.Store.Identity.ListLabels(ctx, ann))(t); !reflect.DeepEqual(all, wanted) {
		t.Errorf("labels are %+v", all)
	}
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return k.Store.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{ann}, monday)
	}))
	if all := must.Get(k.Store.Identity.ListLabels(ctx, ann))(t); len(all) != 0 {
		t.Errorf("a deleted user has %+v", all)
	}
}

func manyLabels(t *testing.T, k *authkit.Fixture) {
	ann, c := k.CreateCaller(t, "ann@u.edu", user.Regular), addClient(t, k, nil)
	names := make([]string, user.MaxLabels)
	for i := range names {
		names[i] = strings.Repeat("é", 96) + strconv.Itoa(i)
	}
	for _, source := range []string{"", "campus"} {
		setLabels(t, k, ann.ID, user.RoleLabel, source, names...)
		setLabels(t, k, ann.ID, user.GroupLabel, source, names...)
	}
	tokens := tokensFor(t, k, ann, c, "scope", "openid roles groups offline_access")
	if about := k.SignedIDToken(t, tokens.IDToken).About; len(about.Roles) != len(names) || len(about.Groups) != len(names) {
		t.Errorf("the ID token has %d roles and %d groups", len(about.Roles), len(about.Groups))
	}
}

func labelsAsClaims(t *testing.T, k *authkit.Fixture) {
	root := k.CreateCaller(t, "root@u.edu", user.Owner)
	k.CreateUser(t, "ann@u.edu")
	ann := proved(t, k, "ann@u.edu")
	setLabels(t, k, ann.ID, user.RoleLabel, "campus", "staff", "editor")
	must.Get(k.Users.SetLabels(ctx, root, ann.ID, map[user.LabelKind][]string{user.RoleLabel: {" editor", "author", "author"}}))(t)
	must.Get(k.Users.SetLabels(ctx, root, ann.ID, map[user.LabelKind][]string{user.GroupLabel: {"chess"}}))(t)
	must.Get(k.Users.SetLabels(ctx, root, ann.ID, map[user.LabelKind][]string{user.RoleLabel: {"author"}}))(t)
	roles := []string{"author", "editor", "staff"} // a rule's stay
	if found := user.LabelNames(must.Get(k.Users.LabelsOf(ctx, ann.ID))(t), user.RoleLabel); !slices.Equal(found, roles) {
		t.Errorf("roles are %q", found)
	}
	c := addClient(t, k, nil)
	tokens := tokensFor(t, k, ann, c, "scope", "openid roles")
	about := must.Get(k.Authenticator.About(ctx, tokens.AccessToken, authkit.Firefox))(t)
	info := must.Get(k.Authorizations.Inspect(ctx, c, tokens.AccessToken))(t)
	for where, found := range map[string][2][]string{
		"the ID token": {k.SignedIDToken(t, tokens.IDToken).About.Roles, k.SignedIDToken(t, tokens.IDToken).About.Groups},
		"userinfo":     {about.Roles, about.Groups}, "introspection": {info.Roles, info.Groups},
	} {
		if !slices.Equal(found[0], roles) || found[1] != nil {
			t.Errorf("%s says %q", where, found)
		}
	}
	both := tokensFor(t, k, root, c, "scope", "openid groups roles")
	if found := must.Get(k.Authenticator.About(ctx, both.AccessToken, authkit.Firefox))(t); found.Groups == nil || found.Roles == nil || len(found.Roles) != 0 {
		t.Errorf("userinfo of somebody without labels is %+v", found)
	}
	if text := string(must.Get(k.Exports.Mine(ctx, ann))(t)); !strings.Contains(text, `"roles":["author","editor","staff"],"groups":["chess"]`) {
		t.Errorf("the export is %s", text)
	}
}

func labelRefusals(t *testing.T, k *authkit.Fixture) {
	root, dean := k.CreateCaller(t, "root@u.edu", user.Owner), k.CreateCaller(t, "dean@u.edu", user.Admin)
	ann := k.CreateCaller(t, "ann@u.edu", user.Regular)
	set := func(by user.Caller, of user.ID, names ...string) error {
		return must.Err(k.Users.SetLabels(ctx, by, of, map[user.LabelKind][]string{user.RoleLabel: names}))
	}
	want(t, set(ann, ann.ID, "king"), user.ErrForbidden)
	want(t, set(dean, root.ID, "king"), user.ErrForbidden)
	want(t, set(user.Caller{}, ann.ID, "king"), user.ErrUnauthenticated)
	want(t, set(root, 99, "king"), user.ErrNotFound)
	many := make([]string, user.MaxLabels+1)
	for i := range many {
		many[i] = "role " + strings.Repeat("i", i)
	}
	for _, bad := range [][]string{{""}, {"two\nlines"}, {strings.Repeat("n", 101)}, many} {
		want(t, set(dean, ann.ID, bad...), user.ErrLabelInvalid)
	}
	must.Do(t, set(dean, ann.ID, many[1:]...))
}
