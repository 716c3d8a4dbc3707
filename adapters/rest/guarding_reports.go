package rest

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
)

var reportOperations = feature{rules: rules{"report": rule(checkReport), "resolveReport": rule(checkDecision)}}

// Report serves POST /api/user/report.
func (h *Handler) Report(ctx context.Context, r restgen.ReportRequestObject) (restgen.ReportResponseObject, error) {
	b := r.Body
	made, err := h.Reports.Add(ctx, callerOf(ctx), guarding.ReportDraft{
		Targets: targetsOf(b), Reason: report.Reason(b.Reason),
		Text: valueOr(b.Text, ""), Order: idOf[order.ID](valueOr(b.OrderId, "")),
	})
	if err != nil {
		return nil, err
	}
	return restgen.Report201JSONResponse(respond(ctx, h, restgen.Reported{Id: made.String()})), nil
}

// targetsOf returns a target for each id that is given. An order is one if it is alone.
func targetsOf(b *restgen.ReportBody) (all []report.Target) {
	ids := map[report.Kind]*string{report.Book: b.BookId, report.Person: b.UserId, report.Conversation: b.ConversationId}
	for kind, given := range ids {
		if given != nil {
			all = append(all, report.Target{Kind: kind, ID: idOf[int64](*given)})
		}
	}
	if len(all) == 0 && b.OrderId != nil {
		all = append(all, report.Target{Kind: report.Order, ID: idOf[int64](*b.OrderId)})
	}
	return all
}

// GetReports serves GET /api/dashboard/getReports.
func (h *Handler) GetReports(ctx context.Context, r restgen.GetReportsRequestObject) (restgen.GetReportsResponseObject, error) {
	list := h.Moderation.ListOpen
	if valueOr(r.Params.State, "") == "done" {
		list = h.Moderation.ListResolved
	}
	all, next, err := list(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetReports200JSONResponse](ctx, h, all, next, err, reportOf)
}

// ResolveReport serves POST /api/dashboard/resolveReport.
func (h *Handler) ResolveReport(ctx context.Context, r restgen.ResolveReportRequestObject) (restgen.ResolveReportResponseObject, error) {
	b := r.Body
	done, err := h.Moderation.Resolve(ctx, callerOf(ctx), idOf[report.ID](b.ReportId), report.Action(b.Action), valueOr(b.Note, ""))
	return reply[restgen.ResolveReport200JSONResponse](ctx, h, done, err, reportOf)
}

func reportOf(v guarding.ReportView) restgen.Report {
	out := restgen.Report{
		Id: v.ID.String(), State: "open", Reason: string(v.Reason), Text: v.Text, CreatedAt: v.CreatedAt.UTC(),
		Person:     restgen.ReportedPerson{Id: v.About.String(), FirstName: v.Seen.Person.FirstName, University: v.Seen.Person.University},
		University: v.University, HidBook: v.Hid,
		Messages: convertAll(v.Seen.Messages, reportedMessageOf), ResolvedAt: nilIfZero(v.ResolvedAt),
	}
	if v.Reporter != 0 {
		out.Reporter = restgen.Person{Id: v.Reporter.String(), FirstName: v.ReporterName}
	}
	if v.Order != 0 {
		id := v.Order.String()
		out.OrderId = &id
	}
	target := strconv.FormatInt(v.Target.ID, 10)
	switch v.Target.Kind {
	case report.Book:
		out.BookId, out.Book = &target, reportedBookOf(v.Seen.Book)
	case report.Person:
		out.UserId = &target
	case report.Conversation:
		out.ConversationId = &target
	}
	if !v.Open() {
		action := string(v.Action)
		out.State, out.Action, out.Note = "done", &action, &v.Note
		out.ResolvedBy = &restgen.Person{Id: v.ResolvedBy.String(), FirstName: v.ResolverName}
	}
	return out
}

func reportedBookOf(b *report.SeenBook) *restgen.ReportedBook {
	if b == nil {
		return nil
	}
	return &restgen.ReportedBook{
		Name: b.Name, Edition: b.Edition, Course: b.Course, ISBN: nilIfEmpty(b.ISBN), Price: b.Price, Condition: b.Condition,
		Comments: b.Comments, University: b.University, PhotoIds: convertAll(b.Photos, id.Format),
	}
}

func reportedMessageOf(m report.SeenMessage) restgen.ReportedMessage {
	return restgen.ReportedMessage{
		From: restgen.Person{Id: m.From.String(), FirstName: m.FirstName}, Text: m.Text, CreatedAt: m.CreatedAt.UTC(),
	}
}

func checkReport(_ *Handler, b *restgen.ReportBody) []error {
	_, err := report.Check(targetsOf(b), report.Other, "")
	return []error{err}
}

func checkDecision(_ *Handler, b *restgen.ResolveReportBody) []error {
	if b.Action == "" { // whether a note is missing depends on it
		return nil
	}
	_, err := report.CleanNote(valueOr(b.Note, ""), report.Action(b.Action))
	return []error{err}
}
