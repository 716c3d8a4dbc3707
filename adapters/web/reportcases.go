package web

import (
	"time"

	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/report"
)

// ReportCase is a report, with those of the list about the same target.
type ReportCase struct {
	guarding.ReportView
	Title  string // of the book, or the name of the person
	Reason string
	Others int
	Days   int // since it was reported
	To     string
	Action string // in words; empty while it is open

	Refusal string // why the viewer may not decide; "": they may, or nobody has asked
}

// reportActions are the decisions in words.
var reportActions = map[report.Action]string{
	report.Dismiss: "Dismissed", report.Warn: "Warned", report.Unlist: "Unlisted", report.Suspend: "Suspended",
}

// CaseOf says in words what a report is about.
func (p *Pages) CaseOf(v guarding.ReportView) ReportCase {
	c := ReportCase{ReportView: v, Title: v.Seen.Person.FirstName, Reason: ReportReasons[v.Reason], To: ReportCasePath + "?id=" + v.ID.String()}
	if v.Seen.Book != nil {
		c.Title = v.Seen.Book.Name
	}
	c.Days = int(p.Market.Clock.Now().Sub(v.CreatedAt) / (24 * time.Hour))
	c.Action = reportActions[v.Action]
	if v.Target.Kind == report.Order && v.Action == report.Dismiss {
		c.Action = "Closed"
	}
	return c
}

// CasesOf joins the reports about one target, if wanted.
func (p *Pages) CasesOf(all []guarding.ReportView, join bool) (cases []ReportCase) {
	at := map[report.Target]int{}
	for _, r := range all {
		if i, known := at[r.Target]; known && join {
			cases[i].Others++
			continue
		}
		at[r.Target] = len(cases)
		cases = append(cases, p.CaseOf(r))
	}
	return cases
}

// ReportReasons are the reasons in words.
var ReportReasons = map[report.Reason]string{
	report.Spam: "Spam or fraud", report.Prohibited: "Not allowed here", report.Wrong: "Not as described",
	report.Abuse: "Abuse or harassment", report.Other: "Something else",
}
