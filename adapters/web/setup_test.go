package web_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

func TestAnOwnerSeesWhatIsLeftToSetUpAndPutsItOff(t *testing.T) {
	c := newCampus(t)
	known := web.Setup{}
	c.pages.Setup = func() web.Setup { return known }
	olga := c.staff("Olga", user.Owner)
	const noDesk, noAdmin, noMail, noBackup = "There is no desk", "Nobody beside you may check books", "Set SMTP_URL", "No backup of the last two days"
	olga.open("/dashboard").shows(200, "Before people can trade", noDesk, noAdmin, noMail, noBackup, "1 of 6 steps are done.")
	known = web.Setup{SMTP: true, Backup: c.Clock.Now().Add(-47 * time.Hour)}
	adam := c.staff("Adam", user.Admin)
	adam.send("/dashboard/desks", "university", "campus", "place", "Hall", "hours", "8–20").shows(200)
	olga.open("/dashboard").shows(200, "5 of 6 steps are done.", "There is a backup of the last two days.", "Set SUPPORT_MAIL").lacks(noDesk, noAdmin, noMail, noBackup)
	adam.open("/dashboard").shows(200).lacks("steps are done", "Set SUPPORT_MAIL")
	adam.send("/dashboard/setup", "show", "no").shows(403)

	olga.send("/dashboard/setup", "show", "no").shows(200, "1 step of the setup is left").lacks("Set SUPPORT_MAIL")
	c.Clock.Advance(2 * time.Hour) // the backup is old now, which nobody has put off
	olga.send("/login", "email", "olga@campus.edu", "password", "correct horse battery").shows(200)
	olga.open("/dashboard").shows(200, noBackup, "Set SUPPORT_MAIL")
	olga.send("/dashboard/setup", "show", "no").shows(200).lacks(noBackup)
	olga.send("/dashboard/setup", "show", "yes").shows(200, noBackup)
}
