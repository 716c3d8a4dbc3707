package authstore

import (
	"database/sql/driver"
	"fmt"
)

// digest is a column of 32 bytes: a hash or a key.
type digest [32]byte

// Value implements driver.Valuer.
func (d digest) Value() (driver.Value, error) { return d[:], nil }

// Scan implements sql.Scanner.
func (d *digest) Scan(column any) error {
	b, ok := column.([]byte)
	if !ok || len(b) != len(d) {
		return fmt.Errorf("a digest has %d bytes, want %d", len(b), len(d))
	}
	*d = digest(b)
	return nil
}
