package e2e_test

import (
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// uploadSlowly sends a request that never ends, and reports when it is cut off.
func uploadSlowly(t *testing.T, c e2e.Client) (cut <-chan struct{}) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /api/books/postBook HTTP/1.1\r\nHost: octavo\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n{", c.Token); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for err := error(nil); err == nil; <-time.After(50 * time.Millisecond) {
			_, err = conn.Write([]byte(" "))
		}
	}()
	return done
}

// Everything that can hang hangs at the same time.
func TestAStopEndsWithinTenSecondsWhateverHangsAndLosesNothing(t *testing.T) {
	servers.NotShort(t, "the built program")
	t.Parallel()
	skipOverReplicas(t)
	post := servers.SMTP(t)
	proxy := servers.NewProxy(t, strings.TrimSuffix(strings.TrimPrefix(post.URL, "smtp://"), "?tls=off"))
	target := &hangingTarget{hang: true, arrived: make(chan string, 100), release: make(chan struct{})}
	address := newServer(t, target)
	t.Cleanup(func() { close(target.release) })
	s := e2e.StartWith(t, []string{
		"SMTP_URL=" + proxy.Through(post.URL), "MAIL_FROM=octavo@mit.edu",
		"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_FORWARD=push=" + address,
	})
	sam := s.Student("sam@mit.edu", "Sam")

	resume := proxy.Hang()
	sam.GraphQL(t, `mutation { requestPasswordReset(email: "sam@mit.edu") }`, nil)
	s.Mail("sam@mit.edu", "password_reset") // in the mailbox, so the mailer has leased it
	if out, code := s.Octavo("webhooks", "send", "push", "--id", "one", "--to", s.URL+"/api/host/webhooks"); code != 0 {
		t.Fatal(out)
	}
	target.wait(t, "one 1")
	stream := follow(t, sam, "")
	await(t, stream, "connected")
	cut := uploadSlowly(t, sam)

	began := time.Now()
	if code := s.Stop(); code != 0 {
		t.Errorf("stopped with %d, want 0:\n%s", code, s.Log())
	}
	if took := time.Since(began); took > 20*time.Second { // allows for 10 s on a busy machine, but not for two such waits one after the other
		t.Errorf("stopping took %s", took)
	}
	<-cut
	await(t, stream, "no such line")

	resume()
	target.answer()
	s.Restart()
	target.wait(t, "one 1") // an attempt that the program cut off does not count as a failure of the target
	if !poll.Until(func() bool { return sentTo(post, "reset code") != 0 }) {
		t.Fatal("the mail that was cut off never came")
	}
	for out := ""; !strings.Contains(out, "delivered"); {
		var code int
		if out, code = s.Octavo("webhooks", "list"); code != 0 {
			t.Fatal(out)
		}
	}
	if n := sentTo(post, "reset code"); n != 1 {
		t.Errorf("the mail came %d times, want 1", n)
	}
}

// sentTo counts the mails with a word in their subject.
func sentTo(post *servers.MailServer, word string) (n int) {
	for _, m := range post.Mails() {
		if strings.Contains(strings.ToLower(m.Subject), word) {
			n++
		}
	}
	return n
}

// Go ends with 2 by default, after which the systemd unit does not restart. SIGQUIT makes the runtime
// end as a panic does.
func TestACrashIsNotTakenForAMistakeInTheSettings(t *testing.T) {
	t.Parallel()
	p := e2e.Begin(t, []string{"DATA_DIR=" + t.TempDir()}, "serve", "auth")
	p.AwaitReady()
	p.Signal(syscall.SIGQUIT)
	if code := p.Wait(); code != -1 {
		t.Errorf("it ended with %d, not by a signal", code)
	}
}

// A supervisor takes the end by SIGHUP for a wanted one, and starts nothing in its place.
func TestAHangupEndsNoServer(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t, "auth")
	s.Signal(syscall.SIGHUP)
	poll.For(t, "the signal is logged", func() bool { return strings.Contains(s.Log(), "there is nothing to read again") })
	if code := s.Stop(); code != 0 {
		t.Errorf("it ends with %d, want 0", code)
	}
}
