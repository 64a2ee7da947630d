package bench

import (
	"context"
	"fmt"
)

// story is what a model is asked for an answer of some length.
const story = "Write a story of about 300 words about a lighthouse. Do not use tools."

// long is what is asked for a long answer.
func (b *bench) long() asked {
	if b.given() {
		return asked{b.Target.Model, story}
	}
	return asked{modelOf(bulkModel, b.Plan.Deltas), hello}
}

// measureDeltas asks for long answers, alone and several together.
func (b *bench) measureDeltas(ctx context.Context) error {
	for _, n := range []int{1, b.Plan.Parallel} {
		var rate, cpu samples
		err := b.repeat(func() error {
			g, err := b.together(ctx, n, b.long(), 0)
			if err != nil {
				return err
			}
			rate = append(rate, float64(b.deltas(g))/g.took.Seconds())
			cpu = append(cpu, each(g.cpu, b.deltas(g)))
			return nil
		})
		if err != nil {
			return err
		}
		b.addMore(rate.line(fmt.Sprintf("%ss_%d", b.delta(), n), fmt.Sprintf("%ss, %s", title(b.delta()), runs(n)), "1/s"))
		if seesProcesses {
			b.add(cpu.line(fmt.Sprintf("%ss_%d_cpu", b.delta(), n), fmt.Sprintf("Server CPU a %s, %s", b.delta(), runs(n)), "µs"))
		}
	}
	return nil
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// title is a word at the beginning of a name.
func title(word string) string { return string(word[0]-'a'+'A') + word[1:] }
