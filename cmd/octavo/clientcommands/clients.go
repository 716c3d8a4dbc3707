// Package clientcommands has the commands for applications, machines and the APIs that they call.
package clientcommands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/text"
)

// Clients has the commands for applications and machines.
type Clients struct {
	Add    clientsAdd    `cmd:"" help:"Register an application that signs people in here by OpenID Connect; print its id and secret."`
	List   clientsList   `cmd:"" help:"Print all applications: ID, name, kind, algorithm of ID tokens, lifetimes of access tokens and sessions, time, redirect URIs."`
	Show   clientsShow   `cmd:"" help:"Print everything that is set for an application."`
	Update clientsUpdate `cmd:"" help:"Change an application and print it. What is not given stays; a list that is given replaces the one before."`
	Renew  clientsRenew  `cmd:"" help:"Replace the secret of an application; print the new one. Its sessions stay."`
	Remove clientsRemove `cmd:"" help:"Remove an application or machine and end its sessions."`

	Sessions clientsSessions `cmd:"" help:"Print the sessions of a machine, or end them."`
}

func withAuth(ctx context.Context, s *config.Settings, c terminal.Console, do func(*authrooms.Auth) error) error {
	return assembly.WithExisting(ctx, *s, config.Components{Auth: true}, c.Err, do)
}

func withClients(ctx context.Context, s *config.Settings, c terminal.Console, do func(*provider.Clients) error) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error { return do(all.Clients) })
}

type clientsAdd struct {
	Name         string   `arg:"" help:"Name of the application, as users see it."`
	RedirectURI  []string `name:"redirect-uri" sep:"none" placeholder:"URI" help:"Address to which people return from signing in. Repeatable. It must match exactly, except for the port of http://127.0.0.1."`
	Machine      bool     `help:"It is a program that calls other programs in its own name (client_credentials), and signs nobody in."`
	Alg          string   `name:"id-token-alg" default:"RS256" enum:"RS256,ES512" help:"Algorithm of the ID tokens, RS256 or ES512."`
	clientFlags  `embed:""`
	machineFlags `embed:""`
}

// Run registers a client and prints its secret, which is shown only once.
func (a clientsAdd) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if a.Machine {
		return a.addMachine(ctx, s, c)
	}
	if a.given() {
		return errNotForApplications
	}
	if err := a.check(); err != nil {
		return err
	}
	if a.Alg == openid.RS256 && s.Production() && s.Identity.OIDCSigningKey == "" {
		return config.Errorf("OIDC_SIGNING_KEY", "set the key that signs ID tokens first: `octavo keys generate --oidc` makes one; or use --id-token-alg ES512")
	}
	return withClients(ctx, s, c, func(clients *provider.Clients) error {
		described := openid.Client{Name: a.Name, RedirectURIs: a.RedirectURI, IDTokenAlg: a.Alg}
		a.apply(&described)
		added, secret, err := clients.Add(ctx, terminal.Operator, described)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "client_id: %s\n", added.ID)
		return errors.Join(err, printSecret(c, secret))
	})
}

// printSecret prints the secret of a client; "" is none.
func printSecret(c terminal.Console, secret string) error {
	if secret == "" {
		return nil
	}
	_, err := fmt.Fprintf(c.Out, "client_secret: %s\n", secret)
	return err
}

type clientsList struct{}

// Run prints a table.
func (clientsList) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		applications, err := all.Clients.List(ctx, terminal.Operator)
		if err != nil {
			return err
		}
		machines, err := all.Machines.List(ctx, terminal.Operator)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tNAME\tKIND\tALGORITHM\tLIFETIMES\tADDED\tREDIRECT URIS")
		for _, one := range applications {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", one.ID, one.Name, kindOfClient(one), one.IDTokenAlg, lifetimesOf(one),
				one.CreatedAt.Format(time.RFC3339), strings.Join(one.RedirectURIs, " "))
		}
		for _, one := range machines {
			_, _ = fmt.Fprintf(w, "%s\t%s\tmachine\t\t\t%s\t\n", one.ID, one.Name, one.CreatedAt.Format(time.RFC3339))
		}
		return w.Flush()
	})
}

// lifetimesOf returns those of access tokens and sessions that are set.
func lifetimesOf(c openid.Client) string {
	if c.AccessLifetime == 0 && c.SessionLifetime == 0 {
		return ""
	}
	return cmp.Or(text.Duration(c.AccessLifetime), "-") + " / " + cmp.Or(text.Duration(c.SessionLifetime), "-")
}

func kindOfClient(c openid.Client) string {
	kind := "confidential"
	if c.Public {
		kind = "public"
	}
	if c.FirstParty {
		kind += ", first party"
	}
	if c.PKCEOptional {
		kind += ", no PKCE"
	}
	return kind
}

type clientsRenew struct {
	ID      string `arg:"" help:"The client_id."`
	Overlap string `default:"0" placeholder:"DURATION" help:"How long the old secret goes on working, such as 7d or 12h; 7d at most."`
}

// Run replaces the secret of a client and prints the new one, which is shown only once.
func (r clientsRenew) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	overlap, err := text.ParseDuration(r.Overlap)
	if err != nil {
		return terminal.Misused("--overlap %q is not a duration such as 7d or 12h", r.Overlap)
	}
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		renew := all.Clients.RenewSecret
		if machine.IsClientID(r.ID) {
			renew = all.Machines.RenewSecret
		}
		secret, err := renew(ctx, terminal.Operator, r.ID, overlap)
		if err != nil {
			return err
		}
		return printSecret(c, secret)
	})
}

type clientsRemove struct {
	ID string `arg:"" help:"The client_id."`
}

// Run removes a client.
func (r clientsRemove) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		remove := all.Clients.Remove
		if machine.IsClientID(r.ID) {
			remove = all.Machines.Remove
		}
		ended, err := remove(ctx, terminal.Operator, r.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "Removed. Sessions ended: %d.\n", ended)
		return err
	})
}
