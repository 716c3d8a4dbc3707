package assembly

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/user"
)

var roles = map[string]user.Role{"user": user.Regular, "admin": user.Admin, "owner": user.Owner}

// Promote gives the account with the address a role: user, admin or owner.
func Promote(ctx context.Context, s config.Settings, email, role string, out, logTo io.Writer) error {
	return use(ctx, s, config.Components{Auth: true}, logTo, func(people *auth.People) error {
		u, err := people.Promote(ctx, email, roles[role])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s is now %s.\n", u.Email, role)
		return err
	})
}

// ListUsers prints everybody, newest first.
func ListUsers(ctx context.Context, s config.Settings, out, logTo io.Writer) error {
	return use(ctx, s, config.Components{Auth: true}, logTo, func(people *auth.People) error {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tEMAIL\tROLE\tCREATED")
		for query := (auth.UserQuery{First: auth.MaxPage}); ; {
			page, err := people.List(ctx, operator, query)
			if err != nil {
				return err
			}
			for _, u := range page.Users {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", u.ID, u.Email, roleName(u.Role), u.CreatedAt.Format(time.RFC3339))
			}
			if !page.HasNext {
				return w.Flush()
			}
			query.After = page.EndCursor
		}
	})
}

// operator is who sits at the machine. Nobody in the database has this id.
var operator = user.Caller{ID: -1, Role: user.Owner}

func roleName(r user.Role) string {
	for name, role := range roles {
		if role == r {
			return name
		}
	}
	return "?"
}

// ImportUsers takes over accounts from lines of email,bcrypt-hash.
func ImportUsers(ctx context.Context, s config.Settings, in io.Reader, out, logTo io.Writer) error {
	return use(ctx, s, config.Components{Auth: true}, logTo, func(people *auth.People) error {
		result, err := people.Import(ctx, in)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%d imported, %d skipped because the address has an account already.\n", result.Imported, result.Skipped)
		return err
	})
}
