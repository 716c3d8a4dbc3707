package httpx_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/test/poll"
)

// refusing serves refusals and, below /read, whatever fits in 1 MiB.
func refusing(t *testing.T) *httptest.Server {
	t.Helper()
	m := newMiddleware(t, httpx.Config{}, httpx.Options{})
	s := httptest.NewServer(m.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/read" && !httpx.IsTooLong(r, 1<<20) {
			b, err := io.ReadAll(r.Body)
			_, _ = fmt.Fprint(w, len(b), err)
			return
		}
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	})))
	t.Cleanup(s.Close)
	return s
}

func TestABodyThatSaysThatItIsTooLongIsRefusedBeforeItArrives(t *testing.T) {
	s := refusing(t)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(poll.Limit)); err != nil {
		t.Fatal(err)
	}
	// Not one byte of the body is sent.
	if _, err := fmt.Fprintf(conn, "POST /read HTTP/1.1\r\nHost: octavo\r\nContent-Length: %d\r\n\r\n", 2<<20); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || string(body) != "too large\n" || !answer.Close {
		t.Errorf("%d %q %v, %v", answer.StatusCode, body, answer.Header, err)
	}
}

// Many clients read the answer only after they have sent everything.
func TestAClientThatSendsEverythingFirstReadsTheRefusal(t *testing.T) {
	s := refusing(t)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(poll.Limit)); err != nil {
		t.Fatal(err)
	}
	const size = 20 << 20
	if _, err := io.Copy(conn, io.MultiReader(strings.NewReader(fmt.Sprintf("POST / HTTP/1.1\r\nHost: octavo\r\nContent-Length: %d\r\n\r\n", size)), io.LimitReader(zeros{}, size))); err != nil {
		t.Fatalf("the connection was cut while it sent: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatalf("%v, %v", answer, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestALongBodyThatIsWantedIsRead(t *testing.T) {
	s := refusing(t)
	resp, err := http.Post(s.URL+"/read", "text/plain", strings.NewReader(strings.Repeat("x", 900_000)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != "900000 <nil>" || resp.Close {
		t.Errorf("%d %q, %v", resp.StatusCode, body, err)
	}
}
