package guarding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// ReportView is a report with first names, which are empty for deleted accounts.
type ReportView struct {
	report.Report
	ReporterName, AboutName, ResolverName string
	BookBuyer                             user.ID // of a reported book, while it is sold; otherwise 0
}

// Affair returns what an admin decides about who resolves the report.
func (v ReportView) Affair() user.Affair { return v.Report.Affair().With(v.BookBuyer) }

// shownTo removes who has reported the caller, and the order that would tell, unless both read each other's reports.
func (v ReportView) shownTo(by user.Caller) ReportView {
	if v.About == by.ID && v.Target.Kind != report.Order {
		v.Reporter, v.ReporterName, v.Order = 0, "", 0
	}
	return v
}

func shownTo(all []ReportView, by user.Caller) []ReportView {
	for i := range all {
		all[i] = all[i].shownTo(by)
	}
	return all
}

// ReportSelection selects reports. What is zero selects all.
type ReportSelection struct {
	State      ReportState
	University string        // see user.SameUniversity
	On         report.Target // what was reported
	About, By  user.ID       // who is responsible, and who has reported
}

// ReportState selects reports and says in which order they are listed.
type ReportState int

// What is listed, and in which order.
const (
	AnyReports      ReportState = iota // newest first
	OpenReports                        // oldest first
	ResolvedReports                    // the last decision first
)

// positionOf returns the position of a report in a list. Its key is the time of the decision in Unix microseconds, in lists of
// resolved ones, and otherwise 0.
func (s ReportState) positionOf(v ReportView) market.Position {
	if s == ResolvedReports {
		return market.Position{Key: v.ResolvedAt.UnixMicro(), ID: int64(v.ID)}
	}
	return market.Position{ID: int64(v.ID)}
}

// SuspendAccount suspends an account, which is not the market's, on behalf of an admin, with a reason
// that the person receives, and runs then in the same transaction. An error of then suspends nothing.
// If the account is suspended already, it does nothing and does not run then.
type SuspendAccount func(
	ctx context.Context, by user.Caller, id user.ID, reason string, then func(context.Context, market.Stores) error,
) error
