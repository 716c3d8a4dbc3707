package scimhttp_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/scimhttp"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/stores"
)

const token = "the token of the directory"

// site serves the endpoints over accounts of its own.
type site struct {
	*authkit.Fixture
	t   *testing.T
	mux *http.ServeMux
}

func newSite(t *testing.T) *site {
	t.Helper()
	k := authkit.New(t, stores.SQLite(t).AuthWithMarket(t), nil)
	mux := http.NewServeMux()
	for _, r := range scimhttp.New(k.Provisioning, scimhttp.Options{BaseURL: "https://octavo.example", Token: token, Now: k.Clock.Now, Log: slog.New(slog.DiscardHandler)}).Routes() {
		mux.HandleFunc(r.Method+" "+strings.Replace(r.Path, ":id", "{id}", 1), r.Handler)
	}
	return &site{k, t, mux}
}

// reply is what the directory gets.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (s *site) send(method, path, body string, header ...string) reply {
	s.t.Helper()
	r := httptest.NewRequest(method, "/scim/v2"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/scim+json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	out := reply{w.Code, w.Header(), w.Body.String(), nil}
	if out.text != "" {
		if err := json.Unmarshal([]byte(out.text), &out.body); err != nil {
			s.t.Fatalf("%s %s %s: %d %s: %v", method, path, body, w.Code, out.text, err)
		}
	}
	return out
}

// want sends a request and checks the status of the answer, and that it contains each text.
func (s *site) want(status int, method, path, body string, texts ...string) reply {
	s.t.Helper()
	got := s.send(method, path, body)
	for _, text := range texts {
		if !strings.Contains(got.text, text) {
			s.t.Errorf("%s %s %s: %d %s lacks %s", method, path, body, got.status, got.text, text)
		}
	}
	if got.status != status {
		s.t.Errorf("%s %s %s: %d %s, want %d", method, path, body, got.status, got.text, status)
	}
	return got
}

// create makes an account and returns its path.
func (s *site) create(address string) string {
	s.t.Helper()
	made := s.want(http.StatusCreated, "POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"`+address+`","active":true}`)
	return "/Users/" + made.body["id"].(string)
}

const patchStart = `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[`

// The requests are those that Microsoft documents for Entra ID.
func TestEntraProvisionsItsPeople(t *testing.T) {
	s := newSite(t)
	s.want(http.StatusOK, "GET", `/Users?filter=userName+eq+%22b1c2-not-there%22`, "", `"totalResults":0`, `"Resources":[]`)
	made := s.want(http.StatusCreated, "POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
		"externalId":"0a21f0f2","userName":"Zoe@campus.edu","active":true,"emails":[{"primary":true,"type":"work","value":"zoe@campus.edu"}],
		"meta":{"resourceType":"User"},"name":{"formatted":"Zoe Young","familyName":"Young","givenName":"Zoe"},"roles":[]}`,
		`"externalId":"0a21f0f2"`, `"userName":"zoe@campus.edu"`, `"givenName":"Zoe"`, `"active":true`)
	path := "/Users/" + made.body["id"].(string)
	if made.header.Get("Location") != "https://octavo.example/scim/v2"+path || made.header.Get("Content-Type") != "application/scim+json; charset=utf-8" {
		t.Errorf("headers are %v", made.header)
	}
	s.want(http.StatusConflict, "POST", "/Users", `{"userName":"zoe@campus.edu"}`, `"scimType":"uniqueness"`, `"status":"409"`)
	s.want(http.StatusOK, "GET", `/Users?filter=externalId+eq+%220a21f0f2%22`, "", `"totalResults":1`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"Replace","path":"emails[type eq \"work\"].value","value":"z@campus.edu"},{"op":"Replace","path":"name.familyName","value":"Old"}]}`,
		`"familyName":"Old"`, `"userName":"zoe@campus.edu"`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"Add","value":{"displayName":"Zoé","name.givenName":"Zoé","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department":"Law"}}]}`,
		`"displayName":"Zoé"`, `"givenName":"Zoé"`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"Replace","path":"active","value":"False"}]}`, `"active":false`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"Replace","path":"active","value":"True"}]}`, `"active":true`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"Replace","path":"userName","value":"zoe.old@campus.edu"}]}`, `"userName":"zoe.old@campus.edu"`)
	s.want(http.StatusNoContent, "DELETE", path, "")
	s.want(http.StatusNotFound, "GET", path, "", `"status":"404"`, "urn:ietf:params:scim:api:messages:2.0:Error")
}

