package e2e_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// maxSize bounds the program in bytes. What is linked also has to be compiled before the first
// start. docs/adr/0045-what-is-linked.md says what takes how much, and how to find out.
const maxSize = 72_000_000

func TestTheProgramStaysSmall(t *testing.T) {
	t.Parallel()
	size := e2e.Size(t)
	t.Logf("the program has %.1f MB", float64(size)/1e6)
	if size > maxSize {
		t.Errorf("the program has %d bytes, more than %d", size, maxSize)
	}
}
