package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// firstDeltas is the length of answers whose first delta is timed.
const firstDeltas = 3

// What runs are asked. The built-in endpoint answers by its model.
const (
	hello = "Hello."
	brief = "Answer with the single word: ready."
)

func (b *bench) short() asked {
	if b.given() {
		return asked{b.Target.Model, brief}
	}
	return asked{modelOf(flushModel, firstDeltas), hello}
}

// measureFirst waits for first deltas, in turn from the endpoint itself and through
// the server: what the server adds is what it takes beyond the endpoint's median.
func (b *bench) measureFirst(ctx context.Context) error {
	a := b.short()
	for range b.Plan.Warm {
		if _, err := b.together(ctx, 1, a, 0); err != nil {
			return err
		}
	}
	var direct, through samples
	for range b.Plan.First {
		alone, err := b.Target.firstDelta(ctx, b.direct, a.model, a.content)
		if err != nil {
			return err
		}
		g, err := b.together(ctx, 1, a, 0)
		if err != nil {
			return err
		}
		o := g.outcomes[0]
		direct, through = append(direct, milliseconds(alone)), append(through, milliseconds(o.first.Sub(o.start)))
	}
	beyond, median := make(samples, len(through)), percentile(slices.Sorted(slices.Values(direct)), 50)
	for i, t := range through {
		beyond[i] = t - median
	}
	b.add(direct.line("first_direct", "First delta, endpoint alone", "ms"))
	b.add(through.line("first", "First delta, through the server", "ms"))
	b.add(beyond.line("first_beyond", "First delta, beyond the endpoint", "ms"))
	return nil
}

// each is an amount of time for each of n things, in microseconds.
func each(d time.Duration, n int) float64 {
	return float64(d) / float64(time.Microsecond) / float64(max(n, 1))
}

const story = "Write a story of about 300 words about a lighthouse. Do not use tools."

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

func title(word string) string { return string(word[0]-'a'+'A') + word[1:] }

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

func (b *bench) measureSteps(ctx context.Context) error {
	for _, n := range b.Plan.Steps {
		var rate, took, cpu samples
		err := b.repeat(func() error {
			g, err := b.together(ctx, 1, b.chain(n), 0)
			if err != nil {
				return err
			}
			o := g.outcomes[0]
			rate = append(rate, float64(o.steps())/o.finish.Sub(o.start).Seconds())
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

// messagesATurn are a person's message and its answer.
const messagesATurn = 2

// measureChats takes turns in chats that have as many messages behind them.
func (b *bench) measureChats(ctx context.Context) error {
	for _, n := range b.Plan.Chats {
		var cpu, first samples
		err := b.repeat(func() error {
			used, waited, err := b.chat(ctx, n)
			cpu, first = append(cpu, used...), append(first, waited...)
			return err
		})
		if err != nil {
			return err
		}
		of := fmt.Sprintf("chat of %s messages", number(float64(n)))
		if seesProcesses {
			b.add(cpu.line(fmt.Sprintf("chat_%d_cpu", n), "Server CPU a turn, "+of, "ms"))
		}
		b.add(first.line(fmt.Sprintf("chat_%d_first", n), "First delta, "+of, "ms"))
	}
	return nil
}

// chat makes a chat of so many messages, and measures the turns that follow: few, so
// that the chat stays about as long.
func (b *bench) chat(ctx context.Context, messages int) (cpu, first samples, err error) {
	c, err := b.client.open(ctx, b.short().model, 0)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll([]*conversation{c})
	behind := messages / messagesATurn
	for turn := range behind + max(5, behind/10) {
		before := b.cpu()
		o, err := c.run(ctx, b.short().content)
		if err != nil {
			return nil, nil, err
		}
		if turn >= behind {
			cpu = append(cpu, milliseconds(b.cpu()-before))
			first = append(first, milliseconds(o.first.Sub(o.start)))
		}
	}
	return cpu, first, nil
}
