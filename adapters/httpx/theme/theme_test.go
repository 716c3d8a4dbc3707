package theme

import (
	"regexp"
	"strings"
	"testing"
)

// The backgrounds of theme.css that links must contrast with.
var (
	lightSurface = color{0xf1, 0xef, 0xe8} // the darkest of the light theme
	darkSurface  = color{0x21, 0x26, 0x2a} // the lightest of the dark theme
)

func TestEveryAcceptedAccentColourIsReadableInBothThemes(t *testing.T) {
	variable := regexp.MustCompile(`--(accent|link|on-accent): (#[0-9a-f]{6})`)
	for red := 0; red < 256; red += 51 {
		for green := 0; green < 256; green += 51 {
			for blue := 0; blue < 256; blue += 51 {
				accent := color{uint8(red), uint8(green), uint8(blue)}
				css, err := CSS(accent.String())
				if (err == nil) != (contrast(accent, white) >= 4.5) {
					t.Fatalf("%s: %v", accent, err)
				}
				if err != nil {
					continue
				}
				added := strings.TrimPrefix(string(css), standard)
				light, dark, _ := strings.Cut(added, "@media")
				for theme, surface := range map[string]color{light: lightSurface, dark: darkSurface} {
					found := map[string]color{"on-accent": white}
					for _, v := range variable.FindAllStringSubmatch(theme, -1) {
						found[v[1]], _ = parse(v[2])
					}
					if contrast(found["link"], surface) < 4.5 || contrast(found["accent"], found["on-accent"]) < 4.5 {
						t.Errorf("%s: %s", accent, theme)
					}
				}
				if !strings.Contains(light, "--accent: "+accent.String()) {
					t.Errorf("%s is not the accent of the light theme: %s", accent, light)
				}
			}
		}
	}
}

func TestATooLightColourIsRefused(t *testing.T) {
	for accent, want := range map[string]string{
		"#ffcc00": "white text on #ffcc00 has a contrast of 1.51:1 and needs 4.5:1", "#777777": "4.48:1 and needs",
		"red": "such as #14507a", "#fff": "such as #14507a", "#12345g": "such as #14507a", "#+12345": "such as #14507a", "#14507a;": "such as #14507a",
	} {
		if css, err := CSS(accent); err == nil || !strings.Contains(err.Error(), want) || css != nil {
			t.Errorf("%s: %v", accent, err)
		}
	}
}

func TestTheBackgroundsAreThoseOfTheStyleSheet(t *testing.T) {
	for name, c := range map[string]color{"--surface": lightSurface, "--surface ": darkSurface} {
		if !strings.Contains(standard, strings.TrimSpace(name)+": "+c.String()) {
			t.Errorf("theme.css has no %s of %s", name, c)
		}
	}
}
