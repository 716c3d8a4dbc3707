package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

type bookView struct {
	ID, Name, Course, Condition, ISBN, University string
	Price                                         float64
	Status                                        int
	Seller                                        struct{ ID, FirstName string }
	Order                                         *orderView
}

type orderView struct {
	ID, BookID        string
	Price, Fee, Total float64
	Status            int
	Buyer, Seller     map[string]any
}

func books(t *testing.T, c e2e.Client, path string) []bookView {
	t.Helper()
	var list []bookView
	c.Must(t, 200, "GET", path, nil).Data(t, &list)
	return list
}

func TestTheMarketAcceptsATokenOfTheAuthService(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	c := e2e.Client{URL: s.URL}
	who := map[string]any{"email": "Grace@cs.yale.edu", "password": e2e.Password}
	if _, code := c.GraphQL(t, `mutation($email:String!,$password:String!){signUp(email:$email,password:$password)}`, who); code != "" {
		t.Fatal(code)
	}
	code := s.Mail("grace@cs.yale.edu", "verification").Code
	if code == nil || len(*code) != 8 {
		t.Fatalf("code = %v", code)
	}
	if _, refusal := c.GraphQL(t, `mutation($email:String!,$code:String!){verifyEmail(email:$email,code:$code)}`,
		map[string]any{"email": "grace@cs.yale.edu", "code": *code}); refusal != "" {
		t.Fatal(refusal)
	}
	data, refusal := c.GraphQL(t, `mutation($email:String!,$password:String!){signIn(email:$email,password:$password){accessToken refreshToken expiresIn user{id email role}}}`, who)
	if refusal != "" {
		t.Fatal(refusal)
	}
	var signedIn struct {
		SignIn struct {
			AccessToken, RefreshToken string
			ExpiresIn                 int
			User                      struct{ ID string }
		}
	}
	if err := json.Unmarshal(data, &signedIn); err != nil || signedIn.SignIn.ExpiresIn != 1200 {
		t.Fatalf("signIn = %s, %v", data, err)
	}
	grace := e2e.Client{URL: s.URL, Token: signedIn.SignIn.AccessToken}
	a := grace.Must(t, 403, "GET", "/api/user/getUserData", nil)
	if !strings.Contains(string(a.Body), `"profile_needed"`) {
		t.Errorf("without a profile: %s", a.Body)
	}
	grace.Must(t, 200, "POST", "/api/auth/updateProfile", map[string]string{
		"firstName": "Grace", "lastName": "Hopper", "university": "Yale", "campusMailbox": "7", "paymentUsername": "grace"})
	var me struct{ ID, Email, FirstName string }
	grace.Must(t, 200, "GET", "/api/user/getUserData", nil).Data(t, &me)
	if me.ID != signedIn.SignIn.User.ID || me.Email != "grace@cs.yale.edu" || me.FirstName != "Grace" {
		t.Errorf("me = %+v", me)
	}

	token := s.Login("grace@cs.yale.edu")
	if data, refusal := token.GraphQL(t, `{me{email}}`, nil); refusal != "" || !strings.Contains(string(data), "grace@cs.yale.edu") {
		t.Errorf("a market token at the auth service: %s %s", data, refusal)
	}
	data, refusal = c.GraphQL(t, `mutation($t:String!){refreshSession(refreshToken:$t){accessToken}}`, map[string]any{"t": signedIn.SignIn.RefreshToken})
	if refusal != "" || !strings.Contains(string(data), "accessToken") {
		t.Errorf("refresh: %s %s", data, refusal)
	}
	if _, refusal := grace.GraphQL(t, `mutation{signOut}`, nil); refusal != "" {
		t.Error(refusal)
	}
	grace.Must(t, 401, "GET", "/api/user/getUserData", nil)
	if _, refusal := grace.GraphQL(t, `{me{id}}`, nil); refusal != "UNAUTHENTICATED" {
		t.Errorf("after signing out: %q, want \"UNAUTHENTICATED\"", refusal)
	}
}
