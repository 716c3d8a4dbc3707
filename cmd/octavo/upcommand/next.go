package upcommand

import (
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

func (p *plan) logCommand() string {
	if p.systemd {
		return "journalctl -u octavo"
	}
	return "it is printed above"
}

// printNext says what to do next, in five lines.
func (p *plan) printNext(c terminal.Console, link string, secured, here bool) {
	site := p.settings.Site()
	say(c, "\n%s", c.Style.Bold("Octavo runs at "+site))
	if !secured {
		say(c, "  note   There is no certificate yet; the program goes on trying. Its log says why: %s", p.logCommand())
	}
	if link == "" {
		say(c, "1. %s has an account, which is an owner: sign in at %s/login.", p.owner, site)
	} else {
		say(c, "1. Open this link within 7 days. It works once, and signs you in as the owner:\n   %s", link)
	}
	say(c, "2. Set what is yours in %s: SERVICE_NAME, SUPPORT_MAIL, CURRENCY, CAMPUS_DOMAINS (who may join) and MARKET_FEE_BPS"+
		" (your fee, by default 5 %%). Then %s", p.env(), p.restartCommand())
	if p.settings.Mail.SMTPURL == noMailServer {
		say(c, "3. Mails wait for a mail server: octavo up --smtp smtp://user:password@host:587")
	} else {
		say(c, "3. Look whether the test mail has arrived, and not as spam: octavo docs operations/mail says what helps.")
	}
	if p.settings.SQLite() {
		say(c, "4. Backups are made every night in %s: copy them, and %s, which has the keys, to another machine.", p.backups, p.dir)
	} else {
		say(c, "4. Back up Postgres: octavo docs operations/backup-postgres says how.")
	}
	say(c, "5. octavo docs operations answers the rest, from sign-in at your university to upgrades.")
	if here {
		say(c, "The program runs until Ctrl+C.")
	}
}

func (p *plan) restartCommand() string {
	if p.systemd {
		return "systemctl restart octavo"
	}
	return "stop this, and run it again"
}
