package ranking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fusebox/agent/ranking"
)

// TestVectorsAreRounded: similarities of rounded vectors are those of the vectors, to a hundredth,
// and whatever has no direction is refused.
func TestVectorsAreRounded(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, dimension := range []int{1, 3, 256, 1024} {
		for range 50 {
			a, b := make([]float32, dimension), make([]float32, dimension)
			var product, lengthA, lengthB float64
			for i := range a {
				a[i] = float32(random.NormFloat64())
				b[i] = a[i]*0.6 + float32(random.NormFloat64())
				product += float64(a[i]) * float64(b[i])
				lengthA += float64(a[i]) * float64(a[i])
				lengthB += float64(b[i]) * float64(b[i])
			}
			v, err := ranking.NewVector(a)
			if err != nil {
				t.Fatal(err)
			}
			w, err := ranking.NewVector(b)
			if err != nil {
				t.Fatal(err)
			}
			want, got := product/math.Sqrt(lengthA*lengthB), v.Similarity(w)
			if math.Abs(got-want) > 0.01 || v.Dimension() != dimension {
				t.Errorf("%d dimensions: similarity %f of %d, want %f", dimension, got, v.Dimension(), want)
			}
		}
	}
	nan := float32(math.NaN())
	for _, parts := range [][]float32{nil, {0, 0}, {1, nan}, {float32(math.Inf(1)), 1}} {
		if _, err := ranking.NewVector(parts); err == nil {
			t.Errorf("%v is a vector", parts)
		}
	}
	v, _ := ranking.NewVector([]float32{1, 2})
	for _, w := range []ranking.Vector{nil, {1}, append(v[:len(v):len(v)], 1)} {
		if got := v.Similarity(w); got != 0 {
			t.Errorf("similarity %f of other dimensions", got)
		}
	}
}

func BenchmarkSimilarity(b *testing.B) {
	parts := make([]float32, 1024)
	for i := range parts {
		parts[i] = float32(i%7) - 3
	}
	v, _ := ranking.NewVector(parts)
	for b.Loop() {
		v.Similarity(v)
	}
}
