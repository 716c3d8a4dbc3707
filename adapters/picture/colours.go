package picture

import (
	"image"
	"math"
)

// toSRGB converts colours from the space of a profile to the one in which browsers show a
// picture without a profile. It takes the curves of the profile for those of sRGB, as phones
// have them. Without a profile that it can read it changes nothing.
func toSRGB(m *image.RGBA, profile []byte) {
	from, ok := parseProfile(profile)
	if !ok {
		return
	}
	matrix, needed := from.toSRGB()
	if !needed {
		return
	}
	for i := 0; i+3 < len(m.Pix); i += 4 {
		p := m.Pix[i : i+3 : i+3]
		x, y, z := light[p[0]], light[p[1]], light[p[2]]
		for channel, row := range matrix {
			p[channel] = sRGB[int(min(max(row[0]*x+row[1]*y+row[2]*z+0.5, 0), steps))]
		}
	}
}

// xyzToSRGB is the matrix from XYZ under the light D50.
var xyzToSRGB = [3][3]float64{{3.1338561, -1.6168667, -0.4906146}, {-0.9787684, 1.9161415, 0.0334540}, {0.0719453, -0.2289914, 1.4052427}}

// toSRGB returns the matrix from light in the space to steps of light in sRGB; false if the space
// is sRGB, apart from rounding.
func (s space) toSRGB() (matrix [3][3]float32, needed bool) {
	const rounding = 0.005
	for to := range 3 {
		for channel := range 3 {
			var sum, same float64
			for i := range 3 {
				sum += xyzToSRGB[to][i] * s[channel][i]
			}
			if to == channel {
				same = 1
			}
			matrix[to][channel] = float32(sum * steps)
			needed = needed || math.Abs(sum-same) > rounding
		}
	}
	return matrix, needed
}

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

// light has how much light each value of sRGB is.
var light = func() (all [256]float32) {
	for i := range all {
		value := float64(i) / 255
		if value <= 0.04045 {
			all[i] = float32(value / 12.92)
		} else {
			all[i] = float32(math.Pow((value+0.055)/1.055, 2.4))
		}
	}
	return all
}()
