// Package qrcode draws QR codes as SVG images.
package qrcode

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quiet is the width of the empty border that scanners need, in modules.
const quiet = 4

// Draw returns an image that needs no other file. It has a white background, because scanners do not
// read light modules on a dark page.
func Draw(text string) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; {
			run := 0
			for x+run < code.Size && code.Black(x+run, y) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quiet, y+quiet, run, run)
			}
			x += max(1, run)
		}
	}
	size := code.Size + 2*quiet
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="240" height="240" role="img" shape-rendering="crispEdges">`+
		`<title>QR code</title><path fill="#fff" d="M0 0h%dv%dH0z"/><path fill="#000" d="%s"/></svg>`, size, size, size, size, path.String()), nil
}
