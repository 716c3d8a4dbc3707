package body

import (
	"encoding/json"
	"testing"
)

func TestNestedNumbersAreNormalizedToo(t *testing.T) {
	object, err := ParseObject([]byte(`{"date":{"year":2.026e3,"month":9.0},"ids":[1e1,"1e1",null,true]}`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(object)
	if want := `{"date":{"month":9,"year":2026},"ids":[10,"1e1",null,true]}`; err != nil || string(b) != want {
		t.Errorf("became %s, %v", b, err)
	}
}
