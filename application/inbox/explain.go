package inbox

import (
	"context"
	"slices"
	"strings"
)

// Verdict says whether a rule takes a delivery now.
type Verdict struct {
	Rule  string // its Key
	Takes bool
	Why   string // it does not, or what will happen
}

// ExplainRules returns the verdict of every rule about a delivery that FindDelivery has returned.
func (a *Admin) ExplainRules(ctx context.Context, d Delivery) ([]Verdict, error) {
	rules, err := a.rules(ctx)
	if err != nil {
		return nil, err
	}
	paused, err := a.store.PausedRules(ctx)
	if err != nil {
		return nil, err
	}
	facts := NewFacts(d)
	verdicts := make([]Verdict, 0, len(rules))
	for _, rule := range rules {
		v := Verdict{Rule: rule.Key()}
		if v.Takes, v.Why, err = a.explain(rule, d, facts); err != nil {
			return nil, err
		}
		if v.Takes && v.Why == "" && slices.Contains(paused, v.Rule) {
			v.Why = "it is paused, so the delivery would wait"
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

func (a *Admin) explain(rule Rule, d Delivery, facts *Facts) (takes bool, why string, err error) {
	if rule.Source != "" && rule.Source != d.Source {
		return false, "it is for the source " + rule.Source, nil
	}
	if !rule.Matches(d.Subject()) {
		return false, "no pattern of " + strings.ReplaceAll(rule.Match, "\n", ", ") + " matches the event", nil
	}
	where, err := rule.CompileWhere(a.compile)
	switch {
	case err != nil:
		return false, "", err
	case where != nil && d.Payload == nil:
		return false, "its condition needs the payload, which has been deleted", nil
	case where != nil && !where.Matches(facts):
		return false, "its condition does not hold: " + rule.Where, nil
	case rule.Paused:
		return true, "it is paused in the file of rules, so the delivery would wait", nil
	}
	return true, "", nil
}
