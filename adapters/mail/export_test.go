package mail

import "crypto/x509"

// Trust makes s trust the certificates of pool in place of the system's.
func (s *Sender) Trust(pool *x509.CertPool) { s.tls.RootCAs = pool }
