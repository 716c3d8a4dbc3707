package ginserver_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/test/must"
)

func routes() http.Handler {
	e := ginserver.NewEngine()
	e.GET("/", func(c *gin.Context) { c.String(200, "root") })
	e.GET("/search/:query", func(c *gin.Context) { c.String(200, "%s", c.Param("query")) })
	e.GET("/search/public/:query", func(c *gin.Context) { c.String(200, "public %s", c.Param("query")) })
	e.POST("/both", func(c *gin.Context) { c.Status(204) })
	e.GET("/both", func(c *gin.Context) { c.Status(204) })
	e.GET("/own", func(c *gin.Context) { c.Status(204) })
	e.HEAD("/own", func(c *gin.Context) { c.Status(204) })
	e.POST("/books", func(c *gin.Context) { c.String(201, "posted") })
	return ginserver.Handler(e)
}

func TestPathsAreDecodedOnceAndNeverRedirected(t *testing.T) {
	h := routes()
	for _, c := range []struct {
		method, target string
		code           int
		body           string
	}{
		{"GET", "/", 200, "root"},
		{"GET", "/search/C%2FC%2B%2B", 200, "C/C++"},
		{"GET", "/search/C++%2FC", 200, "C++/C"},
		{"GET", "/search/a+b", 200, "a+b"},
		{"GET", "/search/100%25", 200, "100%"},
		{"GET", "/search/100%2525", 200, "100%25"},
		{"GET", "/search/%C3%A9t%C3%A9/", 200, "été"},
		{"GET", "/search/a%2F/", 200, "a/"},
		{"GET", "/search/public/x", 200, "public x"},
		{"GET", "/search/public", 200, "public"},
		{"POST", "/books/", 201, "posted"},
		{"HEAD", "/search/x", 200, "x"},
		{"HEAD", "/books", 405, ""},
		{"GET", "/nowhere/", 404, ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
		if w.Code != c.code || c.body != "" && w.Body.String() != c.body {
			t.Errorf("%s %s: %d %q, want %d %q", c.method, c.target, w.Code, w.Body, c.code, c.body)
		}
	}
}

func TestAWrongMethodIsAnsweredWithTheAllowedOnes(t *testing.T) {
	for _, c := range []struct{ method, target, allow string }{
		{"DELETE", "/books", "POST"},
		{"HEAD", "/books", "POST"},
		{"POST", "/search/x", "GET, HEAD"},
		{"DELETE", "/own", "GET, HEAD"},
		{"DELETE", "/both", "GET, HEAD, POST"},
	} {
		w := httptest.NewRecorder()
		routes().ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
		if w.Code != 405 || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q", c.method, c.target, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestTheRouteIsRecordedAndItsContextEndsWithTheRequest(t *testing.T) {
	var observed httpx.RequestInfo
	m, err := httpx.NewMiddleware(httpx.Config{Cookies: httpx.CookieConfig{SameSite: http.SameSiteLaxMode}},
		httpx.Options{Log: slog.New(slog.DiscardHandler), Observe: func(_ context.Context, info httpx.RequestInfo) { observed = info }})
	must.Do(t, err)
	e := ginserver.NewEngine()
	e.GET("/book/:id", func(c *gin.Context) {
		<-c.Done()
		c.Status(http.StatusTeapot)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest("GET", "/book/7/", nil).WithContext(ctx)
	m.Wrap(ginserver.Handler(e)).ServeHTTP(httptest.NewRecorder(), r)
	if observed.Route != "/book/:id" || observed.Status != http.StatusTeapot {
		t.Errorf("observed %+v", observed)
	}
}

func start(t *testing.T, h http.Handler) (*ginserver.Server, string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := ginserver.NewServer(h, ginserver.MaxDrain, slog.New(slog.DiscardHandler))
	s.Start(l)
	return s, "http://" + l.Addr().String()
}

func TestStopWaitsForOpenRequests(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	s, url := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-httpx.Draining(r.Context())
		<-release
		_, _ = io.WriteString(w, "whole")
	}))
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get(url)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(context.Background()) }()
	close(release)
	if got := <-answer; got != "whole" {
		t.Errorf("answered %q", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(url); err == nil {
		t.Error("still listening")
	}
}

func TestStopCutsOffRequestsThatDoNotEnd(t *testing.T) {
	begun := make(chan struct{})
	s, url := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}))
	done := make(chan error, 1)
	go func() {
		_, err := http.Get(url)
		done <- err
	}()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("a request without an answer succeeded")
	}
}

func TestAStoppedServerReportsNoFailure(t *testing.T) {
	s, url := start(t, http.NotFoundHandler())
	res := must.Get(http.Get(url))(t)
	_ = res.Body.Close()
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case err := <-s.Failed():
		t.Errorf("reported %v", err)
	default:
	}
}

func TestAnEncodedSlashAtTheEndBelongsToTheParameter(t *testing.T) {
	e := ginserver.NewEngine()
	e.GET("/search/:query", func(c *gin.Context) { c.String(200, "%s", c.Param("query")) })
	h := ginserver.Handler(e)
	for path, want := range map[string]string{
		"/search/C%2F": "C/", "/search/C%2F/": "C/", "/search/%2F": "/", "/search/C/": "C", "/search/C": "C",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s answered %d %q, want %q", path, w.Code, w.Body, want)
		}
	}
}
