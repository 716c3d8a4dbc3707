package config

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/hashing"
)

func (s *Settings) checkIdentity() error {
	v := &s.Identity
	if (v.PublicKey == "") != (v.PrivateKey == "") {
		return Errorf("PUBLIC_KEY, PRIVATE_KEY", "set both or neither; `octavo keys generate` makes a pair")
	}
	if _, err := s.PreviousKeys(); err != nil {
		return err
	}
	if _, err := s.PreviousSecretKeys(); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "none", "admins"}, v.Require2FA) {
		return Errorf("REQUIRE_2FA", "%q is not one of none, admins", v.Require2FA)
	}
	if !slices.Contains([]string{"", "all", "campus"}, v.AdminScope) {
		return Errorf("ADMIN_SCOPE", "%q is not one of all, campus", v.AdminScope)
	}
	if v.OIDCSigningKey != "" {
		if _, err := s.IDTokenKey(); err != nil {
			return err
		}
	}
	if v.JWTAudience == "" {
		return Errorf("JWT_AUDIENCE", "must not be empty")
	}
	if v.InviteURL != "" {
		if err := webAddress("INVITE_URL", v.InviteURL); err != nil {
			return err
		}
	}
	if _, err := s.Limits.Rules(); err != nil {
		return err
	}
	if _, err := s.IdentityProviders(); err != nil {
		return err
	}
	return firstError(
		keepAtLeast("AUDIT_KEEP", v.AuditKeep, 30*24*time.Hour),
		between("ACCESS_TOKEN_TTL", v.AccessTokenTTL, time.Minute, 24*time.Hour),
		between("BCRYPT_COST", v.BcryptCost, hashing.MinCost, hashing.MaxCost),
		between("MAX_SESSIONS_PER_USER", v.MaxSessions, 1, 1000),
		between("MARKET_FEE_BPS", s.Market.FeeBPS, 0, 10_000),
		between("REPORT_THRESHOLD", s.Market.ReportThreshold, 0, 100),
	)
}
