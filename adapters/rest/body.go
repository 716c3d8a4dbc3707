package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/domain/fault"
)

// maxBody bounds a request body. Of a larger body, up to maxDrain more bytes are read
// and discarded: many clients read the response only after sending everything and
// would see a broken connection instead of a 413.
const (
	maxBody  = 1 << 20
	maxDrain = 8 << 20
)

var (
	errMediaType = newStatusError(http.StatusUnsupportedMediaType, fault.Invalid, "unsupported_media_type",
		"The body must be sent as application/json.")
	errNotJSON   = fault.New(fault.Invalid, "invalid_json", "The body is not valid JSON.")
	errNotObject = fault.New(fault.Invalid, "invalid_json", "The body must be a JSON object.")
)

// readBody reads the body. It returns an *http.MaxBytesError if it is too large.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if httpx.IsTooLong(r, maxBody) {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if len(b) > maxBody {
		_, _ = io.CopyN(io.Discard, r.Body, maxDrain)
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	if err != nil {
		return nil, errNotJSON.WithMsg("The body is incomplete.")
	}
	return b, nil
}

// abortUnread refuses a request whose body was not read. Of one without a Content-Length it
// reads up to maxDrain first; the others are answered at once, see httpx.IsTooLong.
func (h *Handler) abortUnread(c *gin.Context, err error) {
	if c.Request.ContentLength < 0 {
		_, _ = io.CopyN(io.Discard, c.Request.Body, maxDrain)
	}
	h.abortWithError(c, err)
}

// isJSON reports whether the body is declared as JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	charset, given := params["charset"]
	return err == nil && media == "application/json" && (!given || strings.EqualFold(charset, "utf-8"))
}

// isForm reports whether the body is declared as an HTML form.
func isForm(c *gin.Context) bool { return c.ContentType() == "application/x-www-form-urlencoded" }

// parseForm parses a form into an object of strings.
func parseForm(b []byte) (map[string]any, error) {
	values, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, errQuery.WithMsg("The form is malformed.")
	}
	object := map[string]any{}
	for name, all := range values {
		if len(all) > 1 && len(name) <= maxFieldName {
			return nil, errFields.WithField(name, "Must be given only once.")
		}
		object[name] = all[0]
	}
	return object, nil
}

// parseBody decodes one JSON object and keeps the text of numbers. It refuses
// duplicate fields, because parsers disagree on which one counts. It returns that
// error, an errFields, together with the object, so that the rest can be validated.
func parseBody(b []byte) (map[string]any, error) {
	if !utf8.Valid(b) {
		return nil, errNotJSON
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil {
		return nil, errNotJSON
	} else if t != json.Delim('{') {
		return nil, errNotObject
	}
	object := map[string]any{}
	var duplicate *fault.Error
	for dec.More() {
		name, v, err := parseField(dec)
		if err != nil {
			return nil, err
		}
		if _, again := object[name]; again {
			duplicate = cmp.Or(duplicate, errFields).WithField(name, "Must be given only once.")
		}
		object[name] = v
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, errNotJSON
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	if duplicate != nil {
		return object, duplicate
	}
	return object, nil
}

// maxFieldName bounds the names that an error message repeats.
const maxFieldName = 100

func parseField(dec *json.Decoder) (name string, value any, err error) {
	key, err := dec.Token()
	name, ok := key.(string)
	if err != nil || !ok || len(name) > maxFieldName {
		return "", nil, errNotJSON
	}
	if dec.Decode(&value) != nil {
		return "", nil, errNotJSON
	}
	return name, wire.Normalize(value), nil
}

// checkedBody passes the validated object to the generated code, which binds it
// without decoding the body again.
type checkedBody struct{ object map[string]any }

// ValidatedValue implements the interface that the generated code looks for.
func (b checkedBody) ValidatedValue() any { return b.object }

var errUnbound = errors.New("rest: a checked body does not fit the generated type")

// Read fails: it is called only if the validated body cannot be bound.
func (checkedBody) Read([]byte) (int, error) { return 0, errUnbound }

// Close implements io.Closer.
func (checkedBody) Close() error { return nil }
