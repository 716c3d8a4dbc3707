package inspector

import (
	"fmt"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

// maxForm bounds a form: ids have up to 256 bytes.
const maxForm = 16 << 10

var (
	errForm      = fault.New(fault.Invalid, "form_invalid", "The form could not be read.")
	errOtherSite = fault.New(fault.Forbidden, "other_site", "This request came from another site. Open the page again and use its form.")
)

// parseForm parses a form into r.PostForm. It refuses what a browser sends from another site.
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
