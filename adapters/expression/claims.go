package expression

import "github.com/octavo-books/octavo/application/inbox"

// anyName begins a name that has other characters than letters and digits.
const anyName = "$env"

// CompileClaims compiles a condition on the claims of a sign-in, in the same language: there a name is that of a claim, and
// contains also tests a list for an element.
//
//	groups contains "market-staff" && email endsWith "@example.edu"
//	$env["urn:oid:1.3.6.1.4.1.5923.1.5.1.1"] contains "market-staff"
func CompileClaims(text string) (func(claims []byte) bool, error) {
	compiled, err := compile(text, true)
	if err != nil {
		return nil, err
	}
	return func(claims []byte) bool { return compiled.Matches(inbox.NewFacts(inbox.Delivery{Payload: claims})) }, nil
}
