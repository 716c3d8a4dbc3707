package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
)

func TestASecretComesFromAPipeThatEnds(t *testing.T) {
	read, w, err := os.Pipe()
	must.Do(t, err)
	defer func() { _ = read.Close() }()
	path := fmt.Sprintf("/dev/fd/%d", read.Fd())
	if _, err := readSecret(path, time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end within 1ms") {
		t.Errorf("one that does not end: %v", err)
	}
	ended, w2, err := os.Pipe()
	must.Do(t, err)
	defer func() { _ = ended.Close() }()
	must.Do(t, must.Err(w2.WriteString("the secret\n")))
	must.Do(t, w2.Close())
	if text, err := readSecret(fmt.Sprintf("/dev/fd/%d", ended.Fd()), secretTimeout); err != nil || text != "the secret\n" {
		t.Errorf("%q, %v", text, err)
	}
	must.Do(t, w.Close())
}
