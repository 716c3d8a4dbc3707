package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

type handler struct {
	log       *slog.Logger
	limits    limits
	schema    graphql.ExecutableSchema
	exec      *executor.Executor
	documents *cache[*ast.QueryDocument]
	persisted *cache[string]
	cookies   httpx.Cookies
	sdl       httpx.StaticFile
	explorer  *explorer // nil outside development
	observe   func(ctx context.Context, operation, code string)
}

// ServeHTTP executes one operation, or answers GET of a file. A request that is refused as a
// whole gets a 4xx status. Once something was executed the status is 200, or 503 if there is
// no data because a dependency is down.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet && h.serveFile(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		writeErrors(w, http.StatusMethodNotAllowed, refuse(0, badRequest, "Operations are sent by POST.").err)
		return
	}
	req, err := readRequest(w, r)
	if err != nil {
		h.refuse(w, err)
		return
	}
	h.operate(w, r, req)
}

// serveFile reports whether the request is for a file, and answers it.
func (h *handler) serveFile(w http.ResponseWriter, r *http.Request) bool {
	var err error
	switch {
	case r.URL.Path == SchemaPath:
		h.sdl.ServeHTTP(w, r)
	case h.explorer != nil && !r.URL.Query().Has("query"):
		err = h.explorer.serve(w, r)
	default:
		return false
	}
	if err != nil {
		h.refuse(w, h.refusal(r.Context(), err))
	}
	return true
}

func (h *handler) operate(w http.ResponseWriter, r *http.Request, req request) {
	ctx := withBrowser(graphql.StartOperationTrace(r.Context()), &browserSession{w: w, r: r, cookies: h.cookies})
	defer func() {
		if p := recover(); p != nil {
			writeErrors(w, http.StatusInternalServerError, present(ctx, h.recovered(ctx, p)))
		}
	}()
	op, err := h.prepare(ctx, req)
	if err != nil {
		h.refuse(w, err)
		return
	}
	responses, ctx := h.exec.DispatchOperation(ctx, op)
	res := responses(ctx)
	if res == nil { // the request was cancelled or its deadline has passed
		Refuse(w, r, errTooLate)
		return
	}
	writeResponse(w, res)
}

var (
	errTooLate = fault.New(fault.Unavailable, "unavailable", "This took too long. Please try again.")
	errNoFile  = fault.New(fault.NotFound, "not_found", "There is no such file.")
)

// prepare loads, limits, parses and validates the operation.
func (h *handler) prepare(ctx context.Context, req request) (*graphql.OperationContext, error) {
	if err := h.resolvePersisted(ctx, &req); err != nil {
		return nil, err
	}
	if _, known := h.documents.Get(ctx, req.query); !known {
		if err := h.limits.check(req.query); err != nil {
			return nil, err
		}
	}
	op, errs := h.exec.CreateOperationContext(ctx, &graphql.RawParams{
		Query: req.query, OperationName: req.operationName, Variables: req.variables,
	})
	if len(errs) > 0 {
		return nil, h.invalid(errs)
	}
	op.DisableIntrospection = !h.limits.introspection
	if complexity.Calculate(ctx, h.schema, op.Operation, op.Variables) > maxCost {
		return nil, errTooComplex
	}
	if req.persisted != nil && len(req.query) <= maxKeptDocument {
		h.persisted.Add(ctx, req.persisted.Sha256Hash, req.query)
	}
	return op, nil
}

var (
	errPersistedVersion = refuse(http.StatusBadRequest, badRequest, "This version of persisted queries is not supported.")
	errPersistedHash    = refuse(http.StatusBadRequest, badRequest, "The hash does not match the query.")
	// The protocol fixes this message and the status 200: the client then sends the document.
	errPersistedUnknown = refuse(http.StatusOK, notFound, "PersistedQueryNotFound")
)

// resolvePersisted loads the document of a persisted query, or checks the hash of the
// document that was sent with it.
func (h *handler) resolvePersisted(ctx context.Context, req *request) error {
	if req.persisted == nil {
		return nil
	}
	if req.persisted.Version != 1 {
		return errPersistedVersion
	}
	if req.query != "" {
		if sum := sha256.Sum256([]byte(req.query)); hex.EncodeToString(sum[:]) != req.persisted.Sha256Hash {
			return errPersistedHash
		}
		return nil
	}
	query, ok := h.persisted.Get(ctx, req.persisted.Sha256Hash)
	if !ok {
		return errPersistedUnknown
	}
	req.query = query
	return nil
}

// invalid reports a document, or variables, that do not match the schema.
func (h *handler) invalid(errs gqlerror.List) error {
	first := *errs[0]
	first.Extensions = map[string]any{"code": badRequest}
	if !h.limits.introspection {
		first.Message = withoutSuggestion(first.Message)
	}
	return &refusal{http.StatusBadRequest, &first}
}

// resolve wraps every resolver and counts the operations.
func (h *handler) resolve(ctx context.Context, next graphql.Resolver) (any, error) {
	f := graphql.GetFieldContext(ctx)
	if !mayRead(f) {
		return hidden(f)
	}
	res, err := next(ctx)
	err = h.refusal(ctx, err)
	if f.Object == "Query" || f.Object == "Mutation" {
		code := "OK"
		if err != nil {
			code, _ = extensions(err)["code"].(string)
		}
		h.observe(ctx, f.Field.Name, code)
	}
	return res, err
}

// refusal returns errors of the core as they are. It logs any other error and returns
// httpx.ErrInternal.
func (h *handler) refusal(ctx context.Context, err error) error {
	switch {
	case err == nil, fault.As(err) != nil:
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errTooLate
	}
	h.log.ErrorContext(ctx, "a resolver failed", "path", graphql.GetPath(ctx).String(), "error", err)
	return httpx.ErrInternal
}

func (h *handler) recovered(ctx context.Context, p any) error {
	h.log.ErrorContext(ctx, "a resolver panicked", "panic", p, "stack", string(debug.Stack()))
	return httpx.ErrInternal
}

func (h *handler) refuse(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		Refuse(w, nil, err)
		return
	}
	writeErrors(w, r.status, r.err)
}

func writeErrors(w http.ResponseWriter, status int, errs ...*gqlerror.Error) {
	writeJSON(w, status, struct {
		Errors gqlerror.List `json:"errors"`
	}{errs})
}

func writeResponse(w http.ResponseWriter, res *graphql.Response) {
	status := http.StatusOK
	if string(res.Data) == "null" {
		for _, err := range res.Errors {
			if err.Extensions["code"] == unavailable {
				status = http.StatusServiceUnavailable
				w.Header().Set("Retry-After", fmt.Sprint(err.Extensions["retryAfter"]))
			}
		}
	}
	writeJSON(w, status, res)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	b, err := json.Marshal(body)
	if err != nil { // cannot happen: everything here marshals
		status, b = http.StatusInternalServerError, []byte(`{"errors":[{"message":"Something went wrong.","extensions":{"code":"INTERNAL"}}]}`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
