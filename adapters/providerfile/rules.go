package providerfile

import "github.com/octavo-books/octavo/domain/user"

// GrantAdmin is the Grant of a rule that makes admins of the marketplace.
const GrantAdmin = "admin"

const maxRules = 100 // of each list

// Rule gives a role or group to people for what the service claims about them.
type Rule struct {
	When   string // a condition on the claims
	Grant  string // the name of the role or group, or GrantAdmin
	Campus string // of which GrantAdmin makes admins
	From   string // of groups: the claim that lists them, in place of When and Grant
}

func (e *entry) readRules(p *Provider) error {
	if p.GitHub && len(e.Roles)+len(e.Groups) > 0 {
		return e.Mistake("roles", "GitHub makes no claims that rules could use")
	}
	for key, rules := range map[string][]Rule{"roles": e.Roles, "groups": e.Groups} {
		if len(rules) > maxRules {
			return e.Mistake(key, "%s has more than %d rules", key, maxRules)
		}
		for _, r := range rules {
			if err := e.checkRule(key, r); err != nil {
				return err
			}
		}
	}
	p.Roles, p.Groups = e.Roles, e.Groups
	return nil
}

func (e *entry) checkRule(key string, r Rule) error {
	_, nameErr := user.CleanLabels([]string{r.Grant})
	switch {
	case key == "groups" && r.From != "" && r.When+r.Grant+r.Campus == "":
		return nil
	case r.From != "":
		return e.Mistake(key, "from stands alone, and in groups only")
	case r.When == "":
		return e.Mistake(key, "a rule of %s needs when, a condition on the claims", key)
	case nameErr != nil:
		return e.Mistake(key, "a rule of %s needs grant, a name of 1 to 100 characters", key)
	case r.Campus != "" && (key != "roles" || r.Grant != GrantAdmin):
		return e.Mistake(key, "campus goes with grant: admin")
	}
	return nil
}
