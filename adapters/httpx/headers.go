package httpx

import "net/http"

// features are what pages may use of a device: the camera reads barcodes, and passkeys need the
// authenticator. Frames of other sites get nothing.
const features = "camera=(self), publickey-credentials-create=(self), publickey-credentials-get=(self), " +
	"bluetooth=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()"

// withHeaders sets the headers that every response carries. The content
// security policy allows nothing; pages replace it with their own.
func (m *Middleware) withHeaders(next http.Handler) http.Handler {
	transport := "max-age=31536000"
	if m.cfg.HSTSSubdomains {
		transport += "; includeSubDomains"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Permissions-Policy", features)
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		if !under(m.cfg.PopupPaths, r.URL.Path) {
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		if m.cfg.Cookies.Secure {
			h.Set("Strict-Transport-Security", transport)
		}
		next.ServeHTTP(w, r)
	})
}
