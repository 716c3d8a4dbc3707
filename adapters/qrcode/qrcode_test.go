package qrcode_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/qrcode"
	"github.com/octavo-books/octavo/test/must"
	"rsc.io/qr"
)

const uri = "otpauth://totp/Octavo:ann%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Octavo&algorithm=SHA1&digits=6&period=30"

func TestTheImageHasEachDarkModuleInsideAQuietZone(t *testing.T) {
	svg := must.Get(qrcode.Draw(uri))(t)
	var image struct {
		ViewBox string `xml:"viewBox,attr"`
		Paths   []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal([]byte(svg), &image); err != nil || len(image.Paths) != 2 {
		t.Fatalf("%v: %s", err, svg)
	}
	code := must.Get(qr.Encode(uri, qr.M))(t)
	if want := fmt.Sprintf("0 0 %d %d", code.Size+8, code.Size+8); image.ViewBox != want {
		t.Errorf("the view is %s, want %s", image.ViewBox, want)
	}
	dark := map[[2]int]bool{}
	for run := range strings.SplitSeq(strings.TrimSuffix(image.Paths[1].D, "z"), "z") {
		var x, y, n, back int
		if _, err := fmt.Sscanf(run, "M%d %dh%dv1h-%d", &x, &y, &n, &back); err != nil || n != back {
			t.Fatalf("%q: %v", run, err)
		}
		for i := range n {
			dark[[2]int{x + i - 4, y - 4}] = true
		}
	}
	for y := -4; y < code.Size+4; y++ {
		for x := -4; x < code.Size+4; x++ {
			if dark[[2]int{x, y}] != code.Black(x, y) {
				t.Fatalf("module %d, %d is dark: %t", x, y, dark[[2]int{x, y}])
			}
		}
	}
}

func TestATextThatIsTooLongIsRefused(t *testing.T) {
	if svg, err := qrcode.Draw(strings.Repeat("x", 5000)); err == nil {
		t.Errorf("drawn as %.80s", svg)
	}
}
