package upcommand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	checkTimeout = 10 * time.Second
	minFreeSpace = 512 << 20 // bytes
	maxSkew      = 5 * time.Minute
)

// finding is the result of a check. warning, or failed with what to do.
type finding struct {
	name, text   string
	warn, failed bool
}

func (f finding) print(c terminal.Console) {
	state := "ok"
	switch {
	case f.failed:
		state = "FAILS"
	case f.warn:
		state = "note"
	}
	say(c, "  %-6s %-12s %s", state, f.name, f.text)
}

func fails(name, format string, args ...any) finding {
	return finding{name: name, text: fmt.Sprintf(format, args...), failed: true}
}

// check prints what it finds and reports whether something is in the way. In a dry run no mail is sent.
func (p *plan) check(ctx context.Context, c terminal.Console, dry bool) (failed bool) {
	for _, check := range []func(context.Context) finding{
		p.checkName, p.checkPorts, p.checkDisk, p.checkAuthority, p.checkDatabase,
		func(ctx context.Context) finding { return p.checkMail(ctx, dry) },
	} {
		limited, cancel := context.WithTimeout(ctx, checkTimeout)
		f := check(limited)
		cancel()
		f.print(c)
		failed = failed || f.failed
	}
	return failed
}

func (p *plan) checkName(ctx context.Context) finding {
	name := p.settings.Server.Domain
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	if err != nil {
		return fails("name", "%s leads nowhere: %v. Make an A or AAAA record of it with the address of this machine, and wait some minutes", name, err)
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return fails("name", "%v", err)
	}
	for _, a := range own {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue
		}
		for _, found := range addresses {
			if found == prefix.Addr().String() {
				return finding{name: "name", text: name + " leads to this machine"}
			}
		}
	}
	return finding{name: "name", warn: true, text: fmt.Sprintf(
		"%s leads to %v, which this machine does not have itself: fine if a router or the provider passes the ports 80 and 443 on", name, addresses)}
}

func (p *plan) checkPorts(ctx context.Context) finding {
	v := p.settings.Server
	if doctor.CheckRunning(ctx, p.settings) == nil && p.known["HTTPS"] == "auto" {
		return finding{name: "ports", text: "Octavo runs already"}
	}
	for _, address := range []string{
		":" + strconv.Itoa(v.HTTPSPort), ":" + strconv.Itoa(v.HTTPPort), net.JoinHostPort(v.Host, strconv.Itoa(v.Port)),
	} {
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", address)
		if err == nil {
			err = l.Close()
		}
		switch {
		case errors.Is(err, fs.ErrPermission):
			return fails("ports", "%v: run this as root, or `sysctl net.ipv4.ip_unprivileged_port_start=80` before", err)
		case err != nil:
			return fails("ports", "%v: stop the program that listens there, such as nginx or Apache (`ss -tlnp` names it)", err)
		}
	}
	return finding{name: "ports", text: fmt.Sprintf("%d, %d and %d are free", v.HTTPSPort, v.HTTPPort, v.Port)}
}

func (p *plan) checkDisk(context.Context) finding {
	dir := p.data
	for config.FileMissing(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	free, err := doctor.FreeSpace(dir)
	switch {
	case err != nil:
		return fails("disk", "%v", err)
	case free < minFreeSpace:
		return fails("disk", "%d MB are free for %s, which are less than %d", free>>20, p.data, minFreeSpace>>20)
	}
	return finding{name: "disk", text: fmt.Sprintf("%d MB are free for %s", free>>20, p.data)}
}

// checkAuthority also compares the clocks: with a wrong one no certificate is valid.
func (p *plan) checkAuthority(ctx context.Context) finding {
	theirs, err := p.settings.AskAuthority(ctx)
	if err != nil {
		return fails("authority", "%v: the certificate authority must be reachable from here, for certificates and their renewal", err)
	}
	if skew := time.Since(theirs); skew.Abs() > maxSkew {
		return fails("clock", "it differs by %s from that of the certificate authority: `timedatectl set-ntp true`", skew.Round(time.Second))
	}
	return finding{name: "clock", text: "right, and the certificate authority answers"}
}

// checkDatabase connects to Postgres. An embedded database needs no more than the disk.
func (p *plan) checkDatabase(ctx context.Context) finding {
	if p.settings.SQLite() {
		return finding{name: "database", text: "SQLite, in " + p.data}
	}
	if err := doctor.CheckPostgres(ctx, p.settings); err != nil {
		return fails("database", "%v", err)
	}
	return finding{name: "database", text: "Postgres answers"}
}

// checkMail sends a mail over a server that was not used before.
func (p *plan) checkMail(ctx context.Context, dry bool) finding {
	if p.settings.Mail.SMTPURL == noMailServer {
		return finding{name: "mail", warn: true, text: "no mail server yet: mails wait. Your university has one, and so do services such as Postmark, Mailgun, Brevo and SES;" +
			" then `octavo up --smtp smtp://user:password@host:587`"}
	}
	server, err := p.settings.NewSMTP()
	if err != nil {
		return fails("mail", "%v", err)
	}
	defer server.Close()
	if dry || !p.newSMTP {
		if err := server.Check(ctx); err != nil {
			return fails("mail", "%v", err)
		}
		return finding{name: "mail", text: "the server accepts us"}
	}
	to, _ := user.ParseEmail(p.owner) // complete has checked it
	if err := server.SendMails(ctx, []mailer.Mail{p.testMail(to)})[0]; err != nil {
		return fails("mail", "%v. Look at the address of the mail server and at user and password in it; it must accept mails from %s (MAIL_FROM)",
			err, p.settings.Mail.MailFrom)
	}
	return finding{name: "mail", text: "a test mail is on its way to " + p.owner}
}

func (p *plan) testMail(to user.Email) mailer.Mail {
	name, now := p.settings.Server.ServiceName, time.Now().UTC()
	text := "This mail is a test of octavo up for " + p.settings.Server.Domain + ". Mails of " + name + " arrive at this address.\n"
	return mailer.Mail{
		Message: message.Message{ID: now.UnixMicro(), To: to, Lang: user.EN, CreatedAt: now}, SentAt: now,
		Subject: "A test mail from " + name, Text: text, HTML: "<p>" + text + "</p>",
	}
}

// workingDir is that of the processes that are started: one that their user may enter.
func (p *plan) workingDir() string {
	if p.root {
		return "/"
	}
	return filepath.Dir(p.dir)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
