package authstore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

func TestTheMarketHearsOfAnotherNameAndOfNothingElse(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			var renamed []user.ID
			identity := authstore.New(open(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations), unsealed{}, nil).
				OnUserRenamed(func(_ *gorm.DB, id user.ID) { renamed = append(renamed, id) })
			ada := user.User{ID: 7, Email: "ada@campus.edu", Lang: user.EN, CreatedAt: time.Unix(1, 0)}
			for _, c := range []struct {
				change string
				do     func(*user.User)
				hears  bool
			}{
				{"a sign-up", func(*user.User) {}, false},
				{"the first profile", func(u *user.User) {
					u.Profile = &user.Profile{FirstName: "Ada", LastName: "L", University: "MIT"}
				}, false},
				{"the same profile", func(*user.User) {}, false},
				{"a password", func(u *user.User) { u.PasswordHash = "x" }, false},
				{"a last name", func(u *user.User) { u.Profile.LastName = "B" }, false},
				{"a first name", func(u *user.User) { u.Profile.FirstName = "Adelheid" }, true},
				{"a university", func(u *user.User) { u.Profile.University = "Rochester" }, true},
			} {
				renamed = nil
				c.do(&ada)
				if err := identity.Atomically(t.Context(), func(ctx context.Context, s auth.Stores) error { return s.SaveUser(ctx, ada) }); err != nil {
					t.Fatal(c.change, err)
				}
				if hears := slices.Equal(renamed, []user.ID{7}); hears != c.hears {
					t.Errorf("%s: the market hears of %v", c.change, renamed)
				}
			}
		})
	}
}
