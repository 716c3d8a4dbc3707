package wire

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestExponentsAndRedundantZerosAreRemoved(t *testing.T) {
	long := strings.Repeat("0", 100_000)
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "0.0e9": "0", "0e99999999999999999999": "0", "7": "7", "-7": "-7", "100": "100", "12.50": "12.5", "0.01": "0.01",
		"1e2": "100", "1E+2": "100", "5.000": "5", "0.1e1": "1", "1.0": "1", "100e-2": "1", "125e-2": "1.25", "1e-2": "0.01", "-2.50e1": "-25",
		"1756684800000.0": "1756684800000", "1.7566848e12": "1756684800000", "16777217.01": "16777217.01", "9007199254740993": "9007199254740993",
		"1." + long: "1", "0." + long + "1e100001": "1", "1" + long + "e-100000": "1",
		"1e999999999": "1e999999999", "1e-31": "1e-31", "1e9223372036854775807": "1e9223372036854775807", "-1e31": "-1e31",
	} {
		if got := string(normalizeNumber(json.Number(in))); got != want {
			t.Errorf("%.50s is written %.50s, want %s", in, got, want)
		}
	}
}

func TestNumbersKeepTheirExactValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
		out := string(normalizeNumber(json.Number(in)))
		before, _ := new(big.Rat).SetString(in)
		after, ok := new(big.Rat).SetString(out)
		if !ok || before.Cmp(after) != 0 {
			t.Fatalf("%s became %s", in, out)
		}
		if out != in && strings.ContainsAny(out, "eE") || !json.Valid([]byte(out)) {
			t.Fatalf("%s became %s", in, out)
		}
	})
}
