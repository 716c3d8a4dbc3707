package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/httpx"
)

const (
	maxBody      = 1 << 20
	maxJSONDepth = 32
)

// request is one operation as a client sends it.
type request struct {
	query         string
	operationName string
	variables     map[string]any
	persisted     *persistedQuery
}

// persistedQuery names a document by its hash.
type persistedQuery struct {
	Version    int    `json:"version"`
	Sha256Hash string `json:"sha256Hash"`
}

// readRequest parses a body strictly: one JSON object in UTF-8, no duplicate key,
// nothing after it. Errors never quote the body, which may contain a password.
func readRequest(w http.ResponseWriter, r *http.Request) (request, error) {
	if err := checkContentType(r.Header); err != nil {
		return request{}, err
	}
	if httpx.IsTooLong(r, maxBody) {
		return request{}, errTooLong
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return request{}, errTooLong
		}
		return request{}, refuse(http.StatusBadRequest, badRequest, "The body could not be read.")
	}
	return parseRequest(body)
}

var errTooLong = refuse(http.StatusRequestEntityTooLarge, badRequest, "The body is larger than 1 MiB.")

func checkContentType(h http.Header) error {
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := params["charset"]
	encoding := h.Get("Content-Encoding")
	if err != nil || mediaType != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") ||
		encoding != "" && encoding != "identity" {
		return refuse(http.StatusUnsupportedMediaType, badRequest, "The body must be application/json in UTF-8.")
	}
	return nil
}

var (
	errNotJSON   = refuse(http.StatusBadRequest, badRequest, "The body is not valid JSON.")
	errNotObject = refuse(http.StatusBadRequest, badRequest, "The body must be one JSON object.")
	errBatch     = refuse(http.StatusBadRequest, badRequest, "Batches are not supported; send one operation in each request.")
	errDuplicate = refuse(http.StatusBadRequest, badRequest, "The body names a key twice.")
	errTooDeep   = refuse(http.StatusBadRequest, badRequest, "The body is nested too deeply.")
	errNoQuery   = refuse(http.StatusBadRequest, badRequest, "The body has no query.")
)

func parseRequest(body []byte) (request, error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return request{}, errNotJSON
	}
	switch first := bytes.TrimLeft(body, " \t\r\n")[0]; first {
	case '{':
	case '[':
		return request{}, errBatch
	default:
		return request{}, errNotObject
	}
	if err := checkValue(json.NewDecoder(bytes.NewReader(body)), 0); err != nil {
		return request{}, err
	}
	return decodeRequest(body)
}

// checkValue checks one value of valid JSON for what json.Unmarshal would accept
// silently.
func checkValue(dec *json.Decoder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return errNotJSON
	}
	open, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth >= maxJSONDepth {
		return errTooDeep
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			key, _ := dec.Token()
			name, _ := key.(string)
			if seen[name] {
				return errDuplicate
			}
			seen[name] = true
		}
		if err := checkValue(dec, depth+1); err != nil {
			return err
		}
	}
	_, err = dec.Token() // the closing one
	return err
}

// decodeRequest decodes the four known members and ignores others. Unlike encoding/json
// it compares names exactly.
func decodeRequest(body []byte) (request, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return request{}, errNotJSON
	}
	var req request
	var extensions map[string]json.RawMessage
	for name, into := range map[string]any{
		"query": &req.query, "operationName": &req.operationName, "variables": &req.variables, "extensions": &extensions,
	} {
		if err := decodeMember(members[name], into); err != nil {
			return request{}, refuse(http.StatusBadRequest, badRequest, "The member \""+name+"\" has the wrong type.")
		}
	}
	if err := decodeMember(extensions["persistedQuery"], &req.persisted); err != nil {
		return request{}, refuse(http.StatusBadRequest, badRequest, "The extension persistedQuery has the wrong form.")
	}
	if strings.TrimSpace(req.query) == "" && req.persisted == nil {
		return request{}, errNoQuery
	}
	return req, nil
}

// decodeMember leaves into unchanged if the member is absent or null. Numbers keep all
// their digits.
func decodeMember(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(into)
}
