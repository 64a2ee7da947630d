package ranking

import (
	"encoding/binary"
	"errors"
	"math"
)

// Vector is a direction, as it is kept: the inverse of its length as a float32, little
// endian, then a signed byte for each dimension.
type Vector []byte

// vectorHead is the size of what is before the dimensions.
const vectorHead = 4

// ErrNoDirection is that of vectors that point nowhere.
var ErrNoDirection = errors.New("the vector is zero, or contains values that are not numbers")

// NewVector rounds a vector to bytes, in parts of its largest one: similarities move by less
// than a hundredth.
func NewVector(parts []float32) (Vector, error) {
	most := 0.0
	for _, p := range parts {
		a := math.Abs(float64(p))
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return nil, ErrNoDirection
		}
		most = max(most, a)
	}
	if most == 0 {
		return nil, ErrNoDirection
	}
	v := make(Vector, vectorHead+len(parts))
	sum := 0.0
	for i, p := range parts {
		n := math.Round(float64(p) / most * math.MaxInt8)
		v[vectorHead+i] = byte(int8(n))
		sum += n * n
	}
	binary.LittleEndian.PutUint32(v, math.Float32bits(float32(1/math.Sqrt(sum))))
	return v, nil
}

// Dimension is the number of its parts.
func (v Vector) Dimension() int { return max(0, len(v)-vectorHead) }

// Similarity is the cosine of the angle between two vectors, 0 where they have not the same
// dimension.
func (v Vector) Similarity(w Vector) float64 {
	if len(v) != len(w) || len(v) < vectorHead {
		return 0
	}
	a, b := v[vectorHead:], w[vectorHead:]
	b = b[:len(a)]
	var even, odd int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		even += int32(int8(x[0]))*int32(int8(y[0])) + int32(int8(x[1]))*int32(int8(y[1]))
		odd += int32(int8(x[2]))*int32(int8(y[2])) + int32(int8(x[3]))*int32(int8(y[3]))
	}
	for ; i < len(a); i++ {
		even += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return float64(even+odd) * v.inverse() * w.inverse()
}

func (v Vector) inverse() float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
}
