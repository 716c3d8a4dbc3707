package e2e_test

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
)

func TestTheReceiversOfTheRecipeTakeADelivery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  string
		block int
		path  string
	}{
		"README": {"../../README.md", 0, "/api/host/webhooks"}, "net/http": {"receiver.md", 0, "/hooks"}, "gin": {"receiver.md", 1, "/hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			address := freeAddress(t)
			source := save(t, "main.go", strings.ReplaceAll(recipe(t, c.file, "go", c.block), "127.0.0.1:3000", address))
			program := filepath.Join(t.TempDir(), "receiver")
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			log := start(t, program)
			url := "http://" + address + c.path
			event := hooks.Event{ID: "one", Name: "push", Payload: []byte(`{"ref":"main"}`)}
			if status := deliver(t, hooks.SignedRequest("the secret shared with the sender", url, event)); status != http.StatusOK {
				t.Errorf("a delivery is answered with %d", status)
			}
			if out, err := os.ReadFile(log); err != nil || !strings.Contains(string(out), "push") || !strings.Contains(string(out), "one") {
				t.Errorf("the handler did not run: %v %s", err, out)
			}
			if status := deliver(t, hooks.SignedRequest("another secret", url, event)); status != http.StatusBadRequest {
				t.Errorf("a forged delivery is answered with %d", status)
			}
		})
	}
}

// deliver sends a request as soon as somebody listens.
func deliver(t *testing.T, req *http.Request) int {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		body, err := req.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		req.Body = body
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			return resp.StatusCode
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// start runs a program until the test ends and returns the file that it prints to.
func start(t *testing.T, program string) string {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // the test's context has ended it
		_ = out.Close()
	})
	return out.Name()
}

func TestTheProxiesOfTheRecipeTakeTheirConfiguration(t *testing.T) {
	t.Parallel()
	t.Run("nginx", func(t *testing.T) {
		installed(t, "nginx", "-v")
		certificate, key := selfSigned(t)
		server := strings.NewReplacer(
			"/etc/letsencrypt/live/books.example.edu/fullchain.pem", certificate,
			"/etc/letsencrypt/live/books.example.edu/privkey.pem", key,
		).Replace(recipe(t, "proxy.md", "nginx", 0))
		dir := t.TempDir()
		head := "pid " + dir + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			head += kind + "_temp_path " + dir + "/" + kind + ";\n" // the default is for root
		}
		file := save(t, "nginx.conf", head+server+"}\n")
		if out, err := exec.CommandContext(t.Context(), "nginx", "-t", "-p", dir, "-c", file).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("caddy", func(t *testing.T) {
		installed(t, "caddy", "version")
		file := save(t, "Caddyfile", recipe(t, "proxy.md", "caddy", 0))
		cmd := exec.CommandContext(t.Context(), "caddy", "adapt", "--config", file, "--adapter", "caddyfile", "--validate")
		cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// selfSigned writes a certificate and its key and returns the two paths.
func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pair := s.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) string {
		return save(t, "pem", string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	}
	return encode("CERTIFICATE", pair.Certificate[0]), encode("PRIVATE KEY", der)
}
