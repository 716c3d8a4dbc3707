package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketCourses(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a list replaces that of the same term, and what was chosen stays": replacedList,
		"a file with errors is checked line by line":                       checkedCourses,
		"lists are listed newest first, and removed":                       removedList,
		"the number of lists is bounded":                                   tooManyLists,
		"courses are found by words of their codes and titles, in pages":   foundCourses,
		"twenty courses of a term can be chosen, and 200 of all":           chosenCourses,
		"the books of courses are requested once":                          requestedCourses,
		"books that a person has are not requested":                        ownedBooks,
		"many books are requested in bounded transactions":                 manyCourseBooks,
		"no more requests are made than a person may have":                 fullCourseRequests,
		"used books are those of past terms and own purchases":             usedBooks,
		"books are posted together or not at all":                          postedTogether,
		"what was chosen is exported, and deleted with the account":        forgottenChoices,
	})
}

var fall = course.List{University: "University of Rochester", Term: "2026-fall"}

// upload replaces the courses of a term; each line has course, title, name and ISBN.
func (b *MarketFixture) upload(t *testing.T, of course.List, lines ...string) {
	t.Helper()
	file := "course,title,name,isbn,edition\n" + strings.Join(lines, "\n")
	out := must.Get(b.CourseLists.Import(t.Context(), b.Join(t, fmt.Sprint("dean", b.IDs.Next()), user.Admin), of, []byte(file), false))(t)
	if len(out.Rejected) > 0 {
		t.Fatalf("rejected %+v", out.Rejected)
	}
	b.Clock.Advance(time.Minute)
}

func (b *MarketFixture) courses(t *testing.T, by user.Caller, of finding.Term, text string) []course.Course {
	t.Helper()
	all, _ := must.Get2(b.Courses.Find(t.Context(), by, of, text, market.Page{Limit: market.MaxLimit}))(t)
	return all
}

func (b *MarketFixture) choose(t *testing.T, by user.Caller, all ...course.Course) {
	t.Helper()
	must.Do(t, b.Courses.Choose(t.Context(), by, finding.Term{}, courseIDs(all)))
}

func courseIDs(all []course.Course) (ids []course.ID) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

func codes(all []course.Course) string {
	var s []string
	for _, c := range all {
		s = append(s, c.Code)
	}
	return strings.Join(s, ", ")
}

func replacedList(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.upload(t, fall, "MTH 165,Algebra,Linear Algebra,,2", "csc 172,<script>,Algorithms,0-262-03384-4,3", "CSC-172,,Exercises,,", "ART 1,,,,")
	first := b.courses(t, ann, finding.Term{}, "")
	if codes(first) != "ART 1, csc 172, MTH 165" || len(first[1].Books) != 2 || first[1].Books[0] != (course.Book{Name: "Algorithms", ISBN: "9780262033848", Edition: 3}) || first[1].Title != "<script>" || first[1].Term != "2026-fall" || first[1].University != "University of Rochester" {
		t.Fatalf("the courses are %+v", first)
	}
	b.choose(t, ann, first...)
	b.upload(t, course.List{University: "university of ROCHESTER", Term: "2026 Fall"}, "PHY 1,,Physics,,", "CSC 172,Data structures,Algorithms,,")
	second := b.courses(t, ann, finding.Term{Name: "2026-FALL"}, "")
	if codes(second) != "CSC 172, PHY 1" || second[0].ID != first[1].ID || second[0].Title != "Data structures" || second[0].Term != "2026 Fall" {
		t.Errorf("then they are %+v, want the id %d", second, first[1].ID)
	}
	mine := must.Get(b.Courses.Mine(t.Context(), ann, finding.Term{}))(t)
	if codes(mine.Courses) != "CSC 172" || mine.List.Courses != 2 || mine.List.Books != 2 || !mine.List.CreatedAt.Before(mine.List.UpdatedAt) {
		t.Errorf("chosen is %+v", mine)
	}
	if other := b.courses(t, b.JoinAt(t, "eve", "Yale", user.Regular), finding.Term{}, ""); len(other) != 0 {
		t.Errorf("another university has %+v", other)
	}
	if got := b.Audits(t); len(got) != 2 || got[0].Action != "courses.imported" {
		t.Errorf("the audit log has %+v, want two of courses.imported", got)
	}
}

