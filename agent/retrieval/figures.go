package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Hit is a passage that was found, with what stands above it.
type Hit struct{ Document, Text string }

// Limit is how many passages are looked at for each question.
const Limit = 10

// Way is a way of finding passages: the best first, none where nothing answers.
type Way struct {
	Name string
	Find func(ctx context.Context, question string) ([]Hit, error)
}

// Again is a way in which a question is asked once more, in other words or in the other
// language, where nothing was found, as agents are told to.
func (w Way) Again() Way {
	return Way{w.Name + ", again", func(ctx context.Context, question string) ([]Hit, error) {
		found, err := w.Find(ctx, question)
		if other := again()[question]; err == nil && len(found) == 0 && other != "" {
			return w.Find(ctx, other)
		}
		return found, err
	}}
}

// Figures say how well questions of a kind are answered in one way.
type Figures struct {
	Way  string `json:"way"`
	Kind string `json:"kind,omitempty"`
	// Language is that of the questions, "" where they are of all.
	Language  string `json:"language,omitempty"`
	Questions int    `json:"questions"`
	// Right is the share of the questions that a passage among the first three answers, or for
	// which nothing was found where nothing answers.
	Right float64 `json:"right"`
	// Answerable is how many of them have an answer, MRR the mean of 1/rank of the first passage
	// that answers these.
	Answerable int     `json:"answerable"`
	MRR        float64 `json:"mrr"`
}

// Kinds of figures that add up those of all languages and kinds: of the questions that have an
// answer, and of the others.
const (
	Answered   = "answered"
	Unanswered = "unanswered"
)

// Measure asks all questions in each way. Its figures are by kind and language, then of all that
// have an answer, and of all that have none. Missed is told of each that is not answered right.
func Measure(ctx context.Context, questions []Question, ways []Way, missed func(way string, q Question, found []Hit)) ([]Figures, error) {
	var all []Figures
	for _, way := range ways {
		sums := map[[2]string]Figures{}
		for _, q := range questions {
			found, err := way.Find(ctx, q.Text)
			if err != nil {
				return nil, fmt.Errorf("ask %q: %w", q.Text, err)
			}
			rank := slices.IndexFunc(found, q.Right)
			right := rank >= 0 && rank < 3 || len(q.Documents) == 0 && len(found) == 0
			if !right {
				missed(way.Name, q, found)
			}
			whole := Answered
			if len(q.Documents) == 0 {
				whole = Unanswered
			}
			for _, key := range [][2]string{{q.Kind, q.Language()}, {whole, ""}} {
				sums[key] = sums[key].with(q, rank, right)
			}
		}
		for _, key := range slices.SortedFunc(maps.Keys(sums), byKind) {
			f := sums[key]
			f.Way, f.Kind, f.Language = way.Name, key[0], key[1]
			f.Right, f.MRR = f.Right/float64(f.Questions), f.MRR/float64(max(1, f.Answerable))
			all = append(all, f)
		}
	}
	return all, nil
}

// with counts one more question.
func (f Figures) with(q Question, rank int, right bool) Figures {
	f.Questions++
	if len(q.Documents) > 0 {
		f.Answerable++
	}
	if right {
		f.Right++
	}
	if rank >= 0 {
		f.MRR += 1 / float64(rank+1)
	}
	return f
}

// byKind has the sums of all last.
func byKind(a, b [2]string) int {
	if whole := cmp.Compare(b[1], a[1]); whole != 0 && (a[1] == "" || b[1] == "") {
		return whole
	}
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

// Print writes a table with a row for each kind and language, and the ways side by side.
func Print(w io.Writer, all []Figures, ways []Way) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(t, "KIND\tLANGUAGE\tQUESTIONS") // Flush reports what goes wrong
	for _, way := range ways {
		_, _ = fmt.Fprintf(t, "\t%s: FIRST 3\tMRR", way.Name)
	}
	_, _ = fmt.Fprintln(t)
	for i, f := range all[:len(all)/len(ways)] {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d", cmp.Or(f.Kind, "-"), cmp.Or(f.Language, "all"), f.Questions)
		for j := range ways {
			g := all[j*len(all)/len(ways)+i]
			mrr := fmt.Sprintf("%.2f", g.MRR)
			if g.Answerable == 0 {
				mrr = "-"
			}
			_, _ = fmt.Fprintf(t, "\t%.0f %%\t%s", 100*g.Right, mrr)
		}
		_, _ = fmt.Fprintln(t)
	}
	return t.Flush()
}
