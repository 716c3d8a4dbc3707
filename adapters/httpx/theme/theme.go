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

var white, black = color{0xff, 0xff, 0xff}, color{}

// How much of another colour is mixed into the accent, in percent. Whatever has the contrast that
// white text needs keeps enough in these: on the grey of the light theme, and on that of the dark one.
const (
	blackInLinks = 15
	whiteInDark  = 60
)

// CSS returns the variables. accent, as #rrggbb, replaces the colour of buttons and links; ""
// leaves them as they are. White text needs a contrast of 4.5:1 on it.
func CSS(accent string) ([]byte, error) {
	if accent == "" {
		return []byte(standard), nil
	}
	c, err := parse(accent)
	if err != nil {
		return nil, err
	}
	if got := contrast(c, white); got < minContrast {
		return nil, fmt.Errorf("white text on %s has a contrast of %.2f:1 and needs 4.5:1", accent, got)
	}
	const added = ":root { --accent: %s; --link: %s; }\n@media (prefers-color-scheme: dark) {\n  :root { --accent: %s; --on-accent: #10151a; --link: %[3]s; }\n}\n"
	return fmt.Appendf([]byte(standard), added, c, c.mix(black, blackInLinks), c.mix(white, whiteInDark)), nil
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

// mix replaces a part of the colour, in percent, by another one.
func (c color) mix(other color, part int) color {
	channel := func(a, b uint8) uint8 { return uint8((int(a)*(100-part) + int(b)*part) / 100) }
	return color{channel(c.red, other.red), channel(c.green, other.green), channel(c.blue, other.blue)}
}
