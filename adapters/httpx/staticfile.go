package httpx

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

var staticTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png",
	".txt": "text/plain; charset=utf-8", ".graphqls": "text/plain; charset=utf-8", ".yaml": "application/yaml; charset=utf-8",
}

// StaticFile is a file that is the same for everybody. Clients cache it and revalidate it with its
// ETag, or cache it for ever under an address with ?v= and its version.
type StaticFile struct {
	mediaType, policy, version string
	plain, packed              func() ([]byte, error) // the body as it is, and with gzip; packed is nil for pictures
}

// NewStaticFile returns a file with the media type of its name. The body of a .gz file is
// sent as it is to clients that accept gzip, under the name without that suffix. Of other files the
// compressed body is made once.
func NewStaticFile(name string, body []byte) StaticFile {
	name, gzipped := strings.CutSuffix(name, ".gz")
	sum := sha256.Sum256(body)
	s := StaticFile{mediaType: staticTypes[path.Ext(name)], version: base64.RawURLEncoding.EncodeToString(sum[:6])}
	s.plain = func() ([]byte, error) { return body, nil }
	switch {
	case gzipped:
		s.plain, s.packed = func() ([]byte, error) { return gunzip(body) }, s.plain
	case path.Ext(name) != ".png":
		s.packed = sync.OnceValues(func() ([]byte, error) { return pack(body) })
	}
	return s
}

// WithPolicy returns the file with a content security policy of its own, for a page.
func (s StaticFile) WithPolicy(policy string) StaticFile {
	s.policy = policy
	return s
}

// Version changes with the content.
func (s StaticFile) Version() string { return s.version }

// LoadStaticFiles loads the files of a folder by the names that they are served under.
func LoadStaticFiles(files fs.FS, folder string) (map[string]StaticFile, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	out := make(map[string]StaticFile, len(entries))
	for _, e := range entries {
		body, err := fs.ReadFile(files, path.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("static files: %w", err)
		}
		out[strings.TrimSuffix(e.Name(), ".gz")] = NewStaticFile(e.Name(), body)
	}
	return out, nil
}

// ServeHTTP answers a GET or HEAD.
func (s StaticFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, read := w.Header(), s.plain
	pack := s.packed != nil && acceptsGzip(r.Header.Get("Accept-Encoding"))
	if pack {
		read = s.packed
	}
	body, err := read()
	if err != nil {
		writePlainError(w, r, fmt.Errorf("static files: %w", err))
		return
	}
	if s.packed != nil {
		h.Add("Vary", "Accept-Encoding")
	}
	if pack {
		h.Set("Content-Encoding", "gzip")
	}
	if s.policy != "" {
		h.Set("Content-Security-Policy", s.policy)
	}
	h.Set("Cache-Control", "no-cache") // cache, but revalidate each time
	if r.URL.Query().Get("v") == s.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Type", s.mediaType)
	h.Set("ETag", `W/"`+s.version+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip parses an Accept-Encoding header. A weight of 0 means that the client does not
// accept the encoding.
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, q, weighted := strings.Cut(strings.ToLower(params), "q=")
			weight, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return !weighted || err == nil && weight > 0
		}
	}
	return false
}

// pack compresses a file as well as gzip can: it is done once.
func pack(b []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(b)
	if err == nil {
		err = w.Close()
	}
	return packed.Bytes(), err
}

func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
