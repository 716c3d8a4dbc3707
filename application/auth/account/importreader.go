package account

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// maxImportLine limits the length of a line, in bytes.
const maxImportLine = 4096

var importColumns = []string{"email", "hash", "salt", "verified", "role", "firstName", "lastName", "university"}

// account is the content of a good line.
type account struct {
	email    user.Email
	hash     string
	verified bool
	role     user.Role
	profile  *user.Profile
}

func (a account) user(id user.ID, epoch int64, now time.Time) user.User {
	return user.User{
		ID: id, Email: a.email, PasswordHash: a.hash, Lang: user.EN, Role: a.role, Profile: a.profile,
		Verified: a.verified, CreatedAt: now, Epoch: epoch,
	}
}

// roleDetail is the detail of the audit entry; empty for a regular user.
func (a account) roleDetail() string {
	for name, role := range importRoles {
		if role == a.role && role != user.Regular {
			return strings.ToLower(name)
		}
	}
	return ""
}

// lineError reports a line that cannot be imported. It never quotes the line, because a
// hash must not get into a log.
type lineError struct {
	number int
	why    string
}

func (b lineError) Error() string { return fmt.Sprintf("line %d: %s", b.number, b.why) }

// importReader parses a file line by line.
type importReader struct {
	in      *bufio.Reader
	number  int
	read    int64
	columns []string // of the header row; nil without one
}

func newImportReader(file io.Reader) *importReader {
	return &importReader{in: bufio.NewReaderSize(file, maxImportLine)}
}

// next returns the next account. The error is a lineError for a bad line, io.EOF at the
// end of the file, or another one that ends the import.
func (r *importReader) next(hasher auth.PasswordHasher, o ImportOptions) (account, error) {
	for {
		text, err := r.line()
		if err != nil {
			return account{}, err
		}
		if r.number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if r.columns == nil && isHeader(text) {
			if r.columns, err = parseHeader(text); err != nil {
				return account{}, err
			}
			continue
		}
		if r.columns == nil {
			r.columns = []string{}
		}
		a, err := r.parse(text, hasher, o)
		if err != nil {
			return account{}, lineError{r.number, reason(err)}
		}
		return a, nil
	}
}

// line returns the next line, or a lineError if it is too long.
func (r *importReader) line() (string, error) {
	text, err := r.in.ReadSlice('\n')
	r.read += int64(len(text))
	if len(text) > 0 {
		r.number++
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = r.in.ReadSlice('\n')
			r.read += int64(len(text))
		}
		if err == nil || errors.Is(err, io.EOF) {
			return "", lineError{r.number, fmt.Sprintf("is longer than %d bytes", maxImportLine)}
		}
	}
	if errors.Is(err, io.EOF) && len(text) > 0 {
		err = nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the file: %w", err)
	}
	return string(text), err
}

// isHeader recognizes a header row by its columns email and hash.
func isHeader(text string) bool {
	fields, err := csvFields(text)
	return err == nil && slices.Contains(fields, "email") && slices.Contains(fields, "hash")
}

func parseHeader(text string) ([]string, error) {
	columns, err := csvFields(text)
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		if !slices.Contains(importColumns, c) {
			return nil, ErrImport.WithMsg(fmt.Sprintf("The header names an unknown column %q. The columns are %s.", c, strings.Join(importColumns, ", ")))
		}
		if slices.Contains(columns[:i], c) {
			return nil, ErrImport.WithMsg(fmt.Sprintf("The header names the column %q twice.", c))
		}
	}
	return columns, nil
}

// csvFields splits one line. A quoted field cannot contain a line break.
func csvFields(text string) ([]string, error) {
	fields, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return nil, errors.New("has a misplaced quote")
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, nil
}

// parse parses either email,hash, where the first comma ends the address, or a row of
// CSV.
func (r *importReader) parse(text string, hasher auth.PasswordHasher, o ImportOptions) (account, error) {
	row := map[string]string{}
	if len(r.columns) == 0 {
		address, hash, ok := strings.Cut(text, ",")
		if !ok {
			return account{}, errors.New("needs an address, a comma and a hash")
		}
		row["email"], row["hash"] = address, strings.TrimSpace(hash)
	} else {
		fields, err := csvFields(text)
		if err != nil {
			return account{}, err
		}
		if len(fields) != len(r.columns) {
			return account{}, fmt.Errorf("has %d fields, but the header has %d; quote a hash that contains commas", len(fields), len(r.columns))
		}
		for i, c := range r.columns {
			row[c] = fields[i]
		}
	}
	return newAccount(row, hasher, o)
}

func newAccount(row map[string]string, hasher auth.PasswordHasher, o ImportOptions) (a account, err error) {
	if a.email, err = user.ParseEmail(row["email"]); err != nil {
		return a, err
	}
	if a.hash, err = importedHash(row["hash"], row["salt"], o.FormatHash); err != nil {
		return a, err
	}
	if err := hasher.CheckHash(a.hash); err != nil {
		return a, err
	}
	if a.verified = true; row["verified"] != "" {
		if a.verified, err = strconv.ParseBool(strings.ToLower(row["verified"])); err != nil {
			return a, errors.New("verified is neither true nor false")
		}
	}
	if a.role, err = importedRole(row["role"], o.AllowRoles); err != nil {
		return a, err
	}
	a.profile, err = importedProfile(a.email, row, o.campus)
	return a, err
}

// importedHash returns a hash with everything that is needed to compare it.
func importedHash(hash, salt string, format func(hash, salt string) (string, error)) (string, error) {
	switch {
	case salt == "":
		return hash, nil
	case format == nil:
		return "", errors.New("a salt beside the hash needs --firebase")
	}
	return format(hash, salt)
}

var importRoles = map[string]user.Role{"": user.Regular, "USER": user.Regular, "ADMIN": user.Admin, "OWNER": user.Owner}

func importedRole(name string, allowed bool) (user.Role, error) {
	role, ok := importRoles[strings.ToUpper(name)]
	switch {
	case !ok:
		return role, errors.New("the role is not one of USER, ADMIN, OWNER")
	case role != user.Regular && !allowed:
		return role, errors.New("roles other than USER need --allow-roles")
	}
	return role, nil
}

// importedProfile returns nil without names. The student completes the rest of the
// profile later.
func importedProfile(email user.Email, row map[string]string, domains campus.Domains) (*user.Profile, error) {
	p := user.Profile{FirstName: row["firstName"], LastName: row["lastName"], University: row["university"]}
	if p == (user.Profile{}) {
		return nil, nil
	}
	if !domains.Admits(email) {
		if rule := domains.Rule(); rule != "" {
			return nil, errors.New("names and university need an address that ends in " + rule)
		}
		return nil, errors.New("names and university need an address of a university")
	}
	p.University = cmp.Or(domains.University(email), p.University)
	p, err := p.CleanNames()
	return &p, err
}

// reason formats an error as the rest of a sentence, with its fields.
func reason(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	if f := fault.As(err); f != nil {
		for _, c := range importColumns {
			if why := f.Fields[c]; why != "" {
				text += "; " + c + " " + why
			}
		}
	}
	return text
}
