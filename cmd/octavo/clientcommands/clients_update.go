package clientcommands

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/text"
)

// clientFlags are what an application can be set to when it is added and later. What is nil was not
// given.
type clientFlags struct {
	PostLogoutRedirectURI []string `name:"post-logout-redirect-uri" sep:"none" placeholder:"URI" help:"Address to which people may return from signing out. Repeatable."`
	Public                *bool    `negatable:"" help:"The application cannot keep a secret: an app on a phone or a desktop, or a page in the browser."`
	FirstParty            *bool    `name:"first-party" negatable:"" help:"The application is your own: users are not asked for consent, and it may do everything that its user may. Not with --public and an address of this machine or a private scheme."`
	PKCE                  *bool    `name:"pkce" negatable:"" help:"Whether a code needs PKCE (default). --no-pkce is for libraries that cannot, of applications with a secret."`
	RequireACR            *string  `name:"require-acr" placeholder:"ACR" help:"How well users must have proved who they are: urn:octavo:1 (one factor), urn:octavo:2 (two) or phr (passkey)."`
	BackchannelLogoutURI  *string  `name:"backchannel-logout-uri" placeholder:"URI" help:"Address at the application that the server tells of sessions that have ended."`
	FrontchannelLogoutURI *string  `name:"frontchannel-logout-uri" placeholder:"URI" help:"Page of the application that is loaded when somebody signs out. It has the origin of a redirect URI."`
	AccessLifetime        *string  `name:"access-lifetime" placeholder:"DURATION" help:"How long its access tokens are valid, such as 5m: from 1m to 24h. Empty: ACCESS_TOKEN_TTL."`
	SessionLifetime       *string  `name:"session-lifetime" placeholder:"DURATION" help:"How long people stay signed in to it at most, such as 12h or 30d: from 5m to 365d. Empty: 365d."`
	Logo                  *string  `placeholder:"URL" help:"Image for the page that asks users for consent."`
	Policy                *string  `placeholder:"URL" help:"What the application does with data, linked on that page."`
	Terms                 *string  `placeholder:"URL" help:"The terms of the application, linked on that page."`
}

// check returns an error for a lifetime that is none.
func (f clientFlags) check() error {
	for _, given := range []*string{f.AccessLifetime, f.SessionLifetime} {
		if _, err := lifetime(given); err != nil {
			return openid.ErrClientInvalid.WithMsg("A lifetime is a duration such as 5m, 12h or 30d.")
		}
	}
	return nil
}

// lifetime reads a duration; 0 for an empty text and for none.
func lifetime(given *string) (time.Duration, error) {
	if given == nil || *given == "" {
		return 0, nil
	}
	return text.ParseDuration(*given)
}

// apply sets what was given, which check has accepted. An empty text takes a value away.
func (f clientFlags) apply(c *openid.Client) {
	if f.AccessLifetime != nil {
		c.AccessLifetime, _ = lifetime(f.AccessLifetime)
	}
	if f.SessionLifetime != nil {
		c.SessionLifetime, _ = lifetime(f.SessionLifetime)
	}
	setList(&c.PostLogoutRedirectURIs, f.PostLogoutRedirectURI)
	set(&c.Public, f.Public)
	set(&c.FirstParty, f.FirstParty)
	if f.PKCE != nil {
		c.PKCEOptional = !*f.PKCE
	}
	set(&c.RequireACR, f.RequireACR)
	set(&c.BackchannelLogoutURI, f.BackchannelLogoutURI)
	set(&c.FrontchannelLogoutURI, f.FrontchannelLogoutURI)
	set(&c.LogoURI, f.Logo)
	set(&c.PolicyURI, f.Policy)
	set(&c.TermsURI, f.Terms)
}

func set[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}

// setList replaces a list by one that was given. One empty text is the empty list.
func setList(field *[]string, given []string) {
	if len(given) > 0 {
		*field = slices.DeleteFunc(slices.Clone(given), func(one string) bool { return one == "" })
	}
}

type clientsUpdate struct {
	ID           string   `arg:"" help:"The client_id, which stays."`
	Name         *string  `help:"Name of the application, as users see it."`
	RedirectURI  []string `name:"redirect-uri" sep:"none" placeholder:"URI" help:"Address to which people return from signing in. Repeatable; replaces all that there were."`
	Alg          *string  `name:"id-token-alg" placeholder:"ALG" help:"Algorithm of the ID tokens, RS256 or ES512."`
	clientFlags  `embed:""`
	machineFlags `embed:""`
}

// Run changes a client and prints it, with its secret if it had none and needs one now.
func (u clientsUpdate) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if machine.IsClientID(u.ID) {
		return u.updateMachine(ctx, s, c)
	}
	if u.given() {
		return errNotForApplications
	}
	if err := u.check(); err != nil {
		return err
	}
	return withClients(ctx, s, c, func(clients *provider.Clients) error {
		changed, secret, err := clients.Update(ctx, terminal.Operator, u.ID, func(client *openid.Client) {
			set(&client.Name, u.Name)
			setList(&client.RedirectURIs, u.RedirectURI)
			set(&client.IDTokenAlg, u.Alg)
			u.apply(client)
		})
		if err != nil {
			return err
		}
		if err := printClient(c, changed); err != nil {
			return err
		}
		return printSecret(c, secret)
	})
}

type clientsShow struct {
	ID string `arg:"" help:"The client_id."`
}

// Run prints a client.
func (u clientsShow) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if machine.IsClientID(u.ID) {
		return showMachine(ctx, s, c, u.ID)
	}
	return withClients(ctx, s, c, func(clients *provider.Clients) error {
		found, err := clients.Find(ctx, terminal.Operator, u.ID)
		if err != nil {
			return err
		}
		return printClient(c, found)
	})
}

// printClient prints what is set for a client, by the names of the flags that set it.
func printClient(c terminal.Console, one openid.Client) error {
	pkce := "required"
	if !one.DemandsPKCE() {
		pkce = "not required"
	}
	previous := ""
	if !one.PreviousSecretUntil.IsZero() {
		previous = one.PreviousSecretUntil.Format(time.RFC3339)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"client_id", one.ID}, {"name", one.Name}, {"kind", kindOfClient(one)}, {"added", one.CreatedAt.Format(time.RFC3339)},
		{"previous secret works until", previous}, {"redirect-uri", strings.Join(one.RedirectURIs, " ")},
		{"post-logout-redirect-uri", strings.Join(one.PostLogoutRedirectURIs, " ")}, {"pkce", pkce}, {"id-token-alg", one.IDTokenAlg},
		{"require-acr", one.RequireACR}, {"backchannel-logout-uri", one.BackchannelLogoutURI}, {"frontchannel-logout-uri",
			one.FrontchannelLogoutURI},
		{"access-lifetime", text.Duration(one.AccessLifetime)}, {"session-lifetime", text.Duration(one.SessionLifetime)},
		{"logo", one.LogoURI}, {"policy", one.PolicyURI}, {"terms", one.TermsURI},
	} {
		if line[1] != "" {
			_, _ = fmt.Fprintf(w, "%s:\t%s\n", line[0], line[1])
		}
	}
	return w.Flush()
}
