package web_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// person signs up, confirms the address with the mailed code and signs in, all on the pages.
func (c *campus) person(email string) *visit {
	c.t.Helper()
	v := c.visitor()
	v.send("/signup", "email", email, "password", authkit.Password).shows(200, "Confirm your address", `value="`+email+`"`)
	v.send("/verify", "email", email, "code", "00000000").shows(400, "This code is wrong", `value="`+email+`"`)
	code := c.LastMail(c.t, message.Verification, email).Code
	v.send("/verify", "email", email, "code", code).shows(200, "Your address is confirmed")
	v.send("/login", "email", email, "password", authkit.Password, "next", "/account").shows(200, "Your account", email)
	return v
}

func TestTheAuthServiceAloneHasPagesForAccounts(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	ann.open("/account").shows(200, "Your devices", "this device", "Sign out").lacks("Profile", "Books", "book", "Campus", "Sell", "Dashboard")
	ann.open("/dashboard/people").shows(403)
	ann.open("/sell").shows(404)
	ann.send("/account/password", "password", authkit.Password, "newPassword", "another long phrase").shows(200, "Your password was changed")
	phone := site.visitor()
	phone.send("/login", "email", "ann@example.org", "password", "another long phrase", "next", "/account").shows(200, "Your account")
	ann.open("/account").shows(200, `href="/logout"`)
	ann.open("/logout").shows(200, "Everywhere: on all devices")
	ann.send("/logout", "everywhere", "yes").shows(200, "You are signed out", "Sign in")
	phone.open("/account").shows(200, "Forgot your password?")
	phone.open("/logout").shows(200, "Forgot your password?")
	phone.send("/logout", "everywhere", "yes").shows(200)
	ann.send("/login", "email", "ann@example.org", "password", "another long phrase", "next", "/account").shows(200, "Your account")
	ann.send("/logout").shows(200, "You are signed out", "Sign in")

	v := site.visitor()
	v.open("/account").shows(200, "Sign in", "Forgot your password?")
	v.open("/").shows(200, "Sign in to see and change your account").lacks("book", "student")
	v.open("/signup").shows(200, "Create account").lacks("student", ".edu", "books")
	v.send("/resend", "email", "new@example.org").shows(200, "Confirm your address")
	v.send("/forgotten", "email", "ann@example.org").shows(200, "Set a new password")
	code := site.LastMail(t, message.PasswordReset, "ann@example.org").Code
	v.send("/reset", "email", "ann@example.org", "code", code, "password", "a third long phrase").shows(200, "Your password is set")
	v.send("/login", "email", "ann@example.org", "password", "a third long phrase").shows(200, "Sign out")
}

func TestAdminsOfTheAuthServiceAloneSeePeople(t *testing.T) {
	site := newAuthSite(t)
	root := site.person("root@example.org")
	site.person("ann@example.org")
	site.promote("root@example.org", user.Owner)
	root.open("/dashboard/people?search=ann").shows(200, "ann@example.org", "Make admin", "Audit log").lacks("Transactions", "student profile", "Unlist")
	root.open("/dashboard/audit").shows(200, "user.verified")
	root.open("/account").shows(200, `href="/dashboard/people"`)
}
