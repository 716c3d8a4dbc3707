package expression_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/expression"
)

func TestAConditionOnClaimsReadsTheirNamesAndLists(t *testing.T) {
	claims := []byte(`{"groups":["market-staff","x"],"email":"ann@staff.example.edu","level":3,"payload":"p","realm":{"roles":["dean"]},"header":"h","urn:oid:1":["a"],"pairwise-id":"p@x"}`)
	for text, want := range map[string]bool{
		`groups contains "market-staff"`: true, `groups contains "market"`: false, `"x" in groups`: true, `email contains "staff"`: true,
		`email endsWith ".example.edu" && level >= 3`: true, `realm.roles contains "dean"`: true, `missing contains "x"`: false, `!(missing contains "x")`: false,
		`missing == "x" || level == 3`: true, `payload == "p" && header == "h"`: true, `contains(groups, "x")`: true, `event == "push"`: false,
		`$env["urn:oid:1"] contains "a"`: true, `$env["pairwise-id"] endsWith "@x"`: true, `$env["groups"] contains "x"`: true, `$env["urn:oid:1"][0] == "a"`: true, `$env == "x"`: false,
	} {
		holds, err := expression.CompileClaims(text)
		if err != nil || holds(claims) != want {
			t.Errorf("%s: %v, want %t", text, err, want)
		}
	}
	for _, bad := range []string{"", "groups contains", `groups = "x"`, "len(groups) > 1", `"text"`} {
		if _, err := expression.CompileClaims(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
