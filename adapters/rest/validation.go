package rest

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/body"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

var errMediaType = newStatusError(http.StatusUnsupportedMediaType, fault.Invalid, "unsupported_media_type",
	"The body must be sent as application/json.")

// validate checks a request in the order that the API promises: size, media type,
// credential, role, content. The router has already checked path and method.
func (h *Handler) validate(op *openapi.Operation) gin.HandlerFunc {
	return func(c *gin.Context) {
		setOperation(c, op)
		c.Header("Cache-Control", "no-store") // cacheable responses replace it
		if op.Multipart {
			h.validateUpload(c, op)
			return
		}
		if op.CSV {
			h.validateImport(c, op)
			return
		}
		b, err := body.Read(c.Request)
		supported := body.IsJSON(c.GetHeader("Content-Type")) || op.Form && isForm(c)
		if err == nil && len(b) > 0 && !supported {
			err = errMediaType
		}
		if err == nil {
			err = authorize(c, op.Who)
		}
		if err == nil {
			err = h.validateRequest(c, op, b)
		}
		if err != nil {
			h.abortWithError(c, err)
		}
	}
}

// isForm reports whether the body is declared as an HTML form.
func isForm(c *gin.Context) bool { return c.ContentType() == "application/x-www-form-urlencoded" }

// abortUnread refuses a request whose body was not read. Of one without a Content-Length it
// reads a bounded part first; the others are answered at once, see httpx.IsTooLong.
func (h *Handler) abortUnread(c *gin.Context, err error) {
	if c.Request.ContentLength < 0 {
		body.Drain(c.Request)
	}
	h.abortWithError(c, err)
}

// authorize checks that the caller may use the operation.
func authorize(c *gin.Context, who openapi.Who) error {
	if who == openapi.Anyone {
		return nil
	}
	by, err := httpx.MarketCallerFrom(c.Request.Context())
	if err != nil {
		return err
	}
	switch who {
	case openapi.User:
		return by.MustBeStudent()
	case openapi.SignedIn:
		return by.MustBe(user.Regular)
	case openapi.Admin:
		return by.MustBe(user.Admin)
	case openapi.Owner:
		return by.MustBe(user.Owner)
	}
	return nil
}

// validateRequest checks parameters and body together, so that one response names
// all errors.
func (h *Handler) validateRequest(c *gin.Context, op *openapi.Operation, b []byte) error {
	problems, err := h.checkParameters(c, op)
	if err != nil {
		return err
	}
	if op.Body != nil {
		if err := h.checkBody(c, op, b, problems); err != nil {
			return err
		}
	}
	if len(problems) == 0 {
		return nil
	}
	if op.Body == nil {
		h.addRuleViolations(op, queryOf(c, op), problems)
	}
	refusal := *body.ErrFields
	refusal.Fields = problems
	return &refusal
}

func (h *Handler) checkBody(c *gin.Context, op *openapi.Operation, b []byte, problems openapi.Problems) error {
	if len(b) == 0 && op.BodyRequired {
		return body.ErrNotJSON.WithMsg("The body is empty. Send a JSON object.")
	}
	parse := body.ParseObject
	if isForm(c) {
		parse = body.ParseForm
	}
	object := map[string]any{}
	if len(b) > 0 {
		var err error
		if object, err = parse(b); errors.Is(err, body.ErrFields) {
			maps.Copy(problems, fault.As(err).Fields)
		} else if err != nil {
			return err
		}
	}
	maps.Copy(problems, op.Body.CheckBody(object))
	if len(problems) > 0 {
		fields := maps.Clone(object)
		maps.DeleteFunc(fields, func(name string, _ any) bool { _, known := op.Body.Fields[name]; return !known })
		h.addRuleViolations(op, fields, problems)
	}
	c.Request.Body = body.Checked{Object: object}
	return nil
}

// checkParameters also removes empty query parameters, which the generated code
// would treat as values.
func (h *Handler) checkParameters(c *gin.Context, op *openapi.Operation) (openapi.Problems, error) {
	problems := openapi.Problems{}
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return nil, body.ErrQuery
	}
	for _, p := range op.Parameters {
		values, given := valuesOf(c, p, query)
		if p.In == "query" && len(values) == 1 {
			values[0] = h.readParameter(p.Name, values[0])
		}
		switch {
		case !given && p.Required:
			problems[p.Name] = "This parameter is missing."
		case !given:
		case len(values) > 1:
			problems[p.Name] = "Must be given only once."
		default:
			if reason := p.Schema.CheckText(values[0]); reason != "" {
				problems[p.Name] = reason
			}
		}
	}
	if c.Request.URL.RawQuery != "" {
		c.Request.URL.RawQuery = query.Encode()
	}
	return problems, nil
}

// readParameter returns an ISBN, a course, a price or a condition of the query as the document writes it, because people paste
// them into programs, too. What cannot be read stays, and validation says why.
func (h *Handler) readParameter(name, typed string) string {
	switch name {
	case "ISBN":
		if isbn, ok := pasted.ISBN(typed); ok {
			return string(isbn)
		}
	case "condition":
		if condition, ok := pasted.Condition(typed); ok {
			return condition.String()
		}
	case "course":
		return pasted.Course(typed)
	case "minPrice", "maxPrice":
		plain := strings.Trim(typed, "0123456789. ") == "" // a plain number has one spelling
		if amount, ok := pasted.Amount(typed, h.cfg.Currency); ok && !plain {
			return h.cfg.Currency.Format(amount)
		}
	}
	return typed
}

// queryOf returns the query parameters of the operation.
func queryOf(c *gin.Context, op *openapi.Operation) map[string]any {
	query := map[string]any{}
	for _, p := range op.Parameters {
		if v, given := c.GetQuery(p.Name); given && p.In == "query" {
			query[p.Name] = v
		}
	}
	return query
}

// valuesOf returns the values of a parameter. An empty query parameter counts as
// absent, because forms send empty fields.
func valuesOf(c *gin.Context, p openapi.Parameter, query url.Values) ([]string, bool) {
	switch p.In {
	case "path":
		return []string{c.Param(p.Name)}, true
	case "header":
		values := c.Request.Header[http.CanonicalHeaderKey(p.Name)]
		return values, len(values) > 0
	}
	values := query[p.Name]
	if len(values) == 1 && values[0] == "" {
		delete(query, p.Name)
		return nil, false
	}
	return values, len(values) > 0
}
