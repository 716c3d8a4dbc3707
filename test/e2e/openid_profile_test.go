package e2e_test

import (
	"os"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/openidprofile"
)

// The addresses of the applications of the profiles, where nobody listens.
const (
	partyBye   = "https://app.example/bye"
	partyFront = "https://app.example/front"
	partyQuery = partyURI + "?foo=bar"
)

// resultsOf returns the results that the documentation has for a provider, by the names of modules.
func resultsOf(t *testing.T, provider string) map[string]openidprofile.Result {
	t.Helper()
	all, column := map[string]openidprofile.Result{}, -1
	for line := range strings.Lines(string(must.Get(os.ReadFile("../../docs/openid.md"))(t))) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if cells[0] == "module" {
			column = -1
			for i, cell := range cells {
				if strings.HasPrefix(cell, provider) {
					column = i
				}
			}
		}
		if name, ok := strings.CutPrefix(cells[0], "`oidcc-"); ok && column >= 0 {
			all["oidcc-"+strings.TrimSuffix(name, "`")] = openidprofile.Result(cells[column])
		}
	}
	return all
}

// runs puts a provider under the modules, and compares the results with those of the documentation.
func runs(t *testing.T, p openidprofile.Provider, provider string) {
	t.Helper()
	said, modules := resultsOf(t, provider), openidprofile.Modules()
	if len(said) != len(modules) {
		t.Errorf("docs/openid.md has %d modules, and %d run", len(said), len(modules))
	}
	for _, m := range modules {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			if outcome := m.Run(p); outcome.Result != said[m.Name] {
				t.Errorf("%s: docs/openid.md says %q, and it is %q: %s", m.Profile, said[m.Name], outcome.Result, outcome.Why)
			}
		})
	}
}

// profileClient is an application of the profiles at Octavo.
func (s service) profileClient(t *testing.T, redirectURI string, flags ...string) openidprofile.Client {
	t.Helper()
	app := s.partyAt(t, redirectURI, append(flags, "--no-pkce", "--post-logout-redirect-uri", partyBye)...)
	return openidprofile.Client{ID: app.id, Secret: app.secret, RedirectURI: redirectURI, PostLogoutURI: partyBye, FrontChannelURI: partyFront}
}

func openChannel(t *testing.T) *openidprofile.Channel {
	t.Helper()
	channel := openidprofile.OpenChannel()
	t.Cleanup(channel.Close)
	return channel
}

func TestTheProfilesOfOpenIDConnect(t *testing.T) {
	t.Parallel()
	// The modules run side by side for one person: each must keep its session until it ends it.
	s, channel := startAuth(t, "MAX_SESSIONS_PER_USER=1000"), openChannel(t)
	ann, app := s.member(t, byBearer, "ann"), s.profileClient(t, partyURI)
	ann.yields("Ann Lee", "updateMe.name", update, vars{"n": "Ann Lee"})
	runs(t, openidprofile.Provider{
		Issuer: s.URL, Basic: app, Post: app, Query: s.profileClient(t, partyQuery), Channel: channel,
		Back:  s.profileClient(t, partyURI, "--backchannel-logout-uri", channel.URL),
		Front: s.profileClient(t, partyURI, "--frontchannel-logout-uri", partyFront),
		Read:  func(p openidprofile.Page) (openidprofile.Answer, bool) { return agrees(p, ann.email) },
	}, "Octavo")
	for name, result := range resultsOf(t, "Octavo") {
		if result == openidprofile.Failed {
			t.Errorf("%s fails", name)
		}
	}
}

// agrees fills in the form of a page of Octavo for somebody who signs in with an address and agrees to everything.
func agrees(p openidprofile.Page, email string) (openidprofile.Answer, bool) {
	for _, form := range p.Forms {
		answer := openidprofile.Answer{Action: form.Action, Fields: form.Fields}
		switch {
		case form.Fields.Has("password"):
			answer.To = openidprofile.SignIn
			answer.Fields.Set("email", email)
			answer.Fields.Set("password", password)
		case form.Action == "/oauth2/consent":
			answer.To = openidprofile.Consent
			answer.Fields.Set("decision", "allow")
		case form.Action == "/oauth2/end_session":
			answer.To = openidprofile.SignOut
		default:
			continue
		}
		return answer, true
	}
	return openidprofile.Answer{}, false
}
