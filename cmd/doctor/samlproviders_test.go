package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorLoadsTheMetadataOfSAMLProvidersAndMakesNoKey(t *testing.T) {
	s := settings.Default(t)
	if all := checkSAMLProviders(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("without the setting it found %v", all)
	}
	dir := t.TempDir()
	idp := samlidp.New(t, "https://idp.example.edu", 1)
	must.Do(t, os.WriteFile(filepath.Join(dir, "idp.xml"), idp.Metadata("https://idp.example.edu"), 0o600))
	s.Identity.SAMLProviders = filepath.Join(dir, "saml.yaml")
	const text = "- {name: campus, metadata: idp.xml}\n- {name: other, metadata: idp.xml, entityID: 'https://other.edu'}\n- {name: down, metadata: 'http://127.0.0.1:9'}\n"
	must.Do(t, os.WriteFile(s.Identity.SAMLProviders, []byte(text), 0o600))
	all := checkSAMLProviders(t.Context(), &s, config.All)
	says(t, all, ok, "3 in "+s.Identity.SAMLProviders, "")
	says(t, all, ok, "https://idp.example.edu; metadata for its operator: "+s.Server.BaseURL+"/auth/saml/campus/metadata", "")
	says(t, all, warning, "no SAML 2.0 identity provider", "check the metadata")
	says(t, all, warning, "refused", "can reach them")
	if !config.FileMissing(filepath.Join(s.Storage.DataDir, config.SAMLKeyFile)) {
		t.Error("a key was made")
	}
	must.Do(t, os.WriteFile(s.Identity.SAMLProviders, []byte("- {name: campus}"), 0o600))
	says(t, checkSAMLProviders(t.Context(), &s, config.All), failure, "line 1: provider 1 (campus): metadata is missing", "SAML_PROVIDERS")
}
