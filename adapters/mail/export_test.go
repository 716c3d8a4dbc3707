package mail

import "crypto/x509"

// Trust has s believe the certificates of pool, as the system's store would.
func (s *Sender) Trust(pool *x509.CertPool) { s.tls.RootCAs = pool }