func checkedCourses(t *testing.T, b *MarketFixture) {
	dean, ann := b.Join(t, "dean", user.Admin), b.Join(t, "ann", user.Regular)
	file := []byte("\ufeffISBN;name;Course;title\n9780262033849;Algorithms;CSC 172;x\n;=cmd|' /C calc'!A0;CSC 172;\n\"broken;;\n")
	out := must.Get(b.CourseLists.Import(t.Context(), dean, fall, file, true))(t)
	if out.Accepted != 1 || len(out.Rejected) != 2 || out.Rejected[0].Line != 2 || out.Rejected[0].Fields["isbn"] == "" || out.Rejected[1].Line != 4 || out.Rejected[1].Fields[market.RecordField] == "" || out.List.Courses != 1 {
		t.Errorf("a dry run: %+v", out)
	}
	if got := b.courses(t, ann, finding.Term{}, ""); len(got) != 0 {
		t.Errorf("a dry run stored %+v", got)
	}
	b.upload(t, fall, "MTH 165,Algebra,Linear Algebra,,")
	out, err := b.CourseLists.Import(t.Context(), dean, fall, []byte("course,title,name\n?,x,y\n"), false)
	if must.Do(t, err); out.Accepted != 0 || len(b.courses(t, ann, finding.Term{}, "")) != 1 {
		t.Errorf("a file without a valid line: %+v", out)
	}
	for _, bad := range []string{"", "course,title\nCSC 172,x\n", "course,title,name,NAME\n", "course,title,name\nCSC\x00,x,y\n", "course,title,name\n\x81,x,y\n",
		"course,title,name\n" + strings.Repeat("CSC 172,x,y\n", finding.MaxCourseLines+1)} {
		refused(t, must.Err(b.CourseLists.Import(t.Context(), dean, fall, []byte(bad), false)), market.ErrCSV)
	}
	for _, of := range []course.List{{University: "Yale"}, {Term: "fall"}, {University: "?", Term: "a\nb"}} {
		refused(t, must.Err(b.CourseLists.Import(t.Context(), dean, of, []byte("course,title,name\nCSC 172,x,y\n"), false)), course.ErrInvalid)
	}
	refused(t, must.Err(b.CourseLists.Import(t.Context(), ann, fall, file, true)), user.ErrForbidden)
}

func removedList(t *testing.T, b *MarketFixture) {
	dean, ann := b.Join(t, "dean", user.Admin), b.Join(t, "ann", user.Regular)
	b.upload(t, fall, "MTH 165,Algebra,Linear Algebra,,")
	b.choose(t, ann, b.courses(t, ann, finding.Term{}, "")...)
	spring := course.List{University: fall.University, Term: "2027-spring"}
	b.upload(t, course.List{University: "Yale", Term: "2026-fall"}, "ART 1,,,,")
	b.upload(t, spring, "MTH 166,,Topology,,", "MTH 167,,,,")
	all, next := must.Get2(b.CourseLists.List(t.Context(), dean, market.Page{Limit: 2}))(t)
	rest, end := must.Get2(b.CourseLists.List(t.Context(), dean, market.Page{Limit: 2, Cursor: next}))(t)
	if len(all) != 2 || all[0].Term != spring.Term || all[0].Courses != 2 || all[0].Books != 1 || all[1].University != "Yale" || len(rest) != 1 || end != "" {
		t.Errorf("the lists are %+v, then %+v", all, rest)
	}
	terms, err := b.Courses.Terms(t.Context(), ann, "")
	if must.Do(t, err); len(terms) != 2 || terms[0].Term != spring.Term {
		t.Errorf("the terms are %+v", terms)
	}
	if got := codes(b.courses(t, ann, finding.Term{}, "")); got != "MTH 166, MTH 167" {
		t.Errorf("the present term has %s, want that of the newest list", got)
	}
	must.Do(t, b.CourseLists.Remove(t.Context(), dean, course.List{University: "university of rochester", Term: "2026 fall"}))
	refused(t, b.CourseLists.Remove(t.Context(), dean, fall), course.ErrNoList)
	if chosen, err := b.Ports.ListChosenCourses(t.Context(), ann.ID, 0, 10); err != nil || len(chosen) != 0 {
		t.Errorf("still chosen are %+v, %v", chosen, err)
	}
}