// The requests are those that Okta documents.
func TestOktaProvisionsItsPeople(t *testing.T) {
	s := newSite(t)
	s.want(http.StatusOK, "GET", `/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100`, "", `"totalResults":0`, `"startIndex":1`, `"itemsPerPage":0`)
	made := s.want(http.StatusCreated, "POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"test.user@okta.local",
		"name":{"givenName":"Test","familyName":"User"},"emails":[{"primary":true,"value":"test.user@okta.local","type":"work"}],
		"displayName":"Test User","locale":"en-US","externalId":"00ujl29u0le5T6Aj10h7","groups":[],"password":"1mz050nq","active":true}`, `"displayName":"Test User"`)
	path := "/Users/" + made.body["id"].(string)
	s.want(http.StatusOK, "PUT", path, `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"id":"23a35c27","userName":"test.user@okta.local",
		"name":{"givenName":"Another","middleName":"","familyName":"User"},"active":true,"meta":{"resourceType":"User"}}`, `"displayName":"Another User"`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"replace","value":{"active":false}}]}`, `"active":false`)
	s.want(http.StatusOK, "PUT", path, `{"userName":"test.user@okta.local","name":{"givenName":"Another","familyName":"User"}}`, `"active":false`)
	s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"replace","value":{"active":true}}]}`, `"active":true`)
}

func TestADirectoryReadsWhatTheServiceCanDo(t *testing.T) {
	s := newSite(t)
	s.want(http.StatusOK, "GET", "/ServiceProviderConfig", "", `"patch":{"supported":true}`, `"type":"oauthbearertoken"`)
	s.want(http.StatusOK, "GET", "/ResourceTypes", "", `"endpoint":"/Users"`)
	s.want(http.StatusOK, "GET", "/Schemas", "", `"name":"userName"`)
	s.want(http.StatusOK, "GET", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:User", "", `"uniqueness":"server"`)
	s.want(http.StatusNotFound, "GET", "/Schemas/none", "", `"status":"404"`)
}

func TestNobodyGetsInWithoutTheTokenAndGuessesAreLimited(t *testing.T) {
	s := newSite(t)
	for range 10 {
		if got := s.send("GET", "/Users", "", "Authorization", "Bearer wrong"); got.status != http.StatusUnauthorized || got.header.Get("WWW-Authenticate") == "" {
			t.Fatalf("%d %s", got.status, got.text)
		}
	}
	if got := s.send("GET", "/Users", ""); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.status, got.text)
	}
}

func TestAMistakeOfADirectoryIsAnsweredInItsFormat(t *testing.T) {
	s := newSite(t)
	s.create("bob@campus.edu")
	path := s.create("ann@campus.edu")
	for _, c := range []struct {
		status             int
		method, path, body string
		want               string
	}{
		{400, "POST", "/Users", `{`, "invalidSyntax"}, {400, "POST", "/Users", `{"userName":"a@b.edu"}{}`, "invalidSyntax"},
		{400, "POST", "/Users", `{"userName":7}`, "invalidSyntax"}, {400, "POST", "/Users", `{}`, "userName is missing"},
		{400, "POST", "/Users", `null`, "userName is missing"}, {400, "POST", "/Users", `{"userName":"zoe"}`, "invalidValue"},
		{400, "POST", "/Users", `{"userName":"zoe@campus.edu","active":"perhaps"}`, "invalidValue"},
		{413, "POST", "/Users", `{"userName":"` + strings.Repeat("x", 70_000) + `"}`, `"status":"413"`},
		{409, "PATCH", path, patchStart + `{"op":"replace","path":"userName","value":"bob@campus.edu"}]}`, "uniqueness"},
		{400, "PATCH", path, patchStart + `]}`, "invalidSyntax"}, {400, "PATCH", path, patchStart + `{"op":"move","path":"active"}]}`, "invalidSyntax"},
		{400, "PATCH", path, patchStart + strings.Repeat(`{"op":"add","path":"active","value":true},`, 100) + `{"op":"add","path":"active","value":true}]}`, "invalidSyntax"},
		{400, "PATCH", path, patchStart + `{"op":"remove"}]}`, "invalidPath"}, {400, "PATCH", path, patchStart + `{"op":"remove","path":"userName"}]}`, "invalidValue"},
		{400, "PATCH", path, patchStart + `{"op":"replace","value":"active"}]}`, "invalidValue"}, {400, "PATCH", path, patchStart + `{"op":"replace","path":"displayName","value":{}}]}`, "invalidValue"},
		{404, "PATCH", "/Users/999", patchStart + `{"op":"replace","path":"active","value":true}]}`, `"status":"404"`}, {404, "GET", "/Users/x", "", `"status":"404"`},
		{400, "GET", "/Users?filter=active+eq+true", "", "invalidFilter"}, {400, "GET", "/Users?count=many", "", "invalidValue"},
		{400, "GET", "/Users?filter=userName+eq+%22a%22+or+userName+eq+%22b%22", "", "invalidFilter"},
	} {
		s.want(c.status, c.method, c.path, c.body, c.want)
	}
}

func TestANullTakesAnAttributeAway(t *testing.T) {
	s := newSite(t)
	made := s.want(http.StatusCreated, "POST", "/Users", `{"userName":"ann@campus.edu","externalId":"7","name":{"givenName":"Ann"}}`, `"externalId":"7"`)
	path := "/Users/" + made.body["id"].(string)
	if got := s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"replace","path":"externalId","value":null},{"op":"replace","value":{"name":null}}]}`); got.body["externalId"] != nil || got.body["name"] != nil {
		t.Errorf("%s", got.text)
	}
	for _, kept := range []string{"userName", "active"} {
		s.want(http.StatusBadRequest, "PATCH", path, patchStart+`{"op":"replace","path":"`+kept+`","value":null}]}`, "invalidValue")
	}
}

