// Package body reads the bodies of requests: JSON objects and HTML forms, bounded.
package body

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

// What may be wrong with a request as a whole.
var (
	ErrNotJSON   = fault.New(fault.Invalid, "invalid_json", "The body is not valid JSON.")
	ErrFields    = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or invalid.")
	ErrQuery     = fault.New(fault.Invalid, "invalid_query", "The query string is malformed.")
	errNotObject = fault.New(fault.Invalid, "invalid_json", "The body must be a JSON object.")
)

// Read reads the body. It returns an *http.MaxBytesError if it is too large.
func Read(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if httpx.IsTooLong(r, maxBody) {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if len(b) > maxBody {
		Drain(r)
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	if err != nil {
		return nil, ErrNotJSON.WithMsg("The body is incomplete.")
	}
	return b, nil
}

// Drain reads and discards up to maxDrain bytes of the rest of a body.
func Drain(r *http.Request) { _, _ = io.CopyN(io.Discard, r.Body, maxDrain) }

// IsJSON reports whether the body is declared as JSON in UTF-8.
func IsJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	charset, given := params["charset"]
	return err == nil && media == "application/json" && (!given || strings.EqualFold(charset, "utf-8"))
}

// ParseForm parses a form into an object of strings.
func ParseForm(b []byte) (map[string]any, error) {
	values, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, ErrQuery.WithMsg("The form is malformed.")
	}
	object := map[string]any{}
	for name, all := range values {
		if len(all) > 1 && len(name) <= maxFieldName {
			return nil, ErrFields.WithField(name, "Must be given only once.")
		}
		object[name] = all[0]
	}
	return object, nil
}

// ParseObject decodes one JSON object and keeps the text of numbers. It refuses
// duplicate fields, because parsers disagree on which one counts. It returns that
// error, an ErrFields, together with the object, so that the rest can be validated.
func ParseObject(b []byte) (map[string]any, error) {
	if !utf8.Valid(b) {
		return nil, ErrNotJSON
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil {
		return nil, ErrNotJSON
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
			duplicate = cmp.Or(duplicate, ErrFields).WithField(name, "Must be given only once.")
		}
		object[name] = v
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, ErrNotJSON
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNotJSON
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
		return "", nil, ErrNotJSON
	}
	if dec.Decode(&value) != nil {
		return "", nil, ErrNotJSON
	}
	return name, wire.Normalize(value), nil
}

// Checked passes the validated object to the generated code, which binds it
// without decoding the body again.
type Checked struct{ Object map[string]any }

// ValidatedValue implements the interface that the generated code looks for.
func (b Checked) ValidatedValue() any { return b.Object }

var errUnbound = errors.New("rest: a checked body does not fit the generated type")

// Read fails: it is called only if the validated body cannot be bound.
func (Checked) Read([]byte) (int, error) { return 0, errUnbound }

// Close implements io.Closer.
func (Checked) Close() error { return nil }
