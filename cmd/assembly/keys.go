package assembly

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/adapters/token"
)

// keysFile is where development keeps the pair it made, in DATA_DIR.
const keysFile = "signing-keys.pem"

// GenerateKeys prints a fresh pair as two lines that a .env file takes.
func GenerateKeys(out io.Writer) error {
	public, private, err := token.Generate()
	if err != nil {
		return err
	}
	escape := strings.NewReplacer("\n", `\n`)
	_, err = fmt.Fprintf(out, "PUBLIC_KEY=\"%s\"\nPRIVATE_KEY=\"%s\"\n", escape.Replace(public), escape.Replace(private))
	return err
}

// signingKey is the pair of the settings. Development makes one and keeps it in
// DATA_DIR; production never comes here without a pair.
func signingKey(s *Settings) (*ecdsa.PrivateKey, error) {
	if s.Identity.PrivateKey == "" {
		return generatedKey(s.Storage.DataDir)
	}
	key, err := token.ParsePair(s.Identity.PublicKey, s.Identity.PrivateKey)
	if err == nil {
		return key, nil
	}
	name := "PUBLIC_KEY, PRIVATE_KEY"
	switch {
	case errors.Is(err, token.ErrPublicKey):
		name = "PUBLIC_KEY"
	case errors.Is(err, token.ErrPrivateKey):
		name = "PRIVATE_KEY"
	}
	return nil, refused(name, "%v", err)
}

// generatedKey keeps both keys in one file, so that no crash parts them.
func generatedKey(dir string) (*ecdsa.PrivateKey, error) {
	const file, begin = keysFile, "-----BEGIN PRIVATE KEY-----"
	pair, err := kept(dir, file, func() (string, error) {
		public, private, err := token.Generate()
		return strings.TrimSpace(public) + "\n" + private, err
	})
	if err != nil {
		return nil, fmt.Errorf("generate keys: %w", err)
	}
	public, private, _ := strings.Cut(pair, begin)
	key, err := token.ParsePair(public, begin+private)
	if err != nil {
		return nil, refused("DATA_DIR", "%s is broken (%v): restore it, or remove it to have a new pair made; then access tokens and codes given out end, and mails that wait are lost",
			filepath.Join(dir, file), err)
	}
	return key, nil
}
