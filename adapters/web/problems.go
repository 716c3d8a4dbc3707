package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// ProblemPath is the page on which one of the two people of an order reports a problem with it.
const ProblemPath = "/order/problem"

// Problem is a report about an order, as the two people of the order and its admins read it.
type Problem struct {
	guarding.ProblemView
	Why  string // the reason in words
	Mine bool
	Case string // the page of the case, for admins; otherwise ""
}

// ProblemsOf lists what was reported about an order that the viewer may see.
func (p *Pages) ProblemsOf(r *http.Request, by user.Caller, of order.ID) ([]Problem, error) {
	all, err := p.Market.Problems.List(r.Context(), by, of)
	var shown []Problem
	for _, v := range all {
		one := Problem{ProblemView: v, Why: ReportReasons[v.Reason], Mine: v.Reporter == by.ID}
		if by.Oversees(v.University) && !one.Mine && v.About != by.ID {
			one.Case = ReportCasePath + "?id=" + v.ID.String()
		}
		shown = append(shown, one)
	}
	return shown, err
}

// OpenProblem returns the open report of the viewer among those about an order; nil if there is none.
func OpenProblem(all []Problem) *Problem {
	for i := range all {
		if all[i].Mine && all[i].Open() {
			return &all[i]
		}
	}
	return nil
}

// ProblemReasons are the reasons for a report about an order, in the order in which a form shows them.
func ProblemReasons() (all []Option) {
	for _, r := range []report.Reason{report.Wrong, report.Other, report.Abuse, report.Spam} {
		all = append(all, Option{Value: string(r), Label: ReportReasons[r]})
	}
	return all
}
