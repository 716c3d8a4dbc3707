package user

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
)

const (
	// MaxMetadata limits the metadata of a user, in bytes of JSON without spaces. Every
	// access token has a copy, and browsers limit a cookie to 4 KB.
	MaxMetadata = 1 << 10

	maxMetadataDepth = 8
)

// ErrMetadataInvalid rejects metadata.
var ErrMetadataInvalid = fault.New(fault.Invalid, "bad_request",
	"Metadata must be a JSON object of at most 1 KB, nested at most 8 deep, without a key twice and without numbers beyond 64-bit floating point.")

// ParseMetadata validates metadata and returns it without spaces; empty for an object
// without fields. Programs that read the same text must not understand it in different ways,
// so it refuses objects with a key twice and numbers that a 64-bit float cannot hold.
func ParseMetadata(text string) (string, error) {
	var compact bytes.Buffer
	if !utf8.ValidString(text) || json.Compact(&compact, []byte(text)) != nil || compact.Len() > MaxMetadata {
		return "", ErrMetadataInvalid
	}
	d := json.NewDecoder(strings.NewReader(compact.String()))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return "", ErrMetadataInvalid
	}
	if err := checkObject(d, 1); err != nil {
		return "", ErrMetadataInvalid
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", ErrMetadataInvalid
	}
	if compact.String() == "{}" {
		return "", nil
	}
	return compact.String(), nil
}

// checkObject reads the rest of an object whose first brace was read.
func checkObject(d *json.Decoder, depth int) error {
	keys := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok || keys[key] {
			return ErrMetadataInvalid
		}
		keys[key] = true
		if err := checkValue(d, depth); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// checkValue reads one value. The decoder refuses numbers that a float64 cannot hold.
func checkValue(d *json.Decoder, depth int) error {
	t, err := d.Token()
	if err != nil || t != json.Delim('{') && t != json.Delim('[') {
		return err
	}
	if depth++; depth > maxMetadataDepth {
		return ErrMetadataInvalid
	}
	if t == json.Delim('{') {
		return checkObject(d, depth)
	}
	for d.More() {
		if err := checkValue(d, depth); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
