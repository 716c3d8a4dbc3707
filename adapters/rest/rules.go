package rest

import (
	"github.com/oapi-codegen/runtime"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// rules are what the core demands of a body beyond what the document says, by
// operation. A use case applies them by itself, but never sees a body that the
// document refuses: here they complete that refusal, so that one answer names all
// that is wrong.
var rules = map[string]func(body map[string]any) []error{
	"signup":         ruled(checkSignup),
	"passwordReset":  ruled(checkReset),
	"updatePassword": ruled(checkNewPassword),
	"postBook":       ruled(func(b *restgen.PostBookBody) []error { _, err := draftOf(b).Check(); return []error{err} }),
	"updateBook":     ruled(func(b *restgen.UpdateBookBody) []error { return []error{patchOf(b).Check()} }),
	"requestBook":    ruled(func(b *restgen.RequestBookBody) []error { _, err := wantOf(b).Check(); return []error{err} }),
}

// ruled binds a body as the generated code does. What is missing stays empty.
func ruled[B any](check func(*B) []error) func(map[string]any) []error {
	return func(body map[string]any) []error {
		var b B
		if err := runtime.BindJSONValue(body, &b); err != nil {
			return nil // nothing but what the document has checked can be judged
		}
		return check(&b)
	}
}

// completeProblems adds the rules that the other fields of a body break.
func completeProblems(op *openapi.Operation, body map[string]any, problems openapi.Problems) {
	check, ok := rules[op.ID]
	if !ok {
		return
	}
	sound := map[string]any{}
	for name := range op.Body.Fields {
		if v, given := body[name]; given && problems[name] == "" {
			sound[name] = v
		}
	}
	for _, err := range check(sound) {
		if f := fault.As(err); f != nil {
			for field, why := range fieldsOf(f) {
				if _, ok := sound[field]; ok {
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
	email, _ := user.ParseEmail(b.Email) // the document has refused what is none
	_, weak := user.NewPassword(b.Password, email)
	return []error{weak}
}

func checkNewPassword(b *restgen.UpdatePasswordBody) []error {
	if _, err := user.NewPassword(b.NewPassword, ""); err != nil {
		return []error{asNewPassword(fault.As(err))}
	}
	return nil
}
