package main

import (
	"strings"
	"testing"
)

func TestTheTableCountsTheTestsOfEachSuiteAndShowsItsFirstError(t *testing.T) {
	got := table{}
	if err := got.read(strings.NewReader(`{"Action":"start","Package":"octavo/marketstore"}
{"Action":"pass","Package":"octavo/marketstore","Test":"TestMarket/sqlite/carts/an_empty_cart"}
{"Action":"pass","Package":"octavo/marketstore","Test":"TestMarket/postgres/carts/an_empty_cart"}
{"Action":"output","Package":"octavo/marketstore","Test":"TestMarket/postgres/carts/a_full_cart","Output":"=== RUN\n"}
{"Action":"output","Package":"octavo/marketstore","Test":"TestMarket/postgres/carts/a_full_cart","Output":"    carts.go:7: no | lock (SQLSTATE 0A000)\n"}
{"Action":"fail","Package":"octavo/marketstore","Test":"TestMarket/postgres/carts/a_full_cart"}
{"Action":"fail","Package":"octavo/marketstore","Test":"TestMarket/postgres/carts"}
{"Action":"fail","Package":"octavo/marketstore","Test":"TestMarket/postgres"}
{"Action":"pass","Package":"octavo/marketstore","Test":"TestPlans/postgres"}
{"Action":"fail","Package":"octavo/marketstore"}
`)); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	tests, failed := got.write(&text)
	want := `| suite | tests | failed | first error |
|---|---|---|---|
| marketstore TestMarket: carts | 2 | 1 | no \| lock (SQLSTATE 0A000) |
| marketstore TestPlans | 1 | 0 |  |
`
	if text.String() != want || tests != 3 || failed != 1 {
		t.Errorf("%d of %d failed:\n%s\nwant:\n%s", failed, tests, text.String(), want)
	}
}
