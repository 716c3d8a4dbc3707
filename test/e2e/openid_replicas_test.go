package e2e_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

// The order of docs/operations/keys.md: the next key is published, then it signs, then nobody needs the one before.
func TestReplicasWithANewKeyOfIDTokensAgreeWhileTheyAreRestartedOneByOne(t *testing.T) {
	t.Parallel()
	deep.Only(t, "one program publishes its keys, too")
	old, next := newOIDCKey(t), newOIDCKey(t)
	f := e2e.StartFleet(t, 2, []string{"OIDC_SIGNING_KEY=" + old}, "auth")
	s := service{f.Server}
	app, ann := s.party(t), s.member(t, byCookie, "ann")
	refresh := app.exchange(ann.authorize(app)).refresh
	agree := func() {
		for _, from := range f.Replicas {
			at := app.at(from.URL)
			status, body, _ := at.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
			if status != http.StatusOK {
				t.Fatalf("%d %v", status, body)
			}
			refresh = body["refresh_token"].(string)
			hint := body["id_token"].(string)
			for _, other := range f.Replicas {
				app.at(other.URL).verified(hint)
				to := app.request("prompt", "none", "id_token_hint", hint)
				if q := ann.answer(ann.open("GET", other.URL+to[len(s.URL):], nil)); q.Get("code") == "" {
					t.Errorf("a hint of another replica: %v", q)
				}
			}
		}
	}
	agree()
	f.RollBetween(agree, "NEXT_OIDC_KEY="+next)
	f.RollBetween(agree, "OIDC_SIGNING_KEY="+next, "PREVIOUS_OIDC_KEYS="+old)
	f.RollBetween(agree, "NEXT_OIDC_KEY=")
}
