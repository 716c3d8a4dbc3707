package config

import (
	"encoding/json"

	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// claimRule gives something to people whose claims meet a condition.
type claimRule struct {
	holds func(claims []byte) bool
	rule  providerfile.Rule
}

// compileRules returns what the rules of a provider in the file of a setting give for claims; nil without rules.
func compileRules(setting, provider string, ofRoles, ofGroups []providerfile.Rule) (func(claims []byte) identity.Grants, error) {
	if len(ofRoles)+len(ofGroups) == 0 {
		return nil, nil
	}
	var roles, groups []claimRule
	for list, rules := range map[*[]claimRule][]providerfile.Rule{&roles: ofRoles, &groups: ofGroups} {
		for _, r := range rules {
			one := claimRule{rule: r}
			if r.When != "" {
				var err error
				if one.holds, err = expression.CompileClaims(r.When); err != nil {
					return nil, Errorf(setting, "provider %s: when %q: %v", provider, r.When, err)
				}
			}
			*list = append(*list, one)
		}
	}
	return func(claims []byte) identity.Grants { return grantsOf(roles, groups, claims) }, nil
}

// grantsOf evaluates rules. Of several that make admins, the first counts.
func grantsOf(roles, groups []claimRule, claims []byte) (g identity.Grants) {
	var named, in []string
	for _, r := range roles {
		switch {
		case !r.holds(claims):
		case r.rule.Grant != providerfile.GrantAdmin:
			named = append(named, r.rule.Grant)
		case !g.Admin:
			g.Admin, g.Campus = true, r.rule.Campus
		}
	}
	for _, r := range groups {
		if r.rule.From != "" {
			in = append(in, listClaim(claims, r.rule.From)...)
		} else if r.holds(claims) {
			in = append(in, r.rule.Grant)
		}
	}
	g.Roles, g.Groups = usable(named), usable(in)
	return g
}

// listClaim returns a claim that is a list of texts, or one.
func listClaim(claims []byte, name string) (all []string) {
	var set map[string]json.RawMessage
	if json.Unmarshal(claims, &set) != nil {
		return nil
	}
	var one string
	if json.Unmarshal(set[name], &one) == nil && one != "" {
		return []string{one}
	}
	if json.Unmarshal(set[name], &all) != nil {
		return nil
	}
	return all
}

// usable leaves out names that no label can have, and those of too many.
func usable(names []string) []string {
	var all []string
	for _, name := range names {
		if _, err := user.CleanLabels([]string{name}); err == nil {
			all = append(all, name)
		}
	}
	clean, err := user.CleanLabels(all)
	for err != nil { // more than there may be
		all = all[:len(all)-1]
		clean, err = user.CleanLabels(all)
	}
	if len(clean) == 0 {
		return nil
	}
	return clean
}
