// Package campus says who may join the market: people with an address of a university.
package campus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Domains are the domains whose addresses may join, each with all of its subdomains. The zero
// value admits addresses that end in .edu.
type Domains struct {
	// universities maps a domain to the name of its university, which may be empty.
	universities map[string]string
}

// ErrAddress refuses an address that Domains do not admit.
var ErrAddress = fault.New(fault.Invalid, "email_not_campus", "Please use your university email address.")

const (
	maxDomains = 20_000
	maxName    = 100 // characters, as in a profile
	maxEndings = 3   // more are not listed in a message
)

var edu = map[string]string{"edu": ""}

// Parse parses domains that are separated by commas, such as "edu, ac.uk". International ones
// are written in Punycode, as addresses have them.
func Parse(list string) (Domains, error) {
	d := Domains{map[string]string{}}
	for entry := range strings.SplitSeq(list, ",") {
		domain, err := parseDomain(entry)
		if err != nil {
			return Domains{}, err
		}
		if _, twice := d.universities[domain]; twice {
			return Domains{}, fmt.Errorf("%s is listed twice", domain)
		}
		d.universities[domain] = ""
	}
	return d, nil
}

// ParseFile parses lines of a domain, a comma and the name of its university. Empty lines and
// those that begin with # are skipped. An error names the line.
func ParseFile(text string) (Domains, error) {
	d := Domains{map[string]string{}}
	n := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := d.addLine(line); err != nil {
			return Domains{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if len(d.universities) == 0 {
		return Domains{}, fmt.Errorf("no line has a domain and its university, as in: %s", exampleLine)
	}
	return d, nil
}

const exampleLine = "ox.ac.uk, University of Oxford"

func (d Domains) addLine(line string) error {
	entry, name, _ := strings.Cut(line, ",")
	domain, err := parseDomain(entry)
	if err != nil {
		return err
	}
	clean, err := user.Profile{FirstName: "x", LastName: "x", University: name}.CleanNames()
	switch {
	case strings.TrimSpace(name) == "":
		return fmt.Errorf("%s has no university; write a line such as: %s", domain, exampleLine)
	case err != nil || !utf8.ValidString(name):
		return fmt.Errorf("the name of a university has 1 to %d characters and no control characters", maxName)
	case len(d.universities) == maxDomains:
		return fmt.Errorf("there are more than %d domains", maxDomains)
	}
	if _, twice := d.universities[domain]; twice {
		return fmt.Errorf("%s is listed twice", domain)
	}
	d.universities[domain] = clean.University
	return nil
}

// parseDomain parses a domain, which may have a single label.
func parseDomain(s string) (string, error) {
	s = strings.TrimSpace(s)
	address, err := user.ParseEmail("x@x." + s)
	switch {
	case strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }):
		return "", fmt.Errorf("%.100q has letters that are not ASCII; write the domain in Punycode, such as xn--bcher-kva.example", s)
	case err != nil || strings.ContainsAny(s, " \t"):
		return "", fmt.Errorf("%.100q is not a domain such as ac.uk", s)
	}
	return strings.TrimPrefix(string(address), "x@x."), nil
}

func (d Domains) all() map[string]string {
	if d.universities == nil {
		return edu
	}
	return d.universities
}

// Domain is one of the domains, with the name of its university, which may be empty.
type Domain struct{ Domain, University string }

// List returns all domains in their alphabetical order.
func (d Domains) List() []Domain {
	all := make([]Domain, 0, len(d.all()))
	for _, name := range slices.Sorted(maps.Keys(d.all())) {
		all = append(all, Domain{name, d.all()[name]})
	}
	return all
}

// find returns the most specific of the domains that contain the address.
func (d Domains) find(address user.Email) (domain string, ok bool) {
	_, domain, _ = strings.Cut(string(address), "@")
	for domain != "" {
		if _, ok := d.all()[domain]; ok {
			return domain, true
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return "", false
}

// Admits reports whether an address is at one of the domains.
func (d Domains) Admits(address user.Email) bool {
	_, ok := d.find(address)
	return ok
}

// University returns the name of the university of an address, "" if the domains have none.
func (d Domains) University(address user.Email) string {
	domain, _ := d.find(address)
	return d.all()[domain]
}

// Named reports whether each domain has a university.
func (d Domains) Named() bool {
	for _, name := range d.all() {
		if name == "" {
			return false
		}
	}
	return true
}

// Endings returns what addresses end in, such as ".edu" or "ac.uk", or nil if there are too many
// to list.
func (d Domains) Endings() []string {
	if len(d.all()) > maxEndings {
		return nil
	}
	var all []string
	for _, domain := range slices.Sorted(maps.Keys(d.all())) {
		if !strings.Contains(domain, ".") {
			domain = "." + domain
		}
		all = append(all, domain)
	}
	return all
}

// Rule says in English what addresses end in; "" if there are too many domains to list.
func (d Domains) Rule() string { return strings.Join(d.Endings(), " or ") }

// Refusal returns ErrAddress with an explanation for this field of a request.
func (d Domains) Refusal(field string) error {
	rule := d.Rule()
	if rule == "" {
		return ErrAddress.WithField(field, "must be an address of your university")
	}
	return ErrAddress.WithMsg(ErrAddress.Msg+" It ends in "+rule+".").WithField(field, "must end in "+rule)
}
