package eventlog

import (
	"maps"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// telling is a change that has nothing but events.
type telling struct {
	change agent.Change
	told   []agent.Event
	err    error
	done   chan struct{}
}

// tell writes the events of a batch. One that is refused takes back nothing of
// the others.
func tell(t *sqlite.Tx, batch []*telling) error {
	if err := fenceAll(t, batch); err != nil {
		return err
	}
	now := agent.Stamp(t.Clock)
	count := map[string]int64{}
	for _, s := range batch {
		if s.err == nil {
			count[s.change.ConversationID] += int64(len(s.change.Events))
		}
	}
	next, err := number(t, count)
	if err != nil {
		return err
	}
	all := make([]agent.Event, 0, len(batch))
	for _, s := range batch {
		if s.err != nil {
			continue
		}
		from := len(all)
		for _, e := range s.change.Events {
			e.ConversationID, e.At, e.Seq = s.change.ConversationID, now, next[s.change.ConversationID]
			next[s.change.ConversationID]++
			all = append(all, e)
		}
		s.told = all[from:len(all):len(all)]
	}
	if err := insertEvents(t, all); err != nil {
		return err
	}
	t.Events = append(t.Events, all...)
	return nil
}

// laneGroup is how many runs or conversations one statement of the lane is about
// at most. Statements come in a few sizes, so that few have to be prepared.
const laneGroup = 32

var laneSizes = []int{2, 8, laneGroup}

var epochsOf, numbers = func() (epochs, numbers map[int]string) {
	epochs, numbers = map[int]string{}, map[int]string{}
	for _, n := range laneSizes {
		epochs[n] = `SELECT id, conversation_id, epoch FROM runs WHERE id IN` + sqlite.RowParams(1, n)
		numbers[n] = `UPDATE conversations SET last_seq = last_seq + v.column2 FROM (VALUES` + sqlite.RowParams(n, 2) + `) AS v
			WHERE conversations.id = v.column1 RETURNING conversations.id, last_seq`
	}
	return epochs, numbers
}()

// sizeFor is the smallest size that n fits in.
func sizeFor(n int) int {
	return laneSizes[slices.IndexFunc(laneSizes, func(size int) bool { return size >= n })]
}

// fenceAll refuses what comes from a process that does not own its run any more.
func fenceAll(t *sqlite.Tx, batch []*telling) error {
	for part := range slices.Chunk(batch, laneGroup) {
		if len(part) == 1 {
			part[0].err = fenceOne(t, part[0].change)
			continue
		}
		if err := fencePart(t, part); err != nil {
			return err
		}
	}
	return nil
}

// owned is what the fence asks of a run.
type owned struct {
	conversation string
	epoch        int64
}

func fenceOne(t *sqlite.Tx, e agent.Change) error {
	var o owned
	if err := t.Row(`SELECT conversation_id, epoch FROM runs WHERE id = $1`, e.RunID).Scan(&o.conversation, &o.epoch); err != nil {
		return sqlite.NotFound(err, agent.NoRun)
	}
	return o.refuse(e)
}

func fencePart(t *sqlite.Tx, part []*telling) error {
	args := make([]any, sizeFor(len(part)))
	for i := range args {
		args[i] = part[min(i, len(part)-1)].change.RunID
	}
	runs := make(map[string]owned, len(part))
	err := t.Each(func(r sqlite.Scanner) error {
		var id string
		var o owned
		err := r.Scan(&id, &o.conversation, &o.epoch)
		runs[id] = o
		return err
	}, epochsOf[len(args)], args...)
	for _, s := range part {
		s.err = runs[s.change.RunID].refuse(s.change)
	}
	return err
}

// refuse is what is wrong with a change of a run; the zero value is no run.
func (o owned) refuse(e agent.Change) error {
	switch {
	case o.conversation != e.ConversationID:
		return agent.Errorf(agent.NotFound, agent.NoRun)
	case o.epoch != e.Epoch:
		return agent.ErrStale
	default:
		return nil
	}
}

// number takes numbers for new events of conversations; it returns the first of each.
func number(t *sqlite.Tx, count map[string]int64) (map[string]int64, error) {
	next := make(map[string]int64, len(count))
	for part := range slices.Chunk(slices.Sorted(maps.Keys(count)), laneGroup) {
		text, args := numbersOf(part, count)
		err := t.Each(func(r sqlite.Scanner) error {
			var id string
			var last int64
			err := r.Scan(&id, &last)
			next[id] = last - count[id] + 1
			return err
		}, text, args...)
		if err != nil {
			return nil, err
		}
	}
	if len(next) < len(count) {
		return nil, agent.Errorf(agent.NotFound, agent.NoConversation)
	}
	return next, nil
}

// numbersOf is the statement that takes numbers for some conversations. Places that
// are left over name no conversation.
func numbersOf(ids []string, count map[string]int64) (text string, args []any) {
	if len(ids) == 1 {
		return `UPDATE conversations SET last_seq = last_seq + $1 WHERE id = $2 RETURNING id, last_seq`, []any{count[ids[0]], ids[0]}
	}
	size := sizeFor(len(ids))
	for i := range size {
		if i < len(ids) {
			args = append(args, ids[i], count[ids[i]])
		} else {
			args = append(args, "", 0)
		}
	}
	return numbers[size], args
}
