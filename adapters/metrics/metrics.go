// Package metrics counts what the program does, for Prometheus.
package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics holds the program's own registry: the runtime's, the process's,
// octavo_http_requests_total{method,route,status},
// octavo_http_request_seconds{route} and, because over GraphQL most failures
// have the status 200, octavo_graphql_operations_total{operation,code}.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	operations *prometheus.CounterVec
}

// New makes an empty registry and says which version runs.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_http_requests_total", Help: "Requests by method, route and status.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octavo_http_request_seconds", Help: "Time to answer a request, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_graphql_operations_total", Help: "GraphQL operations by name and the code they ended with.",
		}, []string{"operation", "code"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "octavo_build_info", Help: "1, with the version that runs.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.operations, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Registry is where other parts register what they count.
func (m *Metrics) Registry() prometheus.Registerer { return m.registry }

// Observe counts one request. The number of series is bounded by the program's
// routes: what no route served is counted together.
func (m *Metrics) Observe(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(known(method), route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// ObserveOperation counts one GraphQL operation.
func (m *Metrics) ObserveOperation(operation, code string) {
	m.operations.WithLabelValues(operation, code).Inc()
}

func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// Handler serves the metrics to whoever presents the token as a bearer, or,
// when the token is empty, to whom local lets in.
func (m *Metrics) Handler(token string, local func(*http.Request) bool) http.Handler {
	serve := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 3, Timeout: 10 * time.Second})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case token == "" && !local(r):
			http.Error(w, "The metrics are for this machine alone; METRICS_TOKEN opens them.", http.StatusForbidden)
		case token != "" && !bears(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "The metrics need METRICS_TOKEN as a bearer token.", http.StatusUnauthorized)
		default:
			serve.ServeHTTP(w, r)
		}
	})
}

func bears(r *http.Request, token string) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
