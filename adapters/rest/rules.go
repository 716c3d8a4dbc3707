package rest

import (
	"maps"

	"github.com/oapi-codegen/runtime"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// rules maps operations to domain rules that the document cannot express. Use cases
// apply them as well, but never see input that fails validation against the
// document. Applied here, they complete that error, so that one response names
// everything that is wrong. The input is the body or, without one, the query.
var rules = map[string]func(h *Handler, input map[string]any) []error{
	"signup":         rule(checkSignup),
	"passwordReset":  rule(checkReset),
	"updatePassword": rule(checkNewPassword),
	"checkoutCart":   rule(checkBasket),
	"postBook":       rule(checkPost),
	"updateBook":     rule(checkUpdate),
	"requestBook":    rule(checkRequest),
	"priceHint":      rule(checkPriceQuery),
	"report":         rule(checkReport),
	"resolveReport":  rule(checkDecision),
	"sendMessage":    rule(checkMessage),
}

// rule binds input as the generated code does. Missing fields stay empty.
func rule[B any](check func(*Handler, *B) []error) func(*Handler, map[string]any) []error {
	return func(h *Handler, input map[string]any) []error {
		var b B
		if err := runtime.BindJSONValue(input, &b); err != nil {
			return nil // input that cannot be bound has been refused already
		}
		return check(h, &b)
	}
}

// addRuleViolations applies the rules to the fields that are valid so far. A rule may name a
// field that is left out, such as the book that a message is about.
func (h *Handler) addRuleViolations(op *openapi.Operation, input map[string]any, problems openapi.Problems) {
	check, ok := rules[op.ID]
	if !ok {
		return
	}
	valid := maps.Clone(input)
	maps.DeleteFunc(valid, func(name string, _ any) bool { return problems[name] != "" })
	for _, err := range check(h, valid) {
		if f := fault.As(err); f != nil {
			for field, why := range fieldsOf(f) {
				if problems[field] == "" {
					problems[field] = why
				}
			}
		}
	}
}

func checkSignup(h *Handler, b *restgen.SignupBody) []error {
	email, err := user.ParseEmail(b.Email)
	if err == nil && !h.cfg.Campus.Admits(email) {
		err = h.cfg.Campus.Refusal("email")
	}
	_, weak := user.NewPassword(b.Password, email)
	if b.University == nil && !h.cfg.Campus.Named() {
		return []error{err, weak, errNoUniversity}
	}
	return []error{err, weak}
}

// errNoUniversity refuses a sign-up without a university, whose address does not say it either.
var errNoUniversity = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or invalid.").WithField("university", "This field is missing.")

func checkBasket(_ *Handler, b *restgen.CheckoutBody) []error {
	if b.BookIds == nil {
		return nil
	}
	return []error{buying.Basket{Books: idsOf[book.ID](*b.BookIds)}.Check()}
}

func checkReset(_ *Handler, b *restgen.PasswordResetBody) []error {
	email, _ := user.ParseEmail(b.Email) // the document has refused an invalid address
	_, weak := user.NewPassword(b.Password, email)
	return []error{weak}
}

func checkNewPassword(_ *Handler, b *restgen.UpdatePasswordBody) []error {
	if _, err := user.NewPassword(b.NewPassword, ""); err != nil {
		return []error{asNewPassword(fault.As(err))}
	}
	return nil
}

func checkPost(h *Handler, b *restgen.PostBookBody) []error {
	_, err := h.draftOf(b).Check(h.cfg.Currency, h.clock.Now())
	return []error{err}
}

func checkUpdate(h *Handler, b *restgen.UpdateBookBody) []error {
	return []error{h.patchOf(b).Check(h.cfg.Currency, h.clock.Now())}
}

func checkRequest(h *Handler, b *restgen.RequestBookBody) []error {
	_, err := h.wantOf(b).Check(h.cfg.Currency)
	return []error{err}
}

func checkPriceQuery(_ *Handler, p *restgen.PriceHintParams) []error {
	return []error{priceQueryOf(*p).Check()}
}

func checkReport(_ *Handler, b *restgen.ReportBody) []error {
	_, err := report.Check(targetsOf(b.BookId, b.UserId, b.ConversationId), report.Other, "")
	return []error{err}
}

func checkDecision(_ *Handler, b *restgen.ResolveReportBody) []error {
	if b.Action == "" { // whether a note is missing depends on it
		return nil
	}
	_, err := report.CleanNote(valueOr(b.Note, ""), report.Action(b.Action))
	return []error{err}
}
