package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
)

func (h *Handler) courseOperations() feature {
	return feature{streams: map[string]gin.HandlerFunc{"/api/dashboard/importCourses": h.importCourses}}
}

// importCourses serves POST /api/dashboard/importCourses.
func (h *Handler) importCourses(c *gin.Context) {
	h.receiveCSV(c, func(ctx context.Context, file []byte) error {
		dryRun, _ := strconv.ParseBool(c.Query("dryRun")) // validated
		out, err := h.CourseLists.Import(
			ctx, callerOf(ctx), course.List{University: c.Query("university"), Term: c.Query("term")}, file, dryRun,
		)
		if err != nil {
			return err
		}
		c.JSON(http.StatusOK, newEnvelope(h, c, restgen.CourseImport{
			University: out.List.University, Term: out.List.Term, Courses: out.List.Courses, Books: out.List.Books,
			Accepted: out.Accepted, Rejected: convertAll(out.Rejected, rejectedOf),
		}))
		return nil
	})
}

// GetCourseLists serves GET /api/dashboard/getCourseLists.
func (h *Handler) GetCourseLists(ctx context.Context, r restgen.GetCourseListsRequestObject) (restgen.GetCourseListsResponseObject, error) {
	all, next, err := h.CourseLists.List(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetCourseLists200JSONResponse](ctx, h, all, next, err, courseListOf)
}

// RemoveCourseList serves POST /api/dashboard/removeCourseList.
func (h *Handler) RemoveCourseList(
	ctx context.Context, r restgen.RemoveCourseListRequestObject,
) (restgen.RemoveCourseListResponseObject, error) {
	err := h.CourseLists.Remove(ctx, callerOf(ctx), course.List{University: r.Body.University, Term: r.Body.Term})
	return replyEmpty[restgen.RemoveCourseList200JSONResponse](ctx, h, err)
}

// GetCourseTerms serves GET /api/user/getCourseTerms.
func (h *Handler) GetCourseTerms(ctx context.Context, r restgen.GetCourseTermsRequestObject) (restgen.GetCourseTermsResponseObject, error) {
	all, err := h.Courses.Terms(ctx, callerOf(ctx), valueOr(r.Params.University, ""))
	if err != nil {
		return nil, err
	}
	return restgen.GetCourseTerms200JSONResponse(respond(ctx, h, convertAll(all, courseListOf))), nil
}

// GetCourses serves GET /api/user/getCourses.
func (h *Handler) GetCourses(ctx context.Context, r restgen.GetCoursesRequestObject) (restgen.GetCoursesResponseObject, error) {
	p := r.Params
	all, next, err := h.Courses.Find(ctx, callerOf(ctx), termOf(p.University, p.Term), valueOr(p.Query, ""), pageOf(p.Limit, p.Cursor))
	return replyPage[restgen.GetCourses200JSONResponse](ctx, h, all, next, err, courseOf)
}

// GetMyCourses serves GET /api/user/getMyCourses.
func (h *Handler) GetMyCourses(ctx context.Context, r restgen.GetMyCoursesRequestObject) (restgen.GetMyCoursesResponseObject, error) {
	mine, err := h.Courses.Mine(ctx, callerOf(ctx), termOf(r.Params.University, r.Params.Term))
	if err != nil {
		return nil, err
	}
	return restgen.GetMyCourses200JSONResponse(respond(ctx, h, convertAll(mine.Courses, func(c course.Course) restgen.MyCourse {
		return restgen.MyCourse{
			Id: c.ID.String(), University: c.University, Term: c.Term, Code: c.Code, Title: c.Title,
			Books: convertAll(c.Books, func(b course.Book) restgen.MyCourseBook { return h.myCourseBookOf(b, mine.ForSale) }),
		}
	}))), nil
}

// SetMyCourses serves POST /api/user/setMyCourses.
func (h *Handler) SetMyCourses(ctx context.Context, r restgen.SetMyCoursesRequestObject) (restgen.SetMyCoursesResponseObject, error) {
	err := h.Courses.Choose(ctx, callerOf(ctx), termOf(r.Body.University, r.Body.Term), convertAll(r.Body.Courses, idOf[course.ID]))
	return replyEmpty[restgen.SetMyCourses200JSONResponse](ctx, h, err)
}

