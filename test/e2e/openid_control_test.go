package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/openidprofile"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// nodeClient is an application that is registered at node's oidc-provider.
type nodeClient struct {
	ID           string   `json:"client_id"`
	Secret       string   `json:"client_secret"`
	Authenticate string   `json:"token_endpoint_auth_method"`
	Grants       []string `json:"grant_types"`
	RedirectURIs []string `json:"redirect_uris"`
	PostLogout   []string `json:"post_logout_redirect_uris"`
	BackChannel  string   `json:"backchannel_logout_uri,omitempty"`
	WithSession  bool     `json:"backchannel_logout_session_required,omitempty"`
}

const nodeSecret = "a-secret-that-is-long-enough"

func newNodeClient(id, redirectURI string) nodeClient {
	return nodeClient{
		ID: id, Secret: nodeSecret, Authenticate: "client_secret_basic",
		Grants: []string{"authorization_code", "refresh_token"}, RedirectURIs: []string{redirectURI}, PostLogout: []string{partyBye},
	}
}

// forProfile is the client as the modules know it.
func (c nodeClient) forProfile() openidprofile.Client {
	return openidprofile.Client{ID: c.ID, Secret: c.Secret, RedirectURI: c.RedirectURIs[0], PostLogoutURI: c.PostLogout[0], FrontChannelURI: partyFront}
}

// startNodeProvider starts node's oidc-provider at an address and returns its issuer.
func startNodeProvider(t *testing.T, address, options string, clients ...nodeClient) string {
	t.Helper()
	program := openIDClient(t, "oidcprovider", ".mjs")
	start(t, nil, "node", program, address, string(must.Get(json.Marshal(clients))(t)), options)
	issuer := "http://" + address
	poll.For(t, "oidc-provider answers", func() bool {
		resp, err := http.Get(issuer + "/.well-known/openid-configuration")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return issuer
}

// The control: what it passes, the modules are right to want.
func TestNodesProviderUnderTheModulesOfTheProfiles(t *testing.T) {
	t.Parallel()
	deep.Only(t, "the control of the modules under which Octavo is put")
	channel := openChannel(t)
	basic, post, query, back := newNodeClient("basic", partyURI), newNodeClient("post", partyURI), newNodeClient("query", partyQuery), newNodeClient("back", partyURI)
	post.Authenticate, back.BackChannel, back.WithSession = "client_secret_post", channel.URL, true
	issuer := startNodeProvider(t, servers.Address(t), `{"enableHttpPostMethods": true, "cookies": {"long": {"sameSite": "none"}}}`, basic, post, query, back)
	runs(t, openidprofile.Provider{
		Issuer: issuer, Channel: channel, Read: agreesAtNode,
		Basic: basic.forProfile(), Post: post.forProfile(), Query: query.forProfile(), Back: back.forProfile(), Front: basic.forProfile(),
	}, "oidc-provider")
}

// agreesAtNode is agrees for the pages of oidc-provider.
func agreesAtNode(p openidprofile.Page) (openidprofile.Answer, bool) {
	for _, form := range p.Forms {
		answer := openidprofile.Answer{Action: form.Action, Fields: form.Fields}
		switch {
		case form.Fields.Get("prompt") == "login":
			answer.To = openidprofile.SignIn
			answer.Fields.Set("login", "ann@campus.edu")
			answer.Fields.Set("password", "any")
		case form.Fields.Get("prompt") == "consent":
			answer.To = openidprofile.Consent
		case form.Fields.Has("xsrf"):
			answer.To = openidprofile.SignOut
			answer.Fields.Set("logout", "yes")
		default:
			continue
		}
		return answer, true
	}
	return openidprofile.Answer{}, false
}

// The documentation names the version that ran.
func TestTheDocumentationNamesTheVersionOfTheControl(t *testing.T) {
	t.Parallel()
	list, document := string(must.Get(os.ReadFile("../tools/npm/oidcprovider.txt"))(t)), string(must.Get(os.ReadFile("../../docs/openid.md"))(t))
	_, rest, _ := strings.Cut(list, "\noidc-provider ")
	if version, _, _ := strings.Cut(rest, " "); version == "" || !strings.Contains(document, "oidc-provider "+version) {
		t.Errorf("docs/openid.md does not name oidc-provider %s", version)
	}
}