func tooManyLists(t *testing.T, b *MarketFixture) {
	err := b.atomically(t, func(ctx context.Context, s Stores) error {
		save := func(i int, term string) error {
			l := course.List{ID: course.ListID(b.IDs.Next()), University: "Yale", Term: term, CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now()}
			return s.Finding.SaveCourseList(ctx, l, []course.Course{{ID: course.ID(b.IDs.Next()), Code: fmt.Sprint("C ", i)}}, 2)
		}
		must.Do(t, save(1, "a"))
		must.Do(t, save(2, "b"))
		must.Do(t, save(3, "A"))
		return save(4, "c")
	})
	refused(t, err, course.ErrTooManyLists)
}

func foundCourses(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.upload(t, fall, "CSC 172,Éléments d'algèbre,,,", "CSC 173,Data Structures,,,", "MTH 165,100% Structures_of,,,", "MTH 1,,,,", "ZH 1,經濟學,,,", "ZH 2,微积分,,,")
	for text, want := range map[string]string{
		"": "CSC 172, CSC 173, MTH 1, MTH 165, ZH 1, ZH 2", "经济": "ZH 1", "經濟": "ZH 1", "微積分": "ZH 2", "csc": "CSC 172, CSC 173", "csc17": "CSC 172, CSC 173", "CSC-173": "CSC 173", "struct": "CSC 173, MTH 165",
		"data csc": "CSC 173", "elem": "CSC 172", "tructures": "", "%": "", "?!": "", "_": "", "100%": "MTH 165", "mth 165": "MTH 165",
	} {
		if got := codes(b.courses(t, ann, finding.Term{}, text)); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	var all []course.Course
	for p := (market.Page{Limit: 3}); ; {
		page, next := must.Get2(b.Courses.Find(t.Context(), ann, finding.Term{}, "", p))(t)
		if all, p.Cursor = append(all, page...), next; next == "" {
			break
		}
	}
	if got := codes(all); got != "CSC 172, CSC 173, MTH 1, MTH 165, ZH 1, ZH 2" {
		t.Errorf("in pages: %s", got)
	}
	if got := b.courses(t, b.JoinAt(t, "eve", "Yale", user.Regular), finding.Term{University: "university-of rochester"}, "data"); len(got) != 1 {
		t.Errorf("another campus finds %+v, want one course", got)
	}
}

func chosenCourses(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var lines []string
	for i := range 21 {
		lines = append(lines, fmt.Sprintf("CSC %d,,,,", 100+i))
	}
	b.upload(t, course.List{University: "Yale", Term: "x"}, "ART 1,,,,")
	b.upload(t, fall, lines...)
	all := b.courses(t, ann, finding.Term{}, "")
	ids := courseIDs(all)
	refused(t, b.Courses.Choose(t.Context(), ann, finding.Term{}, ids), course.ErrInvalid)
	refused(t, b.Courses.Choose(t.Context(), ann, finding.Term{}, []course.ID{ids[0], 7}), course.ErrNotFound)
	art := b.courses(t, ann, finding.Term{University: "Yale"}, "")
	refused(t, b.Courses.Choose(t.Context(), ann, finding.Term{}, courseIDs(art)), course.ErrNotFound)
	refused(t, b.Courses.Choose(t.Context(), ann, finding.Term{Name: "never"}, nil), course.ErrNoList)
	must.Do(t, b.Courses.Choose(t.Context(), ann, finding.Term{}, append(ids[:20:20], ids[0])))
	must.Do(t, b.Courses.Choose(t.Context(), ann, finding.Term{University: "yale"}, courseIDs(art)))
	must.Do(t, b.Courses.Choose(t.Context(), ann, finding.Term{}, ids[18:21]))
	if mine, err := b.Courses.Mine(t.Context(), ann, finding.Term{}); err != nil || codes(mine.Courses) != "CSC 118, CSC 119, CSC 120" {
		t.Errorf("chosen are %+v, %v", mine, err)
	}
	must.Do(t, b.Courses.Choose(t.Context(), ann, finding.Term{}, nil))
	if mine, err := b.Courses.Mine(t.Context(), ann, finding.Term{}); err != nil || len(mine.Courses) != 0 {
		t.Errorf("after all: %+v, %v", mine, err)
	}
	refused(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		return s.Finding.ReplaceChoices(ctx, ann.ID, all[0].List, ids[:2], 2, b.Clock.Now())
	}), course.ErrTooMany)
	if bob, err := b.Courses.Mine(t.Context(), b.Join(t, "bob", user.Regular), finding.Term{}); err != nil || len(bob.Courses) != 0 {
		t.Errorf("another's are %+v, %v", bob, err)
	}
}

