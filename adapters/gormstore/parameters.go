package gormstore

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// parameterTypes are the types of Go that statements get as parameters, with Postgres' names. A named
// type counts as the one that it is made of. Only without prepared statements they matter: then no
// answer of Postgres tells a parameter's type. The program is built without pgx' own list of 57 types
// and their arrays, which takes 1.5 MB; see Taskfile.yml.
var parameterTypes = []struct {
	value any
	name  string
}{
	{false, "bool"}, {"", "text"}, {[]byte(nil), "bytea"}, {time.Time{}, "timestamptz"},
	{int(0), "int8"}, {int8(0), "int8"}, {int16(0), "int2"}, {int32(0), "int4"}, {int64(0), "int8"},
	{uint(0), "numeric"}, {uint8(0), "int8"}, {uint16(0), "int8"}, {uint32(0), "int8"}, {uint64(0), "numeric"},
	{float32(0), "float4"}, {float64(0), "float8"},
	{[]string(nil), "_text"}, {[]int(nil), "_int8"}, {[]int64(nil), "_int8"}, {[][]byte(nil), "_bytea"},
}

// nameParameters tells a connection the types of parameters.
func nameParameters(_ context.Context, c *pgx.Conn) error {
	for _, t := range parameterTypes {
		c.TypeMap().RegisterDefaultPgType(t.value, t.name)
	}
	return nil
}

// prepares reports whether connections prepare statements.
func prepares(settings *pgx.ConnConfig) bool {
	return settings.DefaultQueryExecMode != pgx.QueryExecModeExec && settings.DefaultQueryExecMode != pgx.QueryExecModeSimpleProtocol
}

// postgresConnector makes the connections of a pool.
func postgresConnector(settings *pgx.ConnConfig) driver.Connector {
	if prepares(settings) {
		return stdlib.GetConnector(*settings)
	}
	return stdlib.GetConnector(*settings, stdlib.OptionAfterConnect(nameParameters))
}
