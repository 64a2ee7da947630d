package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// chain is what is asked for a run with that many tool calls.
func (b *bench) chain(steps int) asked {
	if !b.given() {
		return asked{modelOf(callsModel, steps), hello}
	}
	var text strings.Builder
	text.WriteString("Use the calculator tool for each of these, one call at a time, and wait for its result before the next call:")
	for i := range steps {
		fmt.Fprintf(&text, " %d*%d,", 17+i, 23+2*i)
	}
	text.WriteString(" and then answer: done.")
	return asked{b.Target.Model, text.String()}
}

// measureSteps plays runs with tool calls, one run at a time.
func (b *bench) measureSteps(ctx context.Context) error {
	for _, n := range b.Plan.Steps {
		var rate, took, cpu samples
		err := b.repeat(func() error {
			g, err := b.together(ctx, 1, b.chain(n), 0)
			if err != nil {
				return err
			}
			o := g.outcomes[0]
			rate = append(rate, float64(o.steps())/o.took().Seconds())
			cpu = append(cpu, each(g.cpu, o.steps())/1000)
			took = append(took, o.between()...)
			return nil
		})
		if err != nil {
			return err
		}
		if len(took) == 0 {
			b.note("Tool steps were not measured: the model called no tools one after the other.")
			return nil
		}
		b.addMore(rate.line(fmt.Sprintf("steps_%d", n), fmt.Sprintf("Tool steps, runs of %d", n), "1/s"))
		b.add(took.line(fmt.Sprintf("steps_%d_time", n), fmt.Sprintf("Time a tool step, runs of %d", n), "ms"))
		if seesProcesses {
			b.add(cpu.line(fmt.Sprintf("steps_%d_cpu", n), fmt.Sprintf("Server CPU a tool step, runs of %d", n), "ms"))
		}
	}
	return nil
}

// between are the times from one tool result to the next.
func (o *outcome) between() (all samples) {
	var last time.Time
	for _, at := range o.results {
		if !last.IsZero() {
			all = append(all, milliseconds(at.Sub(last)))
		}
		last = at
	}
	return all
}
