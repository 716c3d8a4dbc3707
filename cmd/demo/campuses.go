package demo

import (
	"strings"

	"github.com/octavo-books/octavo/domain/campus"
)

// university is a fictitious university, or one that the operator has named.
type university struct {
	name, domain string
	french       bool // most of its students read French
}

// invented are the names of universities and the first label of their domains. Their domains
// are below example.edu, which receives no mail, or below "example" in a domain of the market.
var invented = [...]university{
	{"Northfield University", "northfield", false}, {"Lakeside College", "lakeside", false},
	{"Harbor State University", "harborstate", false},
	{"Saint Brendan’s College", "stbrendan", false}, {"Cedar Valley Institute of Technology", "cvit", false},
	{"Université de la Vallée", "vallee", true},
	{"Redwood University", "redwood", false}, {"Granite Hills College", "granitehills", false},
}

// british are the same in the United Kingdom.
var british = [...]university{
	{"University of Northfield", "northfield", false}, {"Lakeside University", "lakeside", false},
	{"Harbour Metropolitan University", "harbourmet", false},
	{"St Brendan’s College", "stbrendan", false}, {"Cedar Vale Institute of Technology", "cvit", false},
	{"University of Aberllan", "aberllan", false},
	{"Redwood University", "redwood", false}, {"Granite Moor University", "granitemoor", false},
}

// universitiesIn returns the universities of a market with these domains: those that the
// operator has named, at most as many as there are invented ones, or else the invented ones,
// divided among the domains.
func universitiesIn(d campus.Domains) []university {
	domains := d.List()
	all := make([]university, 0, len(invented))
	for i := range invented {
		at := domains[i%len(domains)]
		switch {
		case at.University == "":
			u := invented[i]
			if at.Domain == "uk" || strings.HasSuffix(at.Domain, ".uk") {
				u = british[i]
			}
			u.domain += ".example." + at.Domain
			all = append(all, u)
		case i < len(domains):
			all = append(all, university{name: at.University, domain: "example." + at.Domain})
		}
	}
	return all
}
