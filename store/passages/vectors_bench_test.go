package passages_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/storetest"
)

// BenchmarkVectors searches 100,000 passages by words and by vectors of several dimensions.
func BenchmarkVectors(b *testing.B) {
	const all = 100_000
	for _, dimension := range []int{256, 1024} {
		b.Run(fmt.Sprint(dimension), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "f.db")
			s := open(b, path)
			check(b, s.CreateUser(b.Context(), agent.User{ID: "ana", Email: "ana@example.org", Role: agent.RoleAdmin}, "h"))
			model, err := s.UseVectorModel(b.Context(), "m")
			check(b, err)
			random := rand.New(rand.NewPCG(7, 7))
			vector := func() ranking.Vector {
				parts := make([]float32, dimension)
				for i := range parts {
					parts[i] = float32(random.NormFloat64())
				}
				v, err := ranking.NewVector(parts)
				check(b, err)
				return v
			}

			for i := range all / 1000 {
				text, cut := "", []agent.Passage(nil)
				for j := range 1000 {
					start := len(text)
					text += fmt.Sprintf("Passage w%d of words w%d. ", i*1000+j, j)
					cut = append(cut, agent.Passage{Start: start, End: len(text)})
				}
				check(b, s.IndexDocument(agent.Document{ID: fmt.Sprint("d", i), UserID: "ana", Name: "d", Version: 1}, text, cut))
			}
			before := storetest.Pages(b, path)
			for {
				_, _, queue, err := s.VectorQueue(b.Context(), 0, 1000)
				check(b, err)
				if len(queue) == 0 {
					break
				}
				vectors := map[int64]ranking.Vector{}
				for _, p := range queue {
					vectors[p.ID] = vector()
				}
				check(b, s.KeepVectors(b.Context(), model.ID, vectors, agent.Step{}))
			}
			b.Logf("vectors take %d MB", (storetest.Pages(b, path)-before)*4096>>20)
			model.Floor = 0.05
			question := vector()
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				_, err := s.FindByMeaning(b.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "words w77", Limit: 10}, model, question)
				took = append(took, time.Since(began))
				check(b, err)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
