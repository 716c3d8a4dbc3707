package demo_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

func TestAnAdminOfTheDemoHasAReportedBookAndAProblemWithAnOrderToDecide(t *testing.T) {
	m := fill(t, config(1500, 60))
	if len(m.Reports) != 2 {
		t.Fatalf("%+v", m.Reports)
	}
	for i, r := range m.Reports {
		staff := user.ID(2) // the owner and the admin, who do not decide about their own affairs
		if r.ID != report.ID(i+1) || !r.Open() || r.Text == "" || r.Reporter <= staff || r.About <= staff || r.Reporter == r.About ||
			r.Seen.Book == nil || r.Seen.Book.Price == "" || r.University != m.Users[1].Profile.University || r.Seen.Person.FirstName != m.Users[r.About-1].Profile.FirstName {
			t.Errorf("%+v", r)
		}
		if seen := m.Users[r.Reporter-1]; r.CreatedAt.After(now) || r.CreatedAt.Before(seen.CreatedAt) || seen.Profile.University != r.University && r.Target.Kind == report.Book {
			t.Errorf("%+v by %+v", r, seen)
		}
	}
	book, problem := m.Reports[0], m.Reports[1]
	if b := m.Books[book.Target.ID-1]; book.Target.Kind != report.Book || b.Status != 0 || b.Seller != book.About || book.CreatedAt.Before(b.CreatedAt) {
		t.Errorf("%+v", book)
	}
	o := m.Orders[problem.Target.ID-1]
	if problem.Target.Kind != report.Order || problem.Order != o.ID || o.Status != 2 || o.Buyer != problem.Reporter || o.Seller != problem.About || problem.CreatedAt.Before(o.VerifiedAt) {
		t.Errorf("%+v about %+v", problem, o)
	}
	told := false
	for _, n := range m.Notifications {
		told = told || n.Kind == notification.ProblemReported && n.User == o.Seller && n.Order == o.ID
	}
	if !told {
		t.Error("the seller is not notified of the problem")
	}
}
