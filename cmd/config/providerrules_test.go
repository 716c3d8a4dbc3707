package config

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
)

const campusRules = `- name: campus
  issuer: https://login.example.edu
  clientId: octavo
  roles:
    - when: groups contains "market-staff"
      grant: admin
      campus: Lyon
    - when: groups contains "deans"
      grant: admin
    - when: email endsWith "@example.edu"
      grant: member
  groups:
    - from: groups
    - {when: level > 2, grant: seniors}
`

func TestRulesOfAProviderGiveWhatItsClaimsSay(t *testing.T) {
	all := must.Get(providerfile.Parse([]byte(campusRules), "providers.yaml"))(t)
	rules := must.Get(compileRules("OIDC_PROVIDERS", "campus", all[0].Roles, all[0].Groups))(t)
	for claims, want := range map[string]identity.Grants{
		`{"groups":["x","market-staff","deans"],"email":"a@example.edu"}`: {Roles: []string{"member"}, Groups: []string{"deans", "market-staff", "x"}, Admin: true, Campus: "Lyon"},
		`{"groups":"deans","level":3}`:                                    {Groups: []string{"deans", "seniors"}, Admin: true},
		`{"groups":[1],"email":true}`:                                     {}, `{}`: {},
		`{"groups":["","two\nlines","` + strings.Repeat("n", 101) + `"]}`: {},
	} {
		if got := rules([]byte(claims)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", claims, got, want)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, strconv.Quote("g"+strconv.Itoa(i)))
	}
	if got := rules([]byte(`{"groups":[` + strings.Join(many, ",") + `]}`)); len(got.Groups) != 50 {
		t.Errorf("%d groups", len(got.Groups))
	}
}

func TestAMistakeInARuleIsFoundAtTheStart(t *testing.T) {
	for name, change := range map[string][2]string{
		"condition": {`level > 2`, `level >`}, "no condition": {`when: email endsWith "@example.edu"`, `when: ""`}, "no name": {"grant: member", `grant: ""`},
		"campus of another": {"grant: member", "grant: member\n      campus: Lyon"}, "from and grant": {"from: groups", "from: groups\n      grant: x"}, "unknown": {"from: groups", "form: groups"},
	} {
		all, err := providerfile.Parse([]byte(strings.Replace(campusRules, change[0], change[1], 1)), "providers.yaml")
		if err == nil {
			_, err = compileRules("OIDC_PROVIDERS", "campus", all[0].Roles, all[0].Groups)
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
