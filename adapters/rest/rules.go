package rest

import (
	"github.com/oapi-codegen/runtime"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// rules maps operations to domain rules that the document cannot express. Use cases
// apply them as well, but never see a body that fails validation against the
// document. Applied here, they complete that error, so that one response names
// everything that is wrong.
var rules = map[string]func(body map[string]any) []error{
	"signup":         rule(checkSignup),
	"passwordReset":  rule(checkReset),
	"updatePassword": rule(checkNewPassword),
	"postBook":       rule(func(b *restgen.PostBookBody) []error { _, err := draftOf(b).Check(); return []error{err} }),
	"updateBook":     rule(func(b *restgen.UpdateBookBody) []error { return []error{patchOf(b).Check()} }),
	"requestBook":    rule(func(b *restgen.RequestBookBody) []error { _, err := wantOf(b).Check(); return []error{err} }),
}

// rule binds a body as the generated code does. Missing fields stay empty.
func rule[B any](check func(*B) []error) func(map[string]any) []error {
	return func(body map[string]any) []error {
		var b B
		if err := runtime.BindJSONValue(body, &b); err != nil {
			return nil // a body that cannot be bound has been refused already
		}
		return check(&b)
	}
}

// addRuleViolations applies the rules to the fields that are valid so far.
func addRuleViolations(op *openapi.Operation, body map[string]any, problems openapi.Problems) {
	check, ok := rules[op.ID]
	if !ok {
		return
	}
	valid := map[string]any{}
	for name := range op.Body.Fields {
		if v, given := body[name]; given && problems[name] == "" {
			valid[name] = v
		}
	}
	for _, err := range check(valid) {
		if f := fault.As(err); f != nil {
			for field, why := range fieldsOf(f) {
				if _, ok := valid[field]; ok {
					problems[field] = why
				}
			}
		}
	}
}

func checkSignup(b *restgen.SignupBody) []error {
	email, err := user.ParseEmail(b.Email)
	if err == nil && !email.IsEdu() {
		err = user.ErrEduNeeded
	}
	_, weak := user.NewPassword(b.Password, email)
	return []error{err, weak}
}

func checkReset(b *restgen.PasswordResetBody) []error {
	email, _ := user.ParseEmail(b.Email) // the document has refused an invalid address
	_, weak := user.NewPassword(b.Password, email)
	return []error{weak}
}

func checkNewPassword(b *restgen.UpdatePasswordBody) []error {
	if _, err := user.NewPassword(b.NewPassword, ""); err != nil {
		return []error{asNewPassword(fault.As(err))}
	}
	return nil
}
