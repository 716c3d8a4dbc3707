package operations

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// Profiles serves pprof under /debug/pprof/. Serve it on a loopback address only:
// profiles reveal file paths and slow the program down.
func Profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// ProfileServer serves Profiles at an address of its own.
type ProfileServer struct {
	Addr   string
	Guard  func(http.Handler) http.Handler // keeps others than this machine away
	Log    *slog.Logger
	server http.Server
}

// Start begins to serve.
func (p *ProfileServer) Start(ctx context.Context) error {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", p.Addr)
	if err != nil {
		return err
	}
	p.server.Handler, p.server.ReadHeaderTimeout = p.Guard(Profiles()), 10*time.Second
	p.Log.Info("profiles are served", "url", "http://"+l.Addr().String()+"/debug/pprof/")
	go func() { _ = p.server.Serve(l) }()
	return nil
}

// Close ends it.
func (p *ProfileServer) Close() error { return p.server.Close() }
