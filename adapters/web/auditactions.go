package web

import "github.com/octavo-books/octavo/domain/audit"

// AuditOptions are the actions of the audit log to choose from, and none.
func AuditOptions() []Option {
	all := []Option{{Value: "", Label: "Any"}}
	for _, a := range audit.Actions() {
		all = append(all, Option{Value: a.Code, Label: a.Words})
	}
	return all
}
