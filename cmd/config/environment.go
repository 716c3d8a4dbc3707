package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Secrets are the settings that may be read from a file with NAME_FILE.
var Secrets = []string{
	"DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_READ_URL", "REDIS_URL", "QUEUE_URL", "PUBLIC_KEY", "PRIVATE_KEY",
	"PREVIOUS_PUBLIC_KEYS", "PREVIOUS_PRIVATE_KEYS", "SMTP_URL", "OIDC_SIGNING_KEY", "PREVIOUS_OIDC_KEYS", "NEXT_OIDC_KEY", "SAML_KEY",
	"SAML_OTHER_KEYS",
	"SCIM_TOKEN", "METRICS_TOKEN", "CACHE_PURGE_TOKEN", "WEBHOOK_SECRET", "WEBHOOK_ADDITIONAL_SECRETS", "WEBHOOK_API_TOKEN", "ALERT_URL",
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
}

// Names returns the environment variables of all settings.
func Names() []string {
	var names []string
	all := reflect.TypeFor[Settings]()
	for i := range all.NumField() {
		group := all.Field(i).Type
		if group.Kind() != reflect.Struct {
			continue
		}
		for j := range group.NumField() {
			if name := group.Field(j).Tag.Get("env"); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// PrepareEnvironment takes the quotes off the values of settings, unsets empty variables, which
// compose files and shells leave behind, and loads the secrets that NAME_FILE names. The error
// names every secret that could not be loaded; its variable is then unset.
func PrepareEnvironment() error {
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if err := prepareVariable(name, value); err != nil {
			return err
		}
	}
	var errs []error
	for _, name := range Secrets {
		errs = append(errs, loadSecretFile(name))
	}
	return Together(errs...)
}

func prepareVariable(name, value string) error {
	if plain := unquoted(value); plain != value && takesValue(name) {
		if err := os.Setenv(name, plain); err != nil {
			return err
		}
		value = plain
	}
	if value == "" {
		return os.Unsetenv(name)
	}
	return nil
}

// unquoted takes off one pair of quotes, which an env file has for a shell, and which container
// engines pass on.
func unquoted(value string) string {
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}

// takesValue reports whether a variable is one of a setting. Other programs may need the quotes
// of theirs.
func takesValue(name string) bool {
	secret, inFile := strings.CutSuffix(name, "_FILE")
	return slices.Contains(Names(), name) || strings.HasPrefix(name, "OTEL_") || inFile && slices.Contains(Secrets, secret)
}

func loadSecretFile(name string) error {
	if _, ok := os.LookupEnv(name + "_FILE"); !ok {
		return nil
	}
	if _, both := os.LookupEnv(name); both {
		return Errorf(name+"_FILE", "%s and %s_FILE are both set; use one", name, name)
	}
	value, err := SecretFromFile(name)
	if err != nil {
		return err
	}
	return os.Setenv(name, value)
}

// SecretFromFile reads the file that NAME_FILE names. Only secrets of a rotation may be empty: without any
// other the program would do something else than its operator thinks.
func SecretFromFile(name string) (string, error) {
	path := os.Getenv(name + "_FILE")
	content, err := readSecret(path, secretTimeout)
	if err != nil {
		return "", Errorf(name+"_FILE", "%v", err)
	}
	text, err := plainText(content)
	if err == nil && text == "" && !slices.Contains(rotated, name) {
		err = errEmpty
	}
	if err != nil {
		return "", Errorf(name+"_FILE", "%s %v", path, err)
	}
	return text, nil
}

// rotated are the secrets that are needed only while another one is replaced.
var rotated = []string{
	"PREVIOUS_PUBLIC_KEYS", "PREVIOUS_PRIVATE_KEYS", "PREVIOUS_OIDC_KEYS", "NEXT_OIDC_KEY", "SAML_OTHER_KEYS", "WEBHOOK_ADDITIONAL_SECRETS",
}

var errEmpty = errors.New("is empty")

// The limits of a file with a secret.
const (
	maxSecretFile = 1 << 20 // bytes
	secretTimeout = 20 * time.Second
)

// readSecret reads a file, which may be a pipe. One without an end is given up.
func readSecret(path string, within time.Duration) (string, error) {
	var text string
	read := make(chan error, 1)
	go func() {
		var err error
		text, err = readUpTo(path, maxSecretFile)
		read <- err
	}()
	select {
	case err := <-read:
		return text, err
	case <-time.After(within):
		return "", fmt.Errorf("%s did not end within %s", path, within)
	}
}

// byteOrderMark is what editors on Windows write at the beginning of a file.
const byteOrderMark = "\ufeff"

var errUTF16 = errors.New("is in UTF-16; save it as UTF-8")

// plainText returns the text of a file without the blanks around it.
func plainText(text string) (string, error) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return "", errUTF16
	}
	return strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark)), nil
}
