package config

import (
	"cmp"
	"time"

	"github.com/octavo-books/octavo/adapters/hashing"
)

func (s *Settings) checkIdentity() error {
	v := &s.Identity
	_, providers := s.SignInServices()
	_, limits := s.Limits.Rules()
	errs := []error{
		s.checkKeys(), providers, limits,
		oneOf("REQUIRE_2FA", cmp.Or(v.Require2FA, "none"), "none", "admins"),
		oneOf("SIGN_IN", cmp.Or(v.SignIn, "all"), "all", onlySSO),
		oneOf("ALLOW_REGISTRATION", cmp.Or(v.AllowRegistration, "true"), "true", "1", "yes", "false", "0", "no", onlySSO),
		oneOf("ADMIN_SCOPE", cmp.Or(v.AdminScope, "all"), "all", "campus"),
		keepAtLeast("AUDIT_KEEP", v.AuditKeep, 30*24*time.Hour),
		between("ACCESS_TOKEN_TTL", v.AccessTokenTTL, time.Minute, 24*time.Hour),
		between("BCRYPT_COST", v.BcryptCost, hashing.MinCost, hashing.MaxCost),
		between("MAX_SESSIONS_PER_USER", v.MaxSessions, 1, 1000),
		between("MARKET_FEE_BPS", s.Market.FeeBPS, 0, 10_000),
		between("REPORT_THRESHOLD", s.Market.ReportThreshold, 0, 100),
	}
	if v.JWTAudience == "" {
		errs = append(errs, Errorf("JWT_AUDIENCE", "must not be empty"))
	}
	if v.InviteURL != "" {
		errs = append(errs, webAddress("INVITE_URL", v.InviteURL))
	}
	return Together(errs...)
}

// checkKeys parses the keys of before and that of ID tokens. SigningKey parses the pair that
// signs, which only those who sign need.
func (s *Settings) checkKeys() error {
	v := &s.Identity
	_, public := s.PreviousKeys()
	_, private := s.PreviousSecretKeys()
	_, others := s.OtherIDTokenKeys()
	errs := []error{public, private, others}
	if (v.PublicKey == "") != (v.PrivateKey == "") && !s.unreadable("PUBLIC_KEY", "PRIVATE_KEY") {
		errs = append(errs, Errorf("PUBLIC_KEY, PRIVATE_KEY", "set both or neither; `octavo keys generate` makes a pair"))
	}
	if v.OIDCSigningKey != "" {
		_, err := s.IDTokenKey()
		errs = append(errs, err)
	}
	if _, err := s.OtherServiceKeys(); err != nil {
		errs = append(errs, err)
	}
	if v.SAMLKey != "" || v.SAMLProviders != "" && s.Production() {
		_, err := s.ServiceKey()
		errs = append(errs, err)
	}
	return Together(errs...)
}
