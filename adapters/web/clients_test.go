package web_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// shownValue returns the value of a name that a page shows.
func (p page) shownValue(name string) string {
	p.t.Helper()
	found := regexp.MustCompile(`<dt>` + name + `</dt><dd><code>([^<]+)</code>`).FindStringSubmatch(p.body)
	if found == nil {
		p.t.Fatalf("the page shows no %s: %s", name, p.body)
	}
	return found[1]
}

// changesApplication changes all of the application Study groups by the form of its page.
func (v *visit) changesApplication(list, id string) {
	v.t.Helper()
	v.open(list+"/application?id="+id).shows(200, `value="Study groups"`, "https://groups.example/cb\nhttps://groups.example/cb2")
	v.send(list+"/change", "id", id, "name", "Groups", "redirect", "http://groups.example/", "logo", "https://groups.example/l.png").
		shows(400, "is not an https address", `value="Groups"`, `value="https://groups.example/l.png"`)
	v.send(list+"/change", "id", id, "name", "Groups", "redirect", "https://groups.example/", "nopkce", "yes", "acr", "phr", "policy", "https://groups.example/p").
		shows(200, "The application was changed", `value="Groups"`, `value="phr" selected`, `value="https://groups.example/p"`).lacks("groups.example/cb2", "l.png")
	v.send(list+"/change", "id", id, "name", "Groups", "redirect", "https://groups.example/", "access", "soon").shows(400, "valid for 1 minute to 24 hours", `value="soon"`)
	v.send(list+"/change", "id", id, "name", "Groups", "redirect", "https://groups.example/", "nopkce", "yes", "acr", "phr", "access", "5m", "session", "30 d").
		shows(200, "The application was changed", `value="5m"`, `value="30d"`)
	v.open(list).shows(200, "access tokens: 5m", "sessions: 30d")
	if c, err := v.Clients.Find(v.t.Context(), user.Caller{ID: -1, Role: user.Owner}, id); err != nil || !c.PKCEOptional || c.FirstParty || len(c.PostLogoutRedirectURIs) != 0 {
		v.t.Errorf("%+v, %v", c, err)
	}
}

func TestOwnersAddRenewAndRemoveApplications(t *testing.T) {
	site := newAuthSite(t)
	root, admin := site.person("root@example.org"), site.person("admin@example.org")
	for email, role := range map[string]user.Role{"root@example.org": user.Owner, "admin@example.org": user.Admin} {
		site.promote(email, role)
	}
	const list = "/dashboard/applications"
	root.open("/dashboard/people").shows(200, `href="`+list+`"`)
	root.open(list).shows(200, "None.", "RS256")
	root.send(list, "name", "Study groups", "redirect", "http://groups.example/cb", "alg", "RS256").shows(400, "is not an https address", `value="Study groups"`)
	root.send(list, "name", "Study groups", "redirect", "https://groups.example/cb", "alg", "none").shows(400)
	added := root.send(list, "name", " Study groups ", "redirect", "https://groups.example/cb\r\nhttps://groups.example/cb2\r\n", "logout", "https://groups.example/", "alg", "RS256").
		shows(200, "Study groups", "https://octavo.example", "not shown again")
	id, secret := added.shownValue("client_id"), added.shownValue("client_secret")
	signsIn := func(secret string) bool {
		_, err := site.Authorizations.AuthenticateClient(t.Context(), id, secret)
		return err == nil
	}
	here := list + "/application?id=" + id
	root.open(list).shows(200, here, "Study groups", "with a secret").lacks(secret)
	root.open(here).shows(200, "https://groups.example/cb2", "Renew the secret", "Remove the application").lacks(secret)
	root.open(list + "/application?id=1").shows(404)

	for _, path := range []string{list, here} {
		admin.open(path).shows(403)
	}
	for path, form := range map[string][]string{list: {"name", "Mine", "redirect", "https://evil.example/", "alg", "RS256", "first", "yes"}, list + "/secret": {"id", id}, list + "/remove": {"id", id}} {
		admin.send(path, form...).shows(403)
		root.request("POST", path, map[string][]string{"id": {id}}, "Sec-Fetch-Site", "cross-site").shows(403, "another site")
	}
	if !signsIn(secret) {
		t.Error("the secret of the application does not work")
	}
	root.changesApplication(list, id)
	admin.send(list+"/change", "id", id, "name", "Mine").shows(403)
	root.send(list+"/secret", "id", id, "overlap", "169h").shows(400, "7 days at most")
	kept := root.send(list+"/secret", "id", id, "overlap", "168h").shows(200, "not shown again").shownValue("client_secret")
	if !signsIn(secret) || !signsIn(kept) {
		t.Error("the old secret does not work as long as it should")
	}
	secret = kept
	renewed := root.send(list+"/secret", "id", id).shows(200, "not shown again").shownValue("client_secret")
	if signsIn(secret) || !signsIn(renewed) {
		t.Error("the renewed secret does not replace the old one")
	}
	root.send(list+"/secret", "id", "1").shows(404)
	root.send(list+"/remove", "id", id).shows(200, "The application was removed", "None.")
	if signsIn(renewed) {
		t.Error("a removed application still signs in")
	}
}

func TestAPublicApplicationHasNoSecret(t *testing.T) {
	site := newAuthSite(t)
	root := site.person("root@example.org")
	site.promote("root@example.org", user.Owner)
	const list = "/dashboard/applications"
	root.send(list, "name", "Phone", "redirect", "com.example.app:/cb", "public", "yes", "first", "yes", "alg", "ES512").shows(400, "any program on the device can pose as it")
	public := root.send(list, "name", "Phone", "redirect", "https://phone.example/cb", "public", "yes", "first", "yes", "alg", "ES512").shows(200, "Phone").lacks("client_secret", "not shown again")
	root.open(list+"/application?id="+public.shownValue("client_id")).shows(200, "public", "our own", "ES512").lacks("Renew the secret")
	root.lang = "fr"
	root.open(list).shows(200, "Ajouter une application", "publique")
}

func TestAChangeOfAddressIsUndoneByTheButtonOnce(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	ann.proves()
	ann.send("/account/email", "email", "thief@example.org").shows(200, "Confirm your new address")
	ann.send("/account/email/code", "code", site.LastMail(t, message.EmailChange, "thief@example.org").Code).shows(200, "thief@example.org")
	link := site.LastMail(t, message.EmailChanged, "ann@example.org").Link
	path, found := strings.CutPrefix(link, "https://octavo.example")
	if !found {
		t.Fatalf("the link is %s", link)
	}
	_, token, _ := strings.Cut(path, "token=")
	v := site.visitor()
	for range 2 { // a mail scanner, and the owner
		v.open(path).shows(200, "Undo the change of your address?", "Undo the change")
	}
	ann.open("/account").shows(200, "thief@example.org")
	v.request("POST", "/account/undo-email", map[string][]string{"token": {token}}, "Sec-Fetch-Site", "cross-site").shows(403, "another site")
	v.send("/account/undo-email", "token", token[1:]).shows(404, "This link is not valid")
	v.lang = "fr"
	v.open(path).shows(200, "Annuler le changement")
	v.lang = "en"
	v.send("/account/undo-email", "token", token).shows(200, "Your account has its old address again")
	ann.open("/account").shows(200, "Forgot your password?")
	v.open(path).shows(404, "This link is not valid")
	v.send("/account/undo-email", "token", token).shows(404, "This link is not valid")
	v.send("/login", "email", "thief@example.org", "password", authkit.Password).shows(401)
	v.send("/login", "email", "ann@example.org", "password", authkit.Password, "next", "/account").shows(200, "ann@example.org")
}
