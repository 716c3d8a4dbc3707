package accountfile

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// checkHash takes every hash that is not empty.
func checkHash(hash string) error {
	if hash == "" {
		return user.ErrPasswordInvalid
	}
	return nil
}

// Whatever a file contains, reading it ends and counts its lines, no reason quotes a hash, and no
// account gets a role that is not allowed.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"ann@example.edu,$2b$10$secret\n", "email,hash\r\nann@example.edu,\"$argon2id$v=19$m=65536,t=3,p=4$a$b\"\r\n", "\ufeffhash,email,role\nh,ann@example.edu,owner",
		"email,hash,hash\n", "email,hash,age\n", "\"email\",hash\n\"a", "email,hash,firstName,lastName,university,verified\nann@x.edu,h,A,B,C,yes", strings.Repeat("x", 5000) + "\nann@example.edu,h", "\x00,\xff",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, file []byte, roles bool) {
		r := NewReader(strings.NewReader(string(file)), Rules{AllowRoles: roles, CheckHash: checkHash})
		for n := 0; ; n++ {
			a, err := r.Next()
			var bad LineError
			switch {
			case errors.Is(err, io.EOF):
				if r.read != int64(len(file)) || r.number > strings.Count(string(file), "\n")+1 {
					t.Errorf("%d of %d bytes, %d lines", r.read, len(file), r.number)
				}
				return
			case errors.As(err, &bad):
				if strings.ContainsAny(bad.Why, "\n$") || len(bad.Why) > 400 {
					t.Errorf("the reason is %q", bad.Why)
				}
			case err != nil:
				return // a header that is wrong as a whole
			case a.role != user.Regular && !roles || a.hash == "" || a.Email == "":
				t.Errorf("account %+v", a)
			}
			if n > len(file) {
				t.Fatal("the file does not end")
			}
		}
	})
}
