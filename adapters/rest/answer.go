package rest

import (
	"context"
	"net/url"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// answer puts data into the envelope.
func answer[T any](e *Edge, c *gin.Context, data T) wire.Answer[T] {
	return wire.Answer[T]{Data: data, Time: e.clock.Now().UTC(), Method: patternOf(c)}
}

// reply is answer for the generated handlers, whose context is gin's.
func reply[T any](ctx context.Context, e *Edge, data T) wire.Answer[T] {
	return answer(e, ginOf(ctx), data)
}

// empty is the answer that says only that it is done.
func empty(ctx context.Context, e *Edge) restgen.EmptyAnswer {
	return reply(ctx, e, restgen.Empty{})
}

// ginOf finds gin's context in the one that generated code passes on.
func ginOf(ctx context.Context) *gin.Context { return ctx.Value(gin.ContextKey).(*gin.Context) }

// by is who calls; nobody on routes that ask for nobody. Admission has refused
// a bad token already.
func by(ctx context.Context) user.Caller {
	caller, _ := httpx.CallerFrom(ctx)
	return caller
}

// pageOf reads where a page begins and how long it is.
func pageOf(limit *restgen.Limit, cursor *restgen.Cursor) market.Page {
	return market.Page{Limit: valueOr(limit, market.DefaultLimit), Cursor: market.Cursor(valueOr(cursor, ""))}
}

// linkTo is the Link header to the next page, nil if this is the last. It keeps
// the path and parameters of this request.
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

func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// idOf reads an id; 0, which nothing has, for a text that is none.
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

// texts writes ids; never null.
func texts[ID interface{ String() string }](ids []ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}

// each converts a list; never null.
func each[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = convert(v)
	}
	return out
}
