package rest

import (
	"context"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// newEnvelope wraps data in the envelope.
func newEnvelope[T any](h *Handler, c *gin.Context, data T) wire.Envelope[T] {
	return wire.Envelope[T]{Data: data, Time: h.clock.Now().UTC(), Method: patternOf(c)}
}

// respond is newEnvelope for generated handlers, whose context contains gin's.
func respond[T any](ctx context.Context, h *Handler, data T) wire.Envelope[T] {
	return newEnvelope(h, ginOf(ctx), data)
}

// respondEmpty returns the response of operations without data.
func respondEmpty(ctx context.Context, h *Handler) restgen.EmptyAnswer {
	return respond(ctx, h, restgen.Empty{})
}

// enveloped are the generated responses with data and without headers of their own.
type enveloped[T any] interface {
	~struct {
		Data   T         `json:"data"`
		Time   time.Time `json:"time"`
		Method string    `json:"method"`
	}
}

// reply converts what a use case has returned to the response R, unless it has failed.
func reply[R enveloped[T], V, T any](ctx context.Context, h *Handler, v V, err error, of func(V) T) (response R, _ error) {
	if err != nil {
		return response, err
	}
	return R(respond(ctx, h, of(v))), nil
}

// replyEmpty is reply without data.
func replyEmpty[R enveloped[restgen.Empty]](ctx context.Context, h *Handler, err error) (response R, _ error) {
	if err != nil {
		return response, err
	}
	return R(respondEmpty(ctx, h)), nil
}

// paged are the generated responses with a page of a list.
type paged[T any, H linked] interface {
	~struct {
		Body    wire.Envelope[[]T]
		Headers H
	}
}

// linked are their headers.
type linked interface{ ~struct{ Link *string } }

// replyPage is reply for a page of a list, with the link to the next one.
func replyPage[R paged[T, H], H linked, V, T any, C ~string](
	ctx context.Context, h *Handler, all []V, next C, err error, of func(V) T,
) (response R, _ error) {
	if err != nil {
		return response, err
	}
	return R{Body: respond(ctx, h, convertAll(all, of)), Headers: H{Link: linkTo(ctx, next)}}, nil
}

// ginOf returns gin's context from the one that generated code passes on.
func ginOf(ctx context.Context) *gin.Context { return ctx.Value(gin.ContextKey).(*gin.Context) }

// callerOf returns the caller, or nobody on public routes. Validation has already
// refused an invalid token.
func callerOf(ctx context.Context) user.Caller {
	caller, _ := httpx.MarketCallerFrom(ctx)
	return caller
}

// unknownCaller is callerOf for what is the same for everybody. It identifies nobody, which would
// read a store.
func unknownCaller(ctx context.Context) user.Caller {
	return user.Caller{Unknown: httpx.HasCredential(ctx)}
}

// pageOf converts limit and cursor.
func pageOf(limit *restgen.Limit, cursor *restgen.Cursor) market.Page {
	return market.Page{Limit: valueOr(limit, market.DefaultLimit), Cursor: market.Cursor(valueOr(cursor, ""))}
}

// linkTo returns the Link header to the next page, nil after the last page. The link
// has the path and parameters of this request.
func linkTo[C ~string](ctx context.Context, next C) *string {
	if next == "" {
		return nil
	}
	u := ginOf(ctx).Request.URL
	query := u.Query()
	query.Set("cursor", string(next))
	link := "<" + (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: query.Encode()}).String() + `>; rel="next"`
	return &link
}

func valueOr[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// idOf parses an id. It returns 0, which no object has, for an invalid text.
func idOf[ID ~int64](s string) ID {
	n, _ := id.Parse(s)
	return ID(n)
}

func idsOf[ID ~int64](texts []string) []ID {
	ids := make([]ID, 0, len(texts))
	for _, s := range texts {
		if n, ok := id.Parse(s); ok {
			ids = append(ids, ID(n))
		}
	}
	return ids
}

// idStrings formats ids. It returns an empty slice rather than nil, which would be
// null in JSON.
func idStrings[ID interface{ String() string }](ids []ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}

// convertAll converts a slice. It returns an empty slice rather than nil.
func convertAll[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = convert(v)
	}
	return out
}