func forgottenChoices(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.upload(t, fall, "MTH 161,Calculus I,,,", "CSC 172,,,,")
	for _, who := range []user.Caller{ann, bob} {
		b.choose(t, who, b.courses(t, who, finding.Term{}, "")...)
	}
	if out := b.export(t, ann, 10); len(out.Courses) != 2 || out.Courses[1].Code != "MTH 161" || out.Courses[1].Title != "Calculus I" || out.Courses[1].Term != "2026-fall" || out.Courses[1].ChosenAt.IsZero() {
		t.Errorf("exported %+v", out.Courses)
	}
	b.DeleteUser(t, ann)
	for who, want := range map[user.ID]int{ann.ID: 0, bob.ID: 2} {
		if chosen, err := b.Ports.ListChosenCourses(t.Context(), who, 0, 10); err != nil || len(chosen) != want {
			t.Errorf("%d has chosen %d, want %d: %v", who, len(chosen), want, err)
		}
	}
}

func raceChoices(t *testing.T, b *MarketFixture) {
	dean := b.Join(t, "dean", user.Admin)
	ids := b.uploadMany(t, 3)
	students := b.joinMany(t, 8)
	must.Together(len(students)+1, func(i int) {
		if i == len(students) {
			if err := b.CourseLists.Remove(t.Context(), dean, fall); err != nil {
				t.Errorf("remove: %v", err)
			}
			return
		}
		err := b.Courses.Choose(t.Context(), students[i], finding.Term{}, ids)
		if err != nil && !errors.Is(err, course.ErrNotFound) && !errors.Is(err, course.ErrNoList) {
			t.Errorf("student %d: %v", i, err)
		}
	})
	b.upload(t, fall, "ART 1,,,,")
	for i, s := range students {
		refused(t, b.atomically(t, func(ctx context.Context, st Stores) error {
			return st.Finding.ReplaceChoices(ctx, s.ID, 1, []course.ID{1}, 0, b.Clock.Now())
		}), course.ErrTooMany)
		if chosen, err := b.Ports.ListChosenCourses(t.Context(), s.ID, 0, 10); err != nil || len(chosen) != 0 {
			t.Errorf("student %d has chosen %+v, %v", i, chosen, err)
		}
		must.Do(t, b.atomically(t, func(ctx context.Context, st Stores) error { // counts choices without a course, too
			return st.Finding.ReplaceChoices(ctx, s.ID, 1, nil, 0, b.Clock.Now())
		}))
	}
}
