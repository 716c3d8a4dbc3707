package authstore_test

import (
	"os"
	"testing"

	"github.com/octavo-books/octavo/test/database"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }
