package market

import (
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/savedsearch"
)

func exportedConversation(v ConversationView) ExportedConversation {
	return ExportedConversation{v.ID.String(), v.Book.String(), v.BookName, v.CreatedAt, v.LastAt}
}

func exportedMessage(m conversation.Message) ExportedMessage {
	return ExportedMessage{m.ID.String(), m.Conversation.String(), m.Text, m.CreatedAt, optionalTime(m.ReadAt)}
}

func (e *Export) exportedBook(v BookView) ExportedBook {
	return ExportedBook{
		ID: v.ID.String(), Name: v.Name, Course: v.Course, ISBN: string(v.ISBN), Edition: v.Edition, Condition: v.Condition.String(),
		Price: e.amount(v.Price), Comments: v.Comments, University: v.University, Status: int(v.Status),
		Available: v.Date, CreatedAt: v.CreatedAt, ListedAt: v.ListedAt, Photos: exportedPhotos(v.Photos),
	}
}

func exportedPhotos(all []photo.Photo) []ExportedPhoto {
	out := make([]ExportedPhoto, 0, len(all))
	for _, p := range all {
		out = append(out, ExportedPhoto{p.ID.String(), p.ID.Path(photo.Large), p.Width, p.Height, p.CreatedAt})
	}
	return out
}

func (e *Export) exportedRequest(r book.Request) ExportedRequest {
	return ExportedRequest{
		ID: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: string(r.ISBN), Edition: r.Edition,
		MaxPrice: e.amount(r.MaxPrice), Status: int(r.Status), CreatedAt: r.CreatedAt,
	}
}

func (e *Export) exportedOrder(v OrderView) ExportedOrder {
	return ExportedOrder{
		ID: v.ID.String(), BookID: v.Book.String(), Name: v.Name, Price: e.amount(v.Price), Fee: e.amount(v.Fee), Status: int(v.Status),
		Reason: v.Reason, CreatedAt: v.CreatedAt, VerifiedAt: optionalTime(v.VerifiedAt), DeliveredAt: optionalTime(v.DeliveredAt),
		CancelledAt: optionalTime(v.CancelledAt),
		Settlement:  v.Settlement.String(), Handover: v.Handover.String(), HandedOverAt: optionalTime(v.HandedOverAt),
	}
}

func (e *Export) exportedSearch(s savedsearch.Search) ExportedSearch {
	out := ExportedSearch{
		ID: s.ID.String(), Query: s.Query, University: s.University, Course: s.Course,
		MinPrice: e.amount(s.MinPrice), MaxPrice: e.amount(s.MaxPrice), Mail: s.Mail, CreatedAt: s.CreatedAt,
	}
	if s.Condition != 0 {
		out.Condition = s.Condition.String()
	}
	return out
}

func exportedNotification(n notification.Notification) ExportedNotification {
	return ExportedNotification{n.Message, n.CreatedAt, optionalTime(n.ReadAt)}
}

func exportedRating(r rating.Rating) ExportedRating {
	return ExportedRating{r.Order.String(), r.AsDescribed, r.Text, r.CreatedAt}
}

func exportedMeeting(p meeting.Proposal) ExportedMeeting {
	return ExportedMeeting{p.Order.String(), p.University, p.Name, p.At, p.State.String(), p.CreatedAt, optionalTime(p.AcceptedAt)}
}

func exportedReport(v ReportView) ExportedReport {
	return ExportedReport{v.ID.String(), v.Target.Kind.String(), id.Format(v.Target.ID), string(v.Reason), v.Text, v.Open(), v.CreatedAt}
}

func (e *Export) amount(a money.Amount) json.Number { return json.Number(e.currency.Format(a)) }

// optionalTime is nil for the zero time.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
