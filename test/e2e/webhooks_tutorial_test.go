package e2e_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// The program at the end of the tutorial verifies GitHub's signature with GitHub's library, behind
// listen and behind a rule.
func TestTheTutorialEndsInAProgramThatVerifiesGitHubsSignature(t *testing.T) {
	t.Parallel()
	node := servers.Need(t, "Node", "apt-get install nodejs", "node")
	address := servers.Address(t)
	port := address[strings.LastIndex(address, ":")+1:]
	program := save(t, "receiver.mjs", strings.Replace(recipe(t, "../webhooks.md", "js", 0), "9000", port, 1))
	if err := os.Symlink(filepath.Join(fromNPM(t, "sdks"), "node_modules"), filepath.Join(filepath.Dir(program), "node_modules")); err != nil {
		t.Fatal(err)
	}
	log := start(t, []string{"WEBHOOK_SECRET=" + sourceSecret}, node, program)
	x := &sourcesRun{inboxRun: inboxRun{t: t}}
	x.Server = e2e.StartWith(t, []string{
		"WEBHOOK_SENDER=github", "WEBHOOK_SECRET=" + sourceSecret, "WEBHOOK_API_TOKEN=token of the operator", "WEBHOOK_FORWARD=issues.closed=http://" + address + "/hook",
	}, "webhooks")
	listen := x.Begin("webhooks", "listen", "--from", x.URL, "--to", "http://"+address+"/hook", "--sign", "none", "--match", "issues.opened")
	x.until("listen does not listen", func() bool { return strings.Contains(listen.Output(), "relaying what") })
	x.until("the program does not listen", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	for id, action := range map[string]string{"behind-listen": "opened", "behind-a-rule": "closed"} {
		body := `{"action":"` + action + `", "n":1.0, "text":"Zo\u00eb – é <&>"}`
		if status, answer := x.post("/api/host/webhooks", body, senders["github"](id, body)); status != http.StatusOK {
			t.Fatalf("%s: %d %s", id, status, answer)
		}
		x.until("the program did not verify "+id, func() bool {
			out, err := os.ReadFile(log)
			return err == nil && strings.Contains(string(out), "issues "+action+" "+id)
		})
	}
	x.until("listen does not say that it was accepted", func() bool {
		return strings.Contains(listen.Output(), "behind-listen  issues.opened  200 ok")
	})
}
