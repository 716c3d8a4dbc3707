// Package metrics exposes Prometheus metrics.
package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics holds a registry with the collectors of the Go runtime and the process,
// octavo_http_requests_total{method,route,status},
// octavo_http_request_seconds{route} and octavo_graphql_operations_total{operation,code}.
// The last exists because most GraphQL failures have the HTTP status 200.
type Metrics struct {
	log        *slog.Logger
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	operations *prometheus.CounterVec
}

// New returns metrics for the given version of the program. What cannot be measured is logged.
func New(version string, log *slog.Logger) *Metrics {
	m := &Metrics{
		log:      log,
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_http_requests_total", Help: "Requests by method, route and status.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octavo_http_request_seconds", Help: "Duration of requests, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_graphql_operations_total", Help: "GraphQL operations by name and result code.",
		}, []string{"operation", "code"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "octavo_build_info", Help: "Always 1; the label has the running version.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.operations, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Observe counts one request. Requests without a matching route share one label,
// so the number of routes bounds the number of series.
func (m *Metrics) Observe(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(methodLabel(method), route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// ObserveOperation counts one GraphQL operation.
func (m *Metrics) ObserveOperation(operation, code string) {
	m.operations.WithLabelValues(operation, code).Inc()
}

// methodLabel keeps methods that clients invent out of the labels.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// Handler serves the metrics to requests with the bearer token. If token is empty,
// it serves them to requests for which local returns true.
func (m *Metrics) Handler(token string, local func(*http.Request) bool) http.Handler {
	return Guard(token, local, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 3, Timeout: 10 * time.Second}))
}

// Guard lets those pass who may read the metrics: with the token or, if there is none, from this machine.
func Guard(token string, local func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case token == "" && !local(r):
			http.Error(w, "Metrics are available only from this machine. Set METRICS_TOKEN to allow remote access.", http.StatusForbidden)
		case token != "" && !hasToken(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Send METRICS_TOKEN as a bearer token to read the metrics.", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hasToken compares in constant time.
func hasToken(r *http.Request, token string) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
