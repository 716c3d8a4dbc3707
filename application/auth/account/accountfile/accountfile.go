// Package accountfile reads files of accounts, line by line.
package accountfile

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

	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrInvalid rejects a whole file; its message says why.
var ErrInvalid = fault.New(fault.Invalid, "import_invalid", "The file cannot be imported.")

// maxLine limits the length of a line, in bytes.
const maxLine = 4096

var columns = []string{"email", "hash", "salt", "verified", "role", "firstName", "lastName", "university"}

// Account is the content of a good line.
type Account struct {
	Email    user.Email
	hash     string
	verified bool
	role     user.Role
	profile  *user.Profile
}

// User returns the account as a new user.
func (a Account) User(id user.ID, epoch int64, now time.Time) user.User {
	return user.User{
		ID: id, Email: a.Email, PasswordHash: a.hash, Lang: user.EN, Role: a.role, Profile: a.profile,
		Verified: a.verified, CreatedAt: now, Epoch: epoch,
	}
}

// RoleDetail is the detail of the audit entry; empty for a regular user.
func (a Account) RoleDetail() string {
	for name, role := range roles {
		if role == a.role && role != user.Regular {
			return strings.ToLower(name)
		}
	}
	return ""
}

// LineError reports a line that cannot be imported. It never quotes the line, because a
// hash must not get into a log.
type LineError struct {
	Number int
	Why    string
}

// Error implements error.
func (e LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Number, e.Why) }

// Rules say which lines are good.
type Rules struct {
	AllowRoles bool // accept lines that create admins and owners
	// FormatHash returns the hash of a line with a salt of its own, in a form that CheckHash accepts. Nil refuses
	// such lines.
	FormatHash func(hash, salt string) (string, error)
	CheckHash  func(hash string) error
	Campus     campus.Domains // of the addresses that may have a profile
}

// Reader parses a file.
type Reader struct {
	rules   Rules
	in      *bufio.Reader
	number  int
	read    int64
	columns []string // of the header row; nil without one
}

// NewReader returns a Reader of a file.
func NewReader(file io.Reader, rules Rules) *Reader {
	return &Reader{rules: rules, in: bufio.NewReaderSize(file, maxLine)}
}

// BytesRead returns how much of the file was read.
func (r *Reader) BytesRead() int64 { return r.read }

// Next returns the next account. The error is a LineError for a bad line, io.EOF at the
// end of the file, or another one that ends the import.
func (r *Reader) Next() (Account, error) {
	for {
		text, err := r.line()
		if err != nil {
			return Account{}, err
		}
		if r.number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if r.columns == nil && isHeader(text) {
			if r.columns, err = parseHeader(text); err != nil {
				return Account{}, err
			}
			continue
		}
		if r.columns == nil {
			r.columns = []string{}
		}
		a, err := r.parse(text)
		if err != nil {
			return Account{}, LineError{r.number, reason(err)}
		}
		return a, nil
	}
}

// line returns the next line, or a LineError if it is too long.
func (r *Reader) line() (string, error) {
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
			return "", LineError{r.number, fmt.Sprintf("is longer than %d bytes", maxLine)}
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

// isHeader recognizes a header row by its column email.
func isHeader(text string) bool {
	fields, err := csvFields(text)
	return err == nil && slices.Contains(fields, "email")
}

func parseHeader(text string) ([]string, error) {
	named, err := csvFields(text)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(named, "hash") {
		return nil, ErrInvalid.WithMsg("The header has no column \"hash\". Lists of people have no passwords; octavo export and octavo import move accounts with theirs.")
	}
	for i, c := range named {
		if !slices.Contains(columns, c) {
			return nil, ErrInvalid.WithMsg(
				fmt.Sprintf("The header names an unknown column %q. The columns are %s.", c, strings.Join(columns, ", ")),
			)
		}
		if slices.Contains(named[:i], c) {
			return nil, ErrInvalid.WithMsg(fmt.Sprintf("The header names the column %q twice.", c))
		}
	}
	return named, nil
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
func (r *Reader) parse(text string) (Account, error) {
	row := map[string]string{}
	if len(r.columns) == 0 {
		address, hash, ok := strings.Cut(text, ",")
		if !ok {
			return Account{}, errors.New("needs an address, a comma and a hash")
		}
		row["email"], row["hash"] = address, strings.TrimSpace(hash)
	} else {
		fields, err := csvFields(text)
		if err != nil {
			return Account{}, err
		}
		if len(fields) != len(r.columns) {
			return Account{}, fmt.Errorf("has %d fields, but the header has %d; quote a hash that contains commas", len(fields), len(r.columns))
		}
		for i, c := range r.columns {
			row[c] = fields[i]
		}
	}
	return r.account(row)
}

func (r *Reader) account(row map[string]string) (a Account, err error) {
	if a.Email, err = user.ParseEmail(row["email"]); err != nil {
		return a, err
	}
	if a.hash, err = formatHash(row["hash"], row["salt"], r.rules.FormatHash); err != nil {
		return a, err
	}
	if err := r.rules.CheckHash(a.hash); err != nil {
		return a, err
	}
	if a.verified = true; row["verified"] != "" {
		if a.verified, err = strconv.ParseBool(strings.ToLower(row["verified"])); err != nil {
			return a, errors.New("verified is neither true nor false")
		}
	}
	if a.role, err = parseRole(row["role"], r.rules.AllowRoles); err != nil {
		return a, err
	}
	a.profile, err = parseProfile(a.Email, row, r.rules.Campus)
	return a, err
}

// formatHash returns a hash with everything that is needed to compare it.
func formatHash(hash, salt string, format func(hash, salt string) (string, error)) (string, error) {
	switch {
	case salt == "":
		return hash, nil
	case format == nil:
		return "", errors.New("a salt beside the hash needs --firebase")
	}
	return format(hash, salt)
}

var roles = map[string]user.Role{"": user.Regular, "USER": user.Regular, "ADMIN": user.Admin, "OWNER": user.Owner}

func parseRole(name string, allowed bool) (user.Role, error) {
	role, ok := roles[strings.ToUpper(name)]
	switch {
	case !ok:
		return role, errors.New("the role is not one of USER, ADMIN, OWNER")
	case role != user.Regular && !allowed:
		return role, errors.New("roles other than USER need --allow-roles")
	}
	return role, nil
}

// parseProfile returns nil without names. The student completes the rest of the
// profile later.
func parseProfile(email user.Email, row map[string]string, domains campus.Domains) (*user.Profile, error) {
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
		for _, c := range columns {
			if why := f.Fields[c]; why != "" {
				text += "; " + c + " " + why
			}
		}
	}
	return text
}