func TestAPersonIsCalledByTheDisplayNameWhateverTheOrderOfAttributes(t *testing.T) {
	s := newSite(t)
	path := s.create("ann@campus.edu")
	for range 20 { // maps have no order
		s.want(http.StatusOK, "PATCH", path, patchStart+`{"op":"replace","value":{"displayName":"Ann","name":{"formatted":"Dr Ann Lee"},"name.givenName":"Anna"}}]}`, `"displayName":"Ann"`)
	}
}

func TestADirectoryPagesThroughPeople(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create(name + "@campus.edu")
	}
	s.want(http.StatusOK, "GET", "/Users?startIndex=2&count=1", "", `"totalResults":3`, `"startIndex":2`, `"itemsPerPage":1`, `"userName":"b@campus.edu"`)
	s.want(http.StatusOK, "GET", "/Users?startIndex=0&count=-1", "", `"totalResults":3`, `"startIndex":1`, `"Resources":[]`)
	s.want(http.StatusOK, "GET", `/Users?filter=USERNAME+Eq+%22C%40campus.edu%22`, "", `"totalResults":1`)
}

func TestAVersionThatIsOldChangesNothing(t *testing.T) {
	s := newSite(t)
	path := s.create("ann@campus.edu")
	old := s.send("GET", path, "").header.Get("ETag")
	if got := s.send("GET", path, "", "If-None-Match", old); got.status != http.StatusNotModified {
		t.Errorf("%d %s", got.status, got.text)
	}
	for _, listed := range []string{`W/"another", ` + old, "*"} {
		if got := s.send("GET", path, "", "If-None-Match", listed); got.status != http.StatusNotModified || got.header.Get("ETag") != old {
			t.Errorf("%s: %d %s", listed, got.status, got.text)
		}
	}
	rename := patchStart + `{"op":"replace","path":"displayName","value":"Ann"}]}`
	if got := s.send("PATCH", path, rename, "If-Match", `W/"another", `+old); got.status != http.StatusOK || got.header.Get("ETag") == old {
		t.Errorf("%d %s", got.status, got.text)
	}
	for _, method := range []string{"PUT", "DELETE"} {
		if got := s.send(method, path, `{"userName":"ann@campus.edu"}`, "If-Match", old); got.status != http.StatusPreconditionFailed {
			t.Errorf("%s: %d %s", method, got.status, got.text)
		}
	}
}

func TestADirectoryIsToldThatOwnersAreNotItsOwn(t *testing.T) {
	s := newSite(t)
	owner := s.CreateCaller(t, "owner@campus.edu", user.Owner)
	path := "/Users/" + owner.ID.String()
	s.want(http.StatusOK, "GET", path, "", `"active":true`)
	s.want(http.StatusForbidden, "PATCH", path, patchStart+`{"op":"replace","path":"active","value":false}]}`, `"status":"403"`, "owner")
	s.want(http.StatusForbidden, "DELETE", path, "", `"status":"403"`)
	must.Get(s.Users.Me(t.Context(), owner))(t)
}
