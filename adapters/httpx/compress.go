package httpx

import (
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressible lists the media types that compression makes smaller. Event streams are not
// among them, because a compressor holds events back, and neither are photos.
var compressible = []string{
	"text/html", "text/css", "text/csv", "text/javascript", "text/plain", "image/svg+xml", "application/json", "application/yaml",
	"application/manifest+json", "application/graphql-response+json", "application/jwk-set+json",
}

// Compress compresses the responses of next with zstd or gzip for clients that accept it,
// unless the response is tiny or already encoded. ETags stay as they are, so all of them
// have to be weak: the plain and the compressed response share them.
//
// The length of a compressed page shows an observer of the network how much of the URL also
// occurs on the page (the BREACH attack), if the observer can make the browser load the page
// many times with its cookies. Only another site can do that, so the response to a request
// with cookies from another site is not compressed.
func Compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypeFilter(isCompressible))
	if err != nil {
		return nil, err
	}
	compressed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" && isFromOtherSite(r) {
			next.ServeHTTP(w, r)
			return
		}
		compressed(w, r)
	}), nil
}

func isCompressible(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return slices.Contains(compressible, strings.ToLower(strings.TrimSpace(mediaType)))
}

// isFromOtherSite reports whether another site made the browser send the request. Browsers say
// so on encrypted connections; on others, an observer can read the page itself.
func isFromOtherSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}
