//go:build pins

// Package pins keeps versions while the packages that need them are written.
package pins

import (
	_ "github.com/99designs/gqlgen/graphql/handler"
	_ "github.com/99designs/gqlgen/graphql/handler/extension"
	_ "github.com/99designs/gqlgen/graphql/handler/lru"
	_ "github.com/99designs/gqlgen/graphql/handler/transport"
	_ "github.com/alecthomas/kong"
	_ "github.com/anishathalye/porcupine"
	_ "github.com/chromedp/chromedp"
	_ "github.com/emersion/go-smtp"
	_ "github.com/getkin/kin-openapi/openapi3filter"
	_ "github.com/gin-gonic/gin"
	_ "github.com/golang-jwt/jwt/v5"
	_ "github.com/mileusna/useragent"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/strictmiddleware/gin"
	_ "github.com/pressly/goose/v3"
	_ "github.com/pressly/goose/v3/lock"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/wneessen/go-mail"
	_ "go.uber.org/fx"
	_ "golang.org/x/crypto/bcrypt"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/text/unicode/norm"
	_ "golang.org/x/time/rate"
	_ "gopkg.in/yaml.v3"
	_ "gorm.io/driver/postgres"
	_ "gorm.io/gorm"
	_ "modernc.org/sqlite"
	_ "pgregory.net/rapid"
)
