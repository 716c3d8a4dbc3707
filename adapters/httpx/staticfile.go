package httpx

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// staticPolicy is the content security policy of files that are not pages.
const staticPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

var staticTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".graphqls": "text/plain; charset=utf-8", ".yaml": "application/yaml; charset=utf-8",
}

// StaticFile is a file that is the same for everybody. Clients cache it and revalidate it
// with its ETag.
type StaticFile struct {
	mediaType, policy, etag string
	body                    []byte
	gzipped                 bool // body is compressed; it is decompressed for clients that do not accept gzip
}

// NewStaticFile returns a file with the media type of its name. The body of a .gz file is
// sent as it is to clients that accept gzip, under the name without that suffix.
func NewStaticFile(name string, body []byte) StaticFile {
	name, gzipped := strings.CutSuffix(name, ".gz")
	return StaticFile{
		mediaType: staticTypes[path.Ext(name)], policy: staticPolicy, body: body, gzipped: gzipped,
		etag: WeakETag(body),
	}
}

// WithPolicy returns the file with another content security policy, for a page.
func (s StaticFile) WithPolicy(policy string) StaticFile {
	s.policy = policy
	return s
}

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

// Write answers a GET or HEAD. It fails, and writes nothing, only if a compressed body is
// damaged.
func (s StaticFile) Write(w http.ResponseWriter, r *http.Request) error {
	h, body := w.Header(), s.body
	switch {
	case s.gzipped && AcceptsGzip(r.Header.Get("Accept-Encoding")):
		h.Set("Content-Encoding", "gzip")
	case s.gzipped:
		var err error
		if body, err = gunzip(body); err != nil {
			return fmt.Errorf("static files: %w", err)
		}
	}
	if s.gzipped {
		h.Add("Vary", "Accept-Encoding")
	}
	h.Set("Content-Type", s.mediaType)
	h.Set("Content-Security-Policy", s.policy)
	h.Set("Cache-Control", "no-cache") // cache, but revalidate each time
	h.Set("ETag", s.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// AcceptsGzip parses an Accept-Encoding header. A weight of 0 means that the client does not
// accept the encoding.
func AcceptsGzip(header string) bool {
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

func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
