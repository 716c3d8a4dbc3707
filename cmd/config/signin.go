package config

import "slices"

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
