package bench

import (
	"context"
	"fmt"
)

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
