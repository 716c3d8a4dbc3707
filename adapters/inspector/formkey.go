package inspector

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

// maxForm bounds a form: ids have up to 256 bytes.
const maxForm = 16 << 10

var (
	errForm      = fault.New(fault.Invalid, "form_invalid", "The form could not be read.")
	errOtherSite = fault.New(fault.Forbidden, "other_site", "This request came from another site or from an older session. Open the page again and use its form.")
)

// formKey returns the hidden key of the forms of a session. Another site cannot read it
// and therefore cannot send these forms.
func (p *Pages) formKey(session string) string { return sign(p.Key, "form", session) }

// sign returns a MAC of a text for one purpose, in base64.
func sign(key []byte, purpose, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// checkForm parses a form into r.PostForm and checks its key.
func (p *Pages) checkForm(w http.ResponseWriter, r *http.Request, v viewer) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
	if !hmac.Equal([]byte(r.PostForm.Get("key")), []byte(v.FormKey)) {
		return errOtherSite
	}
	return nil
}

// parseForm also refuses what a browser sends from another site.
func parseForm(w http.ResponseWriter, r *http.Request) error {
	if http.NewCrossOriginProtection().Check(r) != nil {
		return errOtherSite
	}
	if httpx.IsTooLong(r, maxForm) {
		return fmt.Errorf("%w (%w)", errForm, &http.MaxBytesError{Limit: maxForm})
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return errForm
	}
	return nil
}
