package openidhttp

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// metadata is the document of OpenID Connect Discovery and of RFC 8414, which share their names.
type metadata struct {
	Issuer                 string   `json:"issuer"`
	Authorization          string   `json:"authorization_endpoint"`
	Token                  string   `json:"token_endpoint"`
	UserInfo               string   `json:"userinfo_endpoint"`
	KeySet                 string   `json:"jwks_uri"`
	Revocation             string   `json:"revocation_endpoint"`
	Introspection          string   `json:"introspection_endpoint"`
	EndSession             string   `json:"end_session_endpoint"`
	Scopes                 []string `json:"scopes_supported"`
	ResponseTypes          []string `json:"response_types_supported"`
	ResponseModes          []string `json:"response_modes_supported"`
	GrantTypes             []string `json:"grant_types_supported"`
	Subjects               []string `json:"subject_types_supported"`
	Algorithms             []string `json:"id_token_signing_alg_values_supported"`
	TokenAuth              []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth         []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuth      []string `json:"introspection_endpoint_auth_methods_supported"`
	TokenAuthAlgs          []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	RevocationAuthAlgs     []string `json:"revocation_endpoint_auth_signing_alg_values_supported"`
	ChallengeMethods       []string `json:"code_challenge_methods_supported"`
	Claims                 []string `json:"claims_supported"`
	Prompts                []string `json:"prompt_values_supported"`
	Contexts               []string `json:"acr_values_supported"`
	Locales                []string `json:"ui_locales_supported"`
	Displays               []string `json:"display_values_supported"`
	ClaimTypes             []string `json:"claim_types_supported"`
	BackchannelLogout      bool     `json:"backchannel_logout_supported"`
	BackchannelSession     bool     `json:"backchannel_logout_session_supported"`
	FrontchannelLogout     bool     `json:"frontchannel_logout_supported"`
	FrontchannelSession    bool     `json:"frontchannel_logout_session_supported"`
	IssuerInAnswers        bool     `json:"authorization_response_iss_parameter_supported"`
	ClaimsParameter        bool     `json:"claims_parameter_supported"`
	RequestParameter       bool     `json:"request_parameter_supported"`
	RequestURIParameter    bool     `json:"request_uri_parameter_supported"`
	RequireRegistrationURI bool     `json:"require_request_uri_registration"`
}

// metadata serves both documents of metadata. Any page may read them.
func (h *Handler) metadata(w http.ResponseWriter, r *http.Request) {
	algorithms, err := h.Algorithms()
	if err != nil {
		h.fail(w, r, err)
		return
	}
	secret := []string{"client_secret_basic", "client_secret_post"}
	anyClient := []string{"client_secret_basic", "client_secret_post", "private_key_jwt", "none"}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	writeJSON(w, http.StatusOK, metadata{
		Issuer: h.Issuer, Authorization: h.BaseURL + authorizePath, Token: h.BaseURL + tokenPath, UserInfo: h.BaseURL + userInfoPath,
		KeySet: h.BaseURL + "/.well-known/jwks.json", Revocation: h.BaseURL + revokePath, Introspection: h.BaseURL + introspectPath,
		EndSession: h.BaseURL + endSessionPath, Scopes: openid.Scopes(), ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: []string{"authorization_code", "refresh_token", clientCredentials}, Subjects: []string{"public"},
		Algorithms: algorithms,
		TokenAuth:  anyClient, RevocationAuth: anyClient, IntrospectionAuth: secret,
		TokenAuthAlgs: h.AssertionAlgorithms, RevocationAuthAlgs: h.AssertionAlgorithms, ChallengeMethods: []string{"S256"},
		Claims: append([]string{
			"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "at_hash", "sid",
		}, openid.Claims()...), ClaimsParameter: true,
		Prompts: []string{"none", "login", "consent", "select_account"}, Contexts: session.LevelNames(), IssuerInAnswers: true,
		Locales: []string{string(user.EN), string(user.FR)}, Displays: []string{"page"}, ClaimTypes: []string{"normal"},
		BackchannelLogout: true, BackchannelSession: true, FrontchannelLogout: true, FrontchannelSession: true,
	})
}
