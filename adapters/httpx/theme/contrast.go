package theme

import "math"

// contrast returns the contrast ratio of two colours, from 1 to 21, as WCAG 2 defines it.
func contrast(a, b color) float64 {
	lighter, darker := a.luminance(), b.luminance()
	if lighter < darker {
		lighter, darker = darker, lighter
	}
	return (lighter + 0.05) / (darker + 0.05)
}

// luminance returns the relative luminance, from 0 for black to 1 for white.
func (c color) luminance() float64 {
	return 0.2126*linear(c.red) + 0.7152*linear(c.green) + 0.0722*linear(c.blue)
}

func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}
