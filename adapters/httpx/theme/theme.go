// Package theme holds the colours and measures that the style sheets of all pages share, as
// variables of CSS for a light and a dark theme.
package theme

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
)

//go:embed theme.css
var standard string

// minContrast is what WCAG 2, level AA, demands of text.
const minContrast = 4.5

// The colours of theme.css that others must contrast with.
var (
	white        = color{0xff, 0xff, 0xff}
	black        = color{}
	lightSurface = color{0xf1, 0xef, 0xe8} // the darkest background of the light theme
	darkSurface  = color{0x21, 0x26, 0x2a} // the lightest background of the dark theme
	darkText     = color{0x10, 0x15, 0x1a} // on buttons in the dark theme
)

// CSS returns the variables. accent, as #rrggbb, replaces the colour of buttons and links; ""
// leaves them as they are. White text needs a contrast of 4.5:1 on it. Links on a grey surface
// and the dark theme get shades of it that are dark or light enough.
func CSS(accent string) ([]byte, error) {
	if accent == "" {
		return []byte(standard), nil
	}
	c, err := parse(accent)
	if err != nil {
		return nil, err
	}
	if got := contrast(c, white); got < minContrast {
		return nil, fmt.Errorf("white text on %s has a contrast of %.2f:1 and needs 4.5:1, which %s has", accent, got, c.until(black, white))
	}
	link, dark := c.until(black, lightSurface), c.until(white, darkSurface)
	return fmt.Appendf([]byte(standard), ":root { --accent: %s; --link: %s; }\n@media (prefers-color-scheme: dark) {\n  :root { --accent: %s; --on-accent: %s; --link: %[3]s; }\n}\n",
		c, link, dark, darkText), nil
}

// color is a colour in sRGB.
type color struct{ red, green, blue uint8 }

func (c color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.red, c.green, c.blue) }

var errNoColor = errors.New("is not a colour such as #14507a")

func parse(text string) (color, error) {
	if len(text) != len("#rrggbb") || text[0] != '#' {
		return color{}, errNoColor
	}
	n, err := strconv.ParseUint(text[1:], 16, 24)
	if err != nil {
		return color{}, errNoColor
	}
	return color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

// until mixes the colour with another, as little as gives it enough contrast with a background.
func (c color) until(other, background color) color {
	const steps = 100
	for i := range steps {
		if mixed := c.mix(other, i, steps); contrast(mixed, background) >= minContrast {
			return mixed
		}
	}
	return other
}

func (c color) mix(other color, part, of int) color {
	channel := func(a, b uint8) uint8 { return uint8((int(a)*(of-part) + int(b)*part) / of) }
	return color{channel(c.red, other.red), channel(c.green, other.green), channel(c.blue, other.blue)}
}
