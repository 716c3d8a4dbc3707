package main

import (
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type keysCommand struct {
	Generate keysGenerate `cmd:"" help:"Print a fresh P-521 pair as two lines, PUBLIC_KEY and PRIVATE_KEY."`
}

type keysGenerate struct {
	OIDC bool `name:"oidc" help:"Print an RSA key for the ID tokens of OpenID clients instead, as the line OIDC_SIGNING_KEY."`
	SAML bool `name:"saml" help:"Print an RSA key for SAML providers instead, as the line SAML_KEY."`
}

// Run prints new keys.
func (k keysGenerate) Run(c terminal.Console) error {
	switch {
	case k.OIDC:
		return config.GenerateOIDCKey(c.Out)
	case k.SAML:
		return config.GenerateSAMLKey(c.Out)
	}
	return config.GenerateKeys(c.Out)
}
