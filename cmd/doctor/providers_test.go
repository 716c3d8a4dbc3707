package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorContactsTheSignInProviders(t *testing.T) {
	s := settings.Default(t)
	if all := checkProviders(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("without the setting it found %v", all)
	}
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer": %q, "authorization_endpoint": %[1]q, "token_endpoint": %[1]q, "jwks_uri": %[1]q}`, server.URL)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "providers.yaml")
	write := func(text string, mode os.FileMode) {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		must.Do(t, os.Chmod(path, mode))
	}
	s.Identity.OIDCProviders = path
	write(fmt.Sprintf("- {name: campus, issuer: %q, clientId: x}\n- {name: other, issuer: %q, clientId: x}\n- {name: down, issuer: 'http://127.0.0.1:9', clientId: x}\n", server.URL, server.URL+"/x"), 0o644)
	all := checkProviders(t.Context(), &s, config.All)
	says(t, all, ok, "3 in "+path, "")
	says(t, all, warning, "other users of this machine can read", "chmod o= "+path)
	says(t, all, ok, "redirect URI: "+s.Server.BaseURL+"/auth/oidc/campus/callback", "")
	says(t, all, warning, "the issuer is", "check the issuer")
	says(t, all, warning, "refused", "can reach it")
	write("- {name: campus}", 0o600)
	says(t, checkProviders(t.Context(), &s, config.All), failure, "line 1: provider 1 (campus): issuer is not", "OIDC_PROVIDERS")
}