// RequestCourseBooks serves POST /api/user/requestCourseBooks.
func (h *Handler) RequestCourseBooks(
	ctx context.Context, r restgen.RequestCourseBooksRequestObject,
) (restgen.RequestCourseBooksResponseObject, error) {
	out, err := h.Courses.RequestBooks(ctx, callerOf(ctx), convertAll(r.Body.CourseIds, idOf[course.ID]))
	if err != nil {
		return nil, err
	}
	return restgen.RequestCourseBooks201JSONResponse(respond(ctx, h, restgen.CourseRequests{
		Requests: convertAll(out.Made, h.requestOf), Matches: out.Matches,
		Skipped: convertAll(out.Skipped, func(s finding.SkippedBook) restgen.SkippedBook {
			return restgen.SkippedBook{Course: s.Code, Name: s.Name, ISBN: nilIfEmpty(string(s.ISBN)), Reason: string(s.Why)}
		}),
	})), nil
}

// GetUsedBooks serves GET /api/user/getUsedBooks.
func (h *Handler) GetUsedBooks(ctx context.Context, _ restgen.GetUsedBooksRequestObject) (restgen.GetUsedBooksResponseObject, error) {
	all, err := h.Courses.Used(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetUsedBooks200JSONResponse(respond(ctx, h, convertAll(all, func(b finding.UsedBook) restgen.UsedBook {
		one := courseBookOf(b.Book)
		return restgen.UsedBook{Course: b.Code, Name: one.Name, ISBN: one.ISBN, Edition: one.Edition, Term: nilIfEmpty(b.Term)}
	}))), nil
}

// PostBooks serves POST /api/books/postBooks.
func (h *Handler) PostBooks(ctx context.Context, r restgen.PostBooksRequestObject) (restgen.PostBooksResponseObject, error) {
	key, err := idempotencyKeyOf("postBooks", r.Params.IdempotencyKey, r.Body)
	if err != nil {
		return nil, err
	}
	drafts := convertAll(r.Body.Books, func(b restgen.PostBookBody) book.Draft { return h.draftOf(&b) })
	views, replayed, err := h.Listings.PostAll(ctx, callerOf(ctx), key, drafts)
	if err != nil {
		return nil, err
	}
	setReplayedHeader(ctx, replayed)
	return restgen.PostBooks201JSONResponse{Body: respond(ctx, h, convertAll(views, h.bookOf))}, nil
}

func termOf(university, name *string) finding.Term {
	return finding.Term{University: valueOr(university, ""), Name: valueOr(name, "")}
}

func courseListOf(l course.List) restgen.CourseList {
	return restgen.CourseList{
		University: l.University, Term: l.Term, Courses: l.Courses, Books: l.Books,
		CreatedAt: l.CreatedAt.UTC(), UpdatedAt: l.UpdatedAt.UTC(),
	}
}

func courseOf(c course.Course) restgen.TermCourse {
	return restgen.TermCourse{
		Id: c.ID.String(), University: c.University, Term: c.Term, Code: c.Code, Title: c.Title, Books: convertAll(c.Books, courseBookOf),
	}
}

func courseBookOf(b course.Book) restgen.CourseBook {
	out := restgen.CourseBook{Name: b.Name, ISBN: nilIfEmpty(string(b.ISBN))}
	if b.Edition != 0 {
		out.Edition = &b.Edition
	}
	return out
}

func (h *Handler) myCourseBookOf(b course.Book, forSale map[book.ISBN]finding.TitleSummary) restgen.MyCourseBook {
	one := courseBookOf(b)
	out := restgen.MyCourseBook{Name: one.Name, ISBN: one.ISBN, Edition: one.Edition}
	if s, ok := forSale[b.ISBN]; ok {
		lowest := h.money(s.Lowest)
		out.ForSale, out.MoreForSale, out.LowestPrice = s.Copies.N, s.Copies.More, &lowest
	}
	return out
}
