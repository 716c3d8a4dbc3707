package assembly

import (
	"crypto/ecdsa"
	"fmt"
	"io"
	"strings"

	"github.com/octavo-books/octavo/adapters/token"
)

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
	public, private := s.Identity.PublicKey, s.Identity.PrivateKey
	if private == "" {
		var err error
		if public, private, err = generatedPair(s.Storage.DataDir); err != nil {
			return nil, err
		}
	}
	key, err := token.ParsePair(public, private)
	if err != nil {
		return nil, refused("PUBLIC_KEY, PRIVATE_KEY", "%v", err)
	}
	return key, nil
}

// generatedPair keeps both keys in one file, so that no crash parts them.
func generatedPair(dir string) (public, private string, err error) {
	const begin = "-----BEGIN PRIVATE KEY-----"
	pair, err := kept(dir, "signing-keys.pem", func() (string, error) {
		public, private, err := token.Generate()
		return strings.TrimSpace(public) + "\n" + private, err
	})
	if err != nil {
		return "", "", fmt.Errorf("generate keys: %w", err)
	}
	public, private, _ = strings.Cut(pair, begin)
	return public, begin + private, nil
}
