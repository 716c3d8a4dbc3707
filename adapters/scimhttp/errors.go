package scimhttp

import (
	"net/http"
	"strconv"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

// The errors of RFC 7644, section 3.12. Their codes are values of scimType.
var (
	errSyntax  = fault.New(fault.Invalid, "invalidSyntax", "The body is not a JSON object of this kind.")
	errValue   = fault.New(fault.Invalid, "invalidValue", "A value is not of its attribute's type.")
	errPath    = fault.New(fault.Invalid, "invalidPath", "A path is malformed, or an operation that needs one has none.")
	errFilter  = fault.New(fault.Invalid, "invalidFilter", `Filters are: userName eq "…", externalId eq "…", id eq "…".`)
	errNothing = fault.New(fault.NotFound, "not_found", "There is nothing at this address.")
)

// scimTypes are those of the errors of the core.
var scimTypes = map[string]string{
	"email_taken": "uniqueness", "email_invalid": "invalidValue",
	"invalidSyntax": "invalidSyntax", "invalidValue": "invalidValue", "invalidPath": "invalidPath", "invalidFilter": "invalidFilter",
}

type failure struct {
	Schemas []string `json:"schemas"`
	Status  string   `json:"status"`
	Type    string   `json:"scimType,omitempty"`
	Detail  string   `json:"detail"`
}

// Refuse writes an error in the format of SCIM.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	httpx.SetRetryAfter(w.Header(), err)
	status, detail := httpx.Status(err), httpx.PublicMessage(err)
	if status == http.StatusRequestEntityTooLarge {
		detail = "The body is larger than 64 KB."
	}
	out := failure{Schemas: []string{"urn:ietf:params:scim:api:messages:2.0:Error"}, Detail: detail}
	if f := fault.As(err); f != nil {
		out.Type = scimTypes[f.Code]
		if f.Code == "version_mismatch" {
			status = http.StatusPreconditionFailed
		}
	}
	out.Status = strconv.Itoa(status)
	writeJSON(w, status, out)
}
