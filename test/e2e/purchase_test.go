package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

func kinds(t *testing.T, c e2e.Client) []string {
	t.Helper()
	var list []struct{ Kind string }
	c.Must(t, 200, "GET", "/api/user/getNotifications", nil).Data(t, &list)
	var all []string
	for _, n := range list {
		all = append(all, n.Kind)
	}
	return all
}

func TestAStudentBuysTheBookThatAnotherPosts(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ada, ben := s.Student("ada@u.rochester.edu", "Ada"), s.Student("ben@rit.edu", "Ben")

	var wanted struct {
		Request struct{ ID string }
		Matches []any
	}
	ben.Must(t, 201, "POST", "/api/books/requestBook", map[string]any{"name": "Algorithms", "course": "csc-172"}).Data(t, &wanted)
	if wanted.Request.ID == "" || len(wanted.Matches) != 0 {
		t.Fatalf("request = %+v", wanted)
	}

	id := ada.Post(t, "Introduction to Algorithms, Café Edition", "CSC 172", "ISBN", "0-262-03384-4")

	isFound(t, s, ben, ada, id)
	matchesItsCourse(t, ben, id)
	s.Mail("ben@rit.edu", "match_found")

	ben.Must(t, 200, "POST", "/api/user/addToCart", map[string]string{"bookId": id})
	var receipt struct {
		Orders      []orderView
		Unavailable []string
		Total       json.Number
	}
	ben.Must(t, 201, "POST", "/api/books/checkoutCart", nil).Data(t, &receipt)
	if len(receipt.Orders) != 1 || receipt.Orders[0].Fee != 2.13 || receipt.Total.String() != "44.63" {
		t.Fatalf("receipt = %+v", receipt)
	}

	if bought := books(t, ben, "/api/user/getPurchasedBooks"); len(bought) != 1 || bought[0].Status != 1 || bought[0].Order == nil || bought[0].Order.Seller["firstName"] != "Ada" {
		t.Errorf("purchased = %+v", bought)
	}
	if sold := books(t, ada, "/api/user/getSoldBooks"); len(sold) != 1 || sold[0].Order == nil || sold[0].Order.Buyer["firstName"] != "Ben" || sold[0].Order.Buyer["email"] != nil {
		t.Errorf("sold = %+v", sold)
	}
	if got := kinds(t, ada); !slices.Contains(got, "book_sold") || !slices.Contains(got, "book_posted") {
		t.Errorf("the seller got the notifications %v", got)
	}
	if got := kinds(t, ben); !slices.Contains(got, "purchase_placed") || !slices.Contains(got, "match_found") {
		t.Errorf("the buyer got the notifications %v", got)
	}
	s.Mail("ada@u.rochester.edu", "book_sold")
	s.Mail("ben@rit.edu", "purchase_placed")
	ben.Must(t, 409, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
}

// isFound requires that others find the book by its title, course and ISBN in every spelling, the seller does
// not, and visitors see it.
func isFound(t *testing.T, s *e2e.Server, ben, ada e2e.Client, id string) {
	t.Helper()
	for _, query := range []string{"algorithms", "ALGORITHMS introduction", "cafe", "csc172", "CSC-172", "9780262033848", "0262033844", "978-0-262-03384-8"} {
		if found := books(t, ben, "/api/books/search/"+url.PathEscape(query)); len(found) != 1 || found[0].ID != id {
			t.Errorf("search for %q finds %+v", query, found)
		}
	}
	if found := books(t, ada, "/api/books/search/algorithms"); len(found) != 0 {
		t.Errorf("one's own book is found: %+v", found)
	}
	if listed := books(t, e2e.Client{URL: s.URL}, "/api/books/getAllBooks"); len(listed) != 1 || listed[0].Seller.FirstName != "Ada" || listed[0].ISBN != "9780262033848" {
		t.Errorf("listed = %+v", listed)
	}
}

func matchesItsCourse(t *testing.T, ben e2e.Client, id string) {
	t.Helper()
	var matches []struct {
		Book   bookView
		Reason string
	}
	ben.Must(t, 200, "GET", "/api/books/getUserMatches", nil).Data(t, &matches)
	if len(matches) != 1 || matches[0].Book.ID != id || matches[0].Reason != "course" {
		t.Fatalf("matches = %+v", matches)
	}
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

func TestOneOfAHundredBuyersGetsTheBook(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	seller := s.Student("seller@mit.edu", "Sam")
	buyers := make([]e2e.Client, 4)
	for i := range buyers {
		buyers[i] = s.Student("buyer"+string(rune('a'+i))+"@mit.edu", "Buyer")
	}
	for round := range 3 {
		id := seller.Post(t, "Calculus", "MTH 161")
		var won, lost atomic.Int32
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 100 {
			wg.Go(func() {
				<-start
				a, err := buyers[i%len(buyers)].Do("POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
				switch {
				case err != nil:
					t.Error(err)
				case a.Status == http.StatusCreated:
					won.Add(1)
				case a.Status == http.StatusConflict:
					lost.Add(1)
				default:
					t.Errorf("%d: %s", a.Status, a.Body)
				}
			})
		}
		close(start)
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 99 {
			t.Errorf("round %d: %d bought it, %d got the answer that it is gone", round, won.Load(), lost.Load())
		}
	}
}
