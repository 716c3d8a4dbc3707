package picture

import (
	"image"
	"math"
)

// toSRGB converts colours from the space of a profile to the one in which browsers show a
// picture without a profile. Without a profile that it can read it changes nothing.
func toSRGB(m *image.RGBA, profile []byte) {
	from, ok := parseProfile(profile)
	if !ok {
		return
	}
	c := newConversion(&from)
	if c.changesNothing() {
		return
	}
	for i := 0; i+3 < len(m.Pix); i += 4 {
		p := m.Pix[i : i+3 : i+3]
		p[0], p[1], p[2] = c.convert(p[0], p[1], p[2])
	}
}

// xyzToSRGB is the matrix from XYZ under the light D50.
var xyzToSRGB = [3][3]float64{{3.1338561, -1.6168667, -0.4906146}, {-0.9787684, 1.9161415, 0.0334540}, {0.0719453, -0.2289914, 1.4052427}}

// steps of light are finer than the darkest values of sRGB.
const steps = 1 << 14

// sRGB has the value for each step of light.
var sRGB = func() (all [steps + 1]byte) {
	for i := range all {
		light := float64(i) / steps
		value := 12.92 * light
		if light > 0.0031308 {
			value = 1.055*math.Pow(light, 1/2.4) - 0.055
		}
		all[i] = byte(math.Round(255 * value))
	}
	return all
}()

// conversion is from one colour space to sRGB.
type conversion struct {
	light  [3][256]float32
	matrix [3][3]float32 // times steps
}

func newConversion(from *space) *conversion {
	var c conversion
	for channel := range 3 {
		for v, light := range from.light[channel] {
			c.light[channel][v] = float32(light)
		}
		for to := range 3 {
			var sum float64
			for i := range 3 {
				sum += xyzToSRGB[to][i] * from.colour[channel][i]
			}
			c.matrix[to][channel] = float32(sum * steps)
		}
	}
	return &c
}

func (c *conversion) convert(r, g, b byte) (byte, byte, byte) {
	x, y, z := c.light[0][r], c.light[1][g], c.light[2][b]
	value := func(row *[3]float32) byte {
		return sRGB[int(min(max(row[0]*x+row[1]*y+row[2]*z+0.5, 0), steps))]
	}
	return value(&c.matrix[0]), value(&c.matrix[1]), value(&c.matrix[2])
}

// changesNothing reports whether the space is sRGB, apart from rounding.
func (c *conversion) changesNothing() bool {
	const rounding = 2
	for i := range 27 {
		in := [3]int{i % 3 * 127, i / 3 % 3 * 127, i / 9 * 127}
		r, g, b := c.convert(byte(in[0]), byte(in[1]), byte(in[2]))
		for k, v := range [3]byte{r, g, b} {
			if d := int(v) - in[k]; d > rounding || d < -rounding {
				return false
			}
		}
	}
	return true
}
