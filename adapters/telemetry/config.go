package telemetry

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
)

// Config says whether and where spans go.
type Config struct {
	On       bool
	Console  bool   // they are written for people to see
	Endpoint string // else where a collector takes them over HTTP
	Headers  map[string]string
	Timeout  time.Duration // of one try

	propagator propagation.TextMapPropagator
	room       int // how many spans may be under way
}

// SettingError is a variable that cannot be meant.
type SettingError struct{ Name, Why string }

func (r SettingError) Error() string { return r.Name + ": " + r.Why }

const protocol = "http/protobuf"

// Read understands the standard variables of OpenTelemetry, through a function
// like os.Getenv. Traces are on where OTEL_TRACES_EXPORTER says otlp or console, or
// where an endpoint is set; OTEL_TRACES_EXPORTER=none and OTEL_SDK_DISABLED=true
// turn them off. OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER,
// OTEL_BSP_* and OTEL_SPAN_* are read by the SDK itself. Anything refused is a SettingError.
func Read(env func(string) string) (Config, error) {
	c := Config{Endpoint: env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), Timeout: 10 * time.Second}
	if base := env("OTEL_EXPORTER_OTLP_ENDPOINT"); c.Endpoint == "" && base != "" {
		c.Endpoint = strings.TrimRight(base, "/") + "/v1/traces"
	}
	exporter := env("OTEL_TRACES_EXPORTER")
	switch exporter {
	case "", "none", "otlp", "console":
	default:
		return c, SettingError{"OTEL_TRACES_EXPORTER", fmt.Sprintf("%q is none of otlp, console, none", exporter)}
	}
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && c.Endpoint == "" {
		return Config{}, nil
	}
	c.On, c.Console, c.room = true, exporter == "console", readRoom(env)
	if c.Endpoint == "" {
		c.Endpoint = "http://localhost:4318/v1/traces"
	}
	for _, read := range []func(func(string) string) error{c.readPropagators, readSampler, c.readCollector} {
		if err := read(env); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// readCollector reads how to speak to the collector; what holds for traces alone
// goes before what holds for all signals.
func (c *Config) readCollector(env func(string) string) error {
	if c.Console {
		return nil
	}
	if u, err := url.Parse(c.Endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return SettingError{"OTEL_EXPORTER_OTLP_ENDPOINT", "is not an address such as http://localhost:4318"}
	}
	if name, value := either(env, "PROTOCOL"); value != "" && value != protocol {
		return SettingError{name, fmt.Sprintf("%q is not spoken here, only %s (a collector's port 4318)", value, protocol)}
	}
	if name, value := either(env, "TIMEOUT"); value != "" {
		ms, err := strconv.Atoi(value)
		if err != nil || ms < 1 || ms > 60_000 {
			return SettingError{name, fmt.Sprintf("%q is not a number of milliseconds from 1 to 60000", value)}
		}
		c.Timeout = time.Duration(ms) * time.Millisecond
	}
	name, value := either(env, "HEADERS")
	var ok bool
	if c.Headers, ok = parseHeaders(value); !ok {
		return SettingError{name, "is not name=value,name=value"} // it may be a secret
	}
	return nil
}

func either(env func(string) string, what string) (name, value string) {
	for _, name = range []string{"OTEL_EXPORTER_OTLP_TRACES_" + what, "OTEL_EXPORTER_OTLP_" + what} {
		if value = env(name); value != "" {
			return name, value
		}
	}
	return name, ""
}

func parseHeaders(text string) (map[string]string, bool) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		name = strings.TrimSpace(name)
		if !found || err != nil || name == "" || strings.ContainsAny(name, " :\t\r\n") || strings.ContainsAny(decoded, "\r\n") {
			return nil, false
		}
		headers[name] = decoded
	}
	return headers, true
}

func (c *Config) readPropagators(env func(string) string) error {
	text := env("OTEL_PROPAGATORS")
	if text == "" {
		text = "tracecontext,baggage"
	}
	var all []propagation.TextMapPropagator
	for name := range strings.SplitSeq(text, ",") {
		switch strings.TrimSpace(name) {
		case "tracecontext":
			all = append(all, propagation.TraceContext{})
		case "baggage":
			all = append(all, propagation.Baggage{})
		case "none":
		default:
			return SettingError{"OTEL_PROPAGATORS", fmt.Sprintf("%q is none of tracecontext, baggage, none", name)}
		}
	}
	c.propagator = propagation.NewCompositeTextMapPropagator(all...)
	return nil
}

var samplers = []string{
	"", "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio",
}

// readSampler refuses what the SDK would put its default in the place of.
func readSampler(env func(string) string) error {
	sampler, share := env("OTEL_TRACES_SAMPLER"), env("OTEL_TRACES_SAMPLER_ARG")
	if !slices.Contains(samplers, sampler) {
		return SettingError{"OTEL_TRACES_SAMPLER", fmt.Sprintf("%q is none of %s", sampler, strings.Join(samplers[1:], ", "))}
	}
	if f, err := strconv.ParseFloat(share, 64); strings.HasSuffix(sampler, "traceidratio") && share != "" && (err != nil || !(f >= 0 && f <= 1)) {
		return SettingError{"OTEL_TRACES_SAMPLER_ARG", fmt.Sprintf("%q is not a share from 0 to 1", share)}
	}
	return nil
}
