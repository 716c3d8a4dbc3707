package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/e2e"
)

// presetTarget verifies what it gets as a program that knows nothing of Octavo: with the sender's
// key.
type presetTarget struct {
	t    *testing.T
	keys map[string]*webhook.SenderKey // by source
	mu   sync.Mutex
	got  map[string]bool
}

func (p *presetTarget) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	source := r.Header.Get("X-Octavo-Source")
	p.mu.Lock()
	defer p.mu.Unlock()
	if key := p.keys[source]; key == nil || !key.Verify(webhook.Request{Method: r.Method, Header: r.Header, Body: body}, time.Now()) {
		p.t.Errorf("%s is not verified: %s %v", source, body, r.Header)
	}
	p.got[source] = true
}

// The signature of every preset that a shared secret makes, over headers and body, survives the
// service.
func TestEveryPresetIsVerifiedBehindTheService(t *testing.T) {
	t.Parallel()
	target := &presetTarget{t: t, keys: map[string]*webhook.SenderKey{}, got: map[string]bool{}}
	var sources strings.Builder
	signed := map[string]webhook.Request{}
	for _, s := range webhook.Senders() {
		key, err := s.Key(sdkSecret)
		// GitLab's token is withheld, Host is signed anew, and a URL differs behind the service.
		if err != nil || s.UsesURL() || s == webhook.GitLab || s == webhook.Host {
			continue
		}
		now := time.Now()
		body, kind := s.SamplePayload("issues", "", "id-7", now)
		r, err := key.SignRequest(webhook.Event{ID: "id-7", Name: "issues", Payload: body}, now)
		if err != nil {
			continue
		}
		r.Header["Content-Type"] = []string{kind}
		source := "of-" + s.Name()
		fmt.Fprintf(&sources, "- {name: %s, path: /hooks/%s, sender: %s, secrets: [%s]}\n", source, s.Name(), s.Name(), sdkSecret)
		target.keys[source], signed["/hooks/"+s.Name()] = key, r
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"sources.yaml": sources.String(), "rules.yaml": "- {match: '*', url: '" + newServer(t, target) + "', sign: none}\n"} {
		write(t, filepath.Join(folder, name), text)
	}
	x := &sourcesRun{inboxRun: inboxRun{t: t}}
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SOURCES=" + filepath.Join(folder, "sources.yaml"), "WEBHOOK_RULES=" + filepath.Join(folder, "rules.yaml")}, "webhooks")
	for path, r := range signed {
		headers := map[string]string{}
		for name, values := range r.Header {
			headers[name] = values[0]
		}
		if status, answer := x.post(path, string(r.Body), headers); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	x.until(fmt.Sprint("not every preset is forwarded: ", len(signed)), func() bool {
		target.mu.Lock()
		defer target.mu.Unlock()
		return len(target.got) == len(signed) && len(signed) >= 20
	})
}
