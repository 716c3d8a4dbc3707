package config

import (
	"cmp"
	"slices"
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

// onlySSO as a value of SIGN_IN or ALLOW_REGISTRATION stands for external services.
const onlySSO = "sso"

// ExternalOnly reports whether nobody signs in but at external services.
func (s *Settings) ExternalOnly() bool { return s.Identity.SignIn == onlySSO }

// Registration reports whether people may sign up, and whether external services may make accounts for newcomers.
func (s *Settings) Registration() (signUp, external bool) {
	switch {
	case slices.Contains([]string{"false", "0", "no"}, s.Identity.AllowRegistration):
		return false, false
	case s.Identity.AllowRegistration == onlySSO, s.ExternalOnly():
		return false, true
	}
	return true, true
}

// checkServices returns an error if people can get in at external services alone and there is none.
func (s *Settings) checkServices() error {
	if s.unreadable("OIDC_PROVIDERS", "SAML_PROVIDERS") {
		return nil
	}
	all, err := s.SignInServices()
	if err != nil || len(all.Rules()) > 0 {
		return nil //nolint:nilerr // checkIdentity reports it
	}
	switch {
	case s.ExternalOnly():
		return Errorf("SIGN_IN", "sso needs a service at which people sign in: name it in the file of OIDC_PROVIDERS or SAML_PROVIDERS")
	case s.Identity.AllowRegistration == onlySSO:
		return Errorf("ALLOW_REGISTRATION", "sso needs a service from which newcomers come: name it in the file of OIDC_PROVIDERS or SAML_PROVIDERS")
	}
	return nil
}
