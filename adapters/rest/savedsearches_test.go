package rest_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestASearchIsSavedListedAndDeleted(t *testing.T) {
	w := newMarketFixture(t)
	saved := w.post("/api/user/saveSearch", w.as("ann"), object{"query": "  <b>Calculus</b> ", "condition": "good", "maxPrice": 40.5, "mail": true}).wantStatus(201, "")
	if saved.text("query") != "<b>Calculus</b>" || saved.text("condition") != "Good" || saved.at("maxPrice") != 40.5 || saved.at("minPrice") != nil || saved.at("university") != nil || saved.at("mail") != true {
		t.Errorf("saved %s", saved)
	}
	w.post("/api/user/saveSearch", w.as("ann"), object{"course": "MATH 161", "mail": false}).wantStatus(201, "")
	if r := w.get("/api/user/getSavedSearches?limit=1", w.as("ann")).wantStatus(200, ""); !strings.Contains(r.raw, "MATH 161") || strings.Contains(r.raw, "Calculus") || r.header.Get("Link") == "" {
		t.Errorf("the first page is %s", r)
	}
	id := object{"searchId": saved.text("id")}
	w.post("/api/user/setSearchMail", w.as("ann"), with(id, "mail", false)).wantStatus(200, "")
	requested := w.post("/api/user/requestSavedSearch", w.as("ann"), id).wantStatus(201, "")
	if !strings.Contains(requested.raw, `"maxPrice":40.5`) {
		t.Errorf("requested %s", requested)
	}
	for _, one := range append(noIDs, saved.text("id")) {
		w.refuses( // another's search is the same as one that does not exist
			refusal{"eve", "/api/user/deleteSavedSearch", object{"searchId": one}, 404, "search_not_found", ""},
			refusal{"eve", "/api/user/setSearchMail", object{"searchId": one, "mail": true}, 404, "search_not_found", ""},
			refusal{"eve", "/api/user/requestSavedSearch", object{"searchId": one}, 404, "search_not_found", ""},
		)
	}
	w.post("/api/user/deleteSavedSearch", w.as("ann"), id).wantStatus(200, "")
	if r := w.get("/api/user/getSavedSearches", w.as("ann")).wantStatus(200, ""); strings.Contains(r.raw, "Calculus") {
		t.Errorf("still lists %s", r)
	}
}

func TestASearchThatFindsAllOrNothingIsNotSaved(t *testing.T) {
	w := newMarketFixture(t)
	for body, field := range map[string]string{
		`{"mail":true}`: "query", `{"query":"?!","mail":true}`: "query", `{"query":"calculus"}`: "mail", `{"condition":"old","mail":true}`: "condition",
		`{"query":"x","minPrice":5,"maxPrice":4,"mail":true}`: "minPrice", `{"query":"x","maxPrice":0,"mail":true}`: "maxPrice", `{"query":"a\r\nb","mail":true}`: "query",
		`{"university":"...","mail":true}`: "university", `{"query":"` + strings.Repeat("x", 301) + `","mail":true}`: "query",
	} {
		if r := w.post("/api/user/saveSearch", w.as("ann"), strings.NewReader(body)).wantStatus(400, ""); r.fields()[field] == nil {
			t.Errorf("%s: %s", body, r)
		}
	}
	for i := range 50 {
		w.post("/api/user/saveSearch", w.as("ann"), object{"query": fmt.Sprint("calculus ", i), "mail": false}).wantStatus(201, "")
	}
	w.refuses(refusal{"ann", "/api/user/saveSearch", object{"query": "calculus", "mail": false}, 409, "too_many_searches", ""})
}
