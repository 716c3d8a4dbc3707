package clientcommands

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/text"
)

// Resources has the commands for the APIs that machines call.
type Resources struct {
	Add    resourcesAdd    `cmd:"" help:"Register an API that machine clients call; print its id and secret."`
	Update resourcesUpdate `cmd:"" help:"Change a resource: only what is given; a list that is given replaces the one before."`
	List   resourcesList   `cmd:"" help:"Print all resources: ID, name, identifier, scopes, time."`
	Renew  resourcesRenew  `cmd:"" help:"Replace the secret of a resource; print the new one."`
	Remove resourcesRemove `cmd:"" help:"Remove a resource and end the sessions for it."`
}

type resourcesAdd struct {
	Name       string   `arg:"" help:"Name of the API."`
	Identifier string   `required:"" placeholder:"URI" help:"The audience of its tokens: an absolute URI, such as https://api.example.edu."`
	Scope      []string `required:"" placeholder:"SCOPE" help:"Scopes that machines may have there, separated by commas."`
}

// Run registers a resource and prints its secret, which is shown only once.
func (a resourcesAdd) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		described := machine.Resource{Name: a.Name, Identifier: a.Identifier, Scopes: a.Scope}
		added, secret, err := all.Resources.Add(ctx, terminal.Operator, described)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "resource_id: %s\nresource_secret: %s\n", added.ID, secret)
		return err
	})
}

type resourcesUpdate struct {
	ID         string   `arg:"" help:"The resource_id."`
	Name       *string  `help:"Name of the API."`
	Identifier *string  `placeholder:"URI" help:"The audience of its tokens. With another one no token from before is good for it."`
	Scope      []string `placeholder:"SCOPE" help:"Scopes that machines may have there, separated by commas."`
}

// Run changes a resource.
func (u resourcesUpdate) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		_, err := all.Resources.Update(ctx, terminal.Operator, u.ID, func(r *machine.Resource) {
			set(&r.Name, u.Name)
			set(&r.Identifier, u.Identifier)
			setList(&r.Scopes, u.Scope)
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.Out, "Changed.")
		return err
	})
}

type resourcesList struct{}

// Run prints a table.
func (resourcesList) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(auth *authrooms.Auth) error {
		all, err := auth.Resources.List(ctx, terminal.Operator)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tNAME\tIDENTIFIER\tSCOPES\tADDED")
		for _, r := range all {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Identifier, strings.Join(r.Scopes, ","),
				r.CreatedAt.Format(time.RFC3339))
		}
		return w.Flush()
	})
}

type resourcesRenew struct {
	ID      string `arg:"" help:"The resource_id."`
	Overlap string `default:"0" placeholder:"DURATION" help:"How long the old secret goes on working, such as 7d or 12h; 7d at most."`
}

// Run replaces the secret of a resource and prints the new one, which is shown only once.
func (r resourcesRenew) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	overlap, err := text.ParseDuration(r.Overlap)
	if err != nil {
		return terminal.Misused("--overlap %q is not a duration such as 7d or 12h", r.Overlap)
	}
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		secret, err := all.Resources.RenewSecret(ctx, terminal.Operator, r.ID, overlap)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "resource_secret: %s\n", secret)
		return err
	})
}

type resourcesRemove struct {
	ID string `arg:"" help:"The resource_id."`
}

// Run removes a resource.
func (r resourcesRemove) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withAuth(ctx, s, c, func(all *authrooms.Auth) error {
		ended, err := all.Resources.Remove(ctx, terminal.Operator, r.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "Removed. Sessions ended: %d.\n", ended)
		return err
	})
}
