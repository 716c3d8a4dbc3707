package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/octavo-books/octavo/adapters/acme"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkCertificate looks at the name and the certificate of HTTPS=auto.
func checkCertificate(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !s.AutoHTTPS() || !parts.Identity() && !parts.Webhooks {
		return nil
	}
	name := s.Server.Domain
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	if err != nil {
		return []finding{failed("name", err, "make "+name+" lead to this machine: an A or AAAA record in its zone")}
	}
	all := []finding{passed("name", "%s leads to %v", name, addresses)}
	stored, err := acme.ReadStored(ctx, s.CertificateFolder(), name)
	until, now := stored.Until, time.Now()
	switch {
	case errors.Is(err, acme.ErrNone):
		return append(all, passed("certificate", "none yet; octavo serve gets one when it starts"))
	case err != nil:
		return append(all, failed("certificate", err, "remove the folder; octavo serve gets a new one"))
	case until.Before(now):
		return append(all, failed("certificate", fmt.Errorf("expired at %s", until.Format(time.RFC3339)), renewalAdvice))
	case stored.Late(now):
		late := "valid until " + until.Format(time.RFC3339) + " only: it should have been renewed"
		return append(all, warn("certificate", late, renewalAdvice))
	}
	return append(all, passed("certificate", "of %s, valid until %s", name, until.Format(time.RFC3339)))
}

const renewalAdvice = "the log of octavo serve has what the certificate authority says; the ports 80 and 443 must be reachable from outside"
