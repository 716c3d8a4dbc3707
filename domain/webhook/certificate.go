package webhook

import (
	"fmt"
	"net/url"
	"strings"
)

// certificate is a compiled Certificate.
type certificate struct {
	from    place
	allowed func(u *url.URL) bool
}

// compile compiles the place of a certificate, which the algorithm with certificates needs and
// no other has.
func (c Certificate) compile(algorithm string) (*certificate, error) {
	given := c.Header+c.JSON != "" || len(c.Hosts) > 0
	switch {
	case !given && algorithm != algorithmRSA:
		return nil, nil //nolint:nilnil // the sender has none
	case algorithm != algorithmRSA:
		return nil, fmt.Errorf("webhook: certificate has no effect without the algorithm %s", algorithmRSA)
	case len(c.Hosts) == 0:
		return nil, fmt.Errorf("webhook: certificate needs the hosts of the sender")
	}
	for _, host := range c.Hosts {
		if name := strings.ReplaceAll(host, "*", "a"); !isHostname(name) || strings.HasSuffix(host, "*") || strings.Count(host, ".") < 1 ||
			strings.HasPrefix(host, "*.") && strings.Count(host, ".") < 2 {
			return nil, fmt.Errorf("webhook: certificate: %.100q is not a host such as certs.example.com or *.example.com", host)
		}
	}
	from, err := compilePlace("certificate", Place{Header: c.Header, JSON: c.JSON})
	if err != nil {
		return nil, err
	}
	return &certificate{from, func(u *url.URL) bool { return isAmong(u.Host, c.Hosts) }}, nil
}

func isHostname(name string) bool {
	for _, label := range strings.Split(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

// isAmong reports whether a host is one of a list in which * stands for a whole label.
func isAmong(host string, hosts []string) bool {
	labels := strings.Split(strings.ToLower(host), ".")
	for _, pattern := range hosts {
		wanted := strings.Split(pattern, ".")
		same := len(wanted) == len(labels)
		for i := 0; same && i < len(wanted); i++ {
			same = labels[i] != "" && (wanted[i] == "*" || wanted[i] == labels[i])
		}
		if same {
			return true
		}
	}
	return false
}

// CertificateURL returns the URL of the certificate that signed the request, "" for a sender
// without certificates. The error is ErrSignature if it is not one of the sender's own hosts:
// fetch no other.
func (s *Sender) CertificateURL(r Request) (string, error) {
	s = s.orHost()
	if s.certificate == nil {
		return "", nil
	}
	text := s.certificate.from.read(r)
	if !isOfVendor(text, s.certificate.allowed) {
		return "", fmt.Errorf("%w: the certificate is not at a host of the sender", ErrSignature)
	}
	return text, nil
}

// isOfVendor reports whether text is a plain https URL that is allowed.
func isOfVendor(text string, allowed func(*url.URL) bool) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= maxCertificateURL && u.Scheme == "https" && u.User == nil && u.Fragment == "" && u.Port() == "" &&
		allowed(u)
}

const maxCertificateURL = 1000
