package e2e_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
