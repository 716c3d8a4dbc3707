package oidcclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/oauth2"

	"github.com/octavo-books/octavo/domain/identity"
)

const gitHubAddress = "https://github.com"

// gitHub returns the addresses of GitHub, or of a GitHub Enterprise Server.
func (p *provider) gitHub() *metadata {
	base := strings.TrimSuffix(p.Issuer, "/")
	return &metadata{
		Issuer: base + "/login/oauth", Authorization: base + "/login/oauth/authorize", Token: base + "/login/oauth/access_token",
		AuthMethods: []string{"client_secret_post"},
	}
}

// gitHubAPI is the address of the API.
func (p *provider) gitHubAPI() string {
	base := strings.TrimSuffix(p.Issuer, "/")
	if base == gitHubAddress {
		return "https://api.github.com"
	}
	return base + "/api/v3"
}

// gitHubClaims asks GitHub's API for the person and their primary address. The number of an
// account stays the same when its name changes hands.
func (p *provider) gitHubClaims(ctx context.Context, token *oauth2.Token) (identity.Claims, error) {
	var person struct {
		ID          int64
		Login, Name string
	}
	if err := p.ask(ctx, "/user", token, &person); err != nil {
		return identity.Claims{}, err
	}
	if person.ID <= 0 {
		return identity.Claims{}, errors.New("the account has no number")
	}
	var addresses []struct {
		Email             string
		Primary, Verified bool
	}
	if err := p.ask(ctx, "/user/emails", token, &addresses); err != nil {
		return identity.Claims{}, err
	}
	claims := identity.Claims{Subject: strconv.FormatInt(person.ID, 10), Name: person.Name}
	for _, a := range addresses {
		if a.Primary {
			claims.Email, claims.EmailVerified = a.Email, a.Verified
			break
		}
	}
	return claims, nil
}

func (p *provider) ask(ctx context.Context, path string, token *oauth2.Token, into any) error {
	body, err := p.get(ctx, p.gitHubAPI()+path, token.AccessToken)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
