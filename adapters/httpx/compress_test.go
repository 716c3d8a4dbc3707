package httpx_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/octavo-books/octavo/adapters/httpx"
)

var long = strings.Repeat("Linear Algebra, third edition. ", 200)

// respond returns the response of a compressing server that writes body.
func respond(t *testing.T, method, mediaType, body string, header ...string) *http.Response {
	t.Helper()
	h, err := httpx.Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("ETag", `W/"abc"`)
		_, _ = io.WriteString(w, body)
	}))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestAResponseIsCompressedAsTheClientAcceptsIt(t *testing.T) {
	for accepted, want := range map[string]string{
		"":                        "",
		"identity":                "",
		"br":                      "",
		"gzip":                    "gzip",
		"GZIP":                    "gzip",
		"gzip;q=0":                "",
		"gzip; q=0.000, identity": "",
		"gzip;q=0.5":              "gzip",
		"gzip, deflate, br, zstd": "zstd",
		"gzip, zstd;q=0.5":        "gzip",
		"zstd;q=0, gzip;q=0.1":    "gzip",
	} {
		r := respond(t, http.MethodGet, "text/html; charset=utf-8", long, "Accept-Encoding", accepted)
		if got := r.Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: %q, want %q", accepted, got, want)
		}
		if !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Accept-Encoding") || r.Header.Get("ETag") != `W/"abc"` {
			t.Errorf("Accept-Encoding %q: %v", accepted, r.Header)
		}
		sent, err := io.ReadAll(r.Body)
		if err != nil || want != "" && len(sent) > len(long)/4 || decode(t, want, sent) != long {
			t.Errorf("Accept-Encoding %q: %d bytes, %v", accepted, len(sent), err)
		}
	}
}

func decode(t *testing.T, encoding string, b []byte) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(b)
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAResponseThatCompressionDoesNotHelpIsLeftAlone(t *testing.T) {
	for name, r := range map[string]*http.Response{
		"a tiny body":     respond(t, http.MethodGet, "application/json", `{"data":[]}`, "Accept-Encoding", "gzip"),
		"a photo":         respond(t, http.MethodGet, "image/jpeg", long, "Accept-Encoding", "gzip"),
		"an event stream": respond(t, http.MethodGet, "text/event-stream", long, "Accept-Encoding", "gzip"),
		"HEAD":            respond(t, http.MethodHead, "text/html", long, "Accept-Encoding", "gzip"),
	} {
		if r.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", name)
		}
	}
}

func TestAnEventReachesAClientThatAcceptsCompressionAtOnce(t *testing.T) {
	next := make(chan struct{})
	h, err := httpx.Compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: first\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-next:
		case <-r.Context().Done():
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	defer close(next)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	first := make([]byte, len("data: first\n\n"))
	if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "data: first\n\n" {
		t.Errorf("%q, %v", first, err)
	}
}

func TestAnotherSiteLearnsNothingFromTheLengthOfACompressedPage(t *testing.T) {
	for _, site := range []string{"cross-site", "same-site"} {
		r := respond(t, http.MethodGet, "text/html", long, "Accept-Encoding", "gzip", "Sec-Fetch-Site", site, "Cookie", "octavo_access=x")
		if r.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed with the viewer's cookies", site)
		}
		if r = respond(t, http.MethodGet, "text/html", long, "Accept-Encoding", "gzip", "Sec-Fetch-Site", site); r.Header.Get("Content-Encoding") == "" {
			t.Errorf("%s: a page without cookies is not compressed", site)
		}
	}
	if r := respond(t, http.MethodGet, "text/html", long, "Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-origin", "Cookie", "octavo_access=x"); r.Header.Get("Content-Encoding") == "" {
		t.Error("a page of one's own is not compressed")
	}
}

func TestAPackedFileRespectsTheWeightOfGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, long)
	_ = z.Close()
	file := httpx.NewStaticFile("reader.js.gz", packed.Bytes())
	for accepted, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip; q=0": "", "gzip;q=0.0": "", "x-gzip": "", "": ""} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", accepted)
		if file.ServeHTTP(w, r); w.Header().Get("Content-Encoding") != want {
			t.Errorf("Accept-Encoding %q: %q", accepted, w.Header().Get("Content-Encoding"))
		}
		if decode(t, want, w.Body.Bytes()) != long {
			t.Errorf("Accept-Encoding %q: another body", accepted)
		}
	}
}
