package config

import (
	"fmt"
	"os"
	"strings"
)

// Secrets are the settings that may be read from a file with NAME_FILE.
var Secrets = []string{
	"DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_READ_URL", "REDIS_URL", "QUEUE_URL", "PUBLIC_KEY", "PRIVATE_KEY", "PREVIOUS_PUBLIC_KEYS", "PREVIOUS_PRIVATE_KEYS", "SMTP_URL", "OIDC_SIGNING_KEY",
	"METRICS_TOKEN", "CACHE_PURGE_TOKEN", "WEBHOOK_SECRET", "WEBHOOK_ADDITIONAL_SECRETS", "WEBHOOK_API_TOKEN", "ALERT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
}

// PrepareEnvironment unsets empty variables, which compose files and shells leave
// behind, and loads the secrets that NAME_FILE names.
func PrepareEnvironment() error {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); value == "" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for _, name := range Secrets {
		if err := loadSecretFile(name); err != nil {
			return err
		}
	}
	return nil
}

func loadSecretFile(name string) error {
	if _, ok := os.LookupEnv(name + "_FILE"); !ok {
		return nil
	}
	if _, both := os.LookupEnv(name); both {
		return fmt.Errorf("%s and %s_FILE are both set; use one", name, name)
	}
	value, err := SecretFromFile(name)
	if err != nil {
		return err
	}
	return os.Setenv(name, value)
}

// SecretFromFile reads the file that NAME_FILE names.
func SecretFromFile(name string) (string, error) {
	content, err := os.ReadFile(os.Getenv(name + "_FILE")) //nolint:gosec // the operator names the file
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(content)), nil
}
