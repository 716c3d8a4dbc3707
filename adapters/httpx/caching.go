package httpx

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// SharedCaching is the Cache-Control of public responses to requests without a credential.
// A CDN answers with its copy for a minute, and for one more while it fetches another (RFC
// 5861); browsers revalidate theirs each time.
const SharedCaching = "public, max-age=0, s-maxage=60, stale-while-revalidate=60"

// SurrogateKeys writes the keys by which a cache in front purges its copies. The zero value writes
// none.
type SurrogateKeys struct {
	Header    string // "" for none
	Separator string
}

// SetKeys sets the keys of a response that a shared cache may store.
func SetKeys[K ~string](h http.Header, s SurrogateKeys, keys []K) {
	if s.Header == "" {
		return
	}
	var value strings.Builder
	for i, k := range keys {
		if i > 0 {
			value.WriteString(s.Separator)
		}
		value.WriteString(string(k))
	}
	h.Set(s.Header, value.String())
}

// Remove removes the keys from a response that turns out not to be one.
func (s SurrogateKeys) Remove(h http.Header) {
	if s.Header != "" {
		h.Del(s.Header)
	}
}

// WeakETag returns an ETag of the concatenated parts. It is weak, because compressed and
// plain responses share it.
func WeakETag(parts ...[]byte) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(part)
	}
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]) + `"`
}

// IsCurrent reports whether the client's copy has this ETag. It compares weakly, as
// If-None-Match requires (RFC 9110, 13.1.2).
func IsCurrent(r *http.Request, etag string) bool {
	return HasETag(r.Header.Values("If-None-Match"), etag)
}

// HasETag reports whether the values of a header list an ETag, or all by "*". It compares weakly.
func HasETag(header []string, etag string) bool {
	for candidate := range strings.SplitSeq(strings.Join(header, ","), ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || candidate != "" && strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}
