package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// pathUp leads from message $1 to the root of its conversation.
const pathUp = `WITH RECURSIVE path(id, parent_id, run_id, depth) AS (
		SELECT id, parent_id, run_id, 1 FROM messages WHERE id = $1 AND conversation_id = $2
		UNION ALL
		SELECT p.id, p.parent_id, p.run_id, path.depth + 1 FROM path CROSS JOIN messages p
		WHERE p.id = path.parent_id AND p.conversation_id = $2 AND path.depth < $3
	)
	SELECT id, run_id FROM path ORDER BY depth DESC`

// oddRuns are the runs of a conversation of which there is no message, and those of which something was
// deleted: where they begin, and whether they are the latter.
const oddRuns = `SELECT r.id, r.message_id, r.deleted_at > 0 FROM runs r WHERE r.conversation_id = $1 AND r.parent_run_id = ''
	AND (r.deleted_at > 0 OR NOT EXISTS (SELECT 1 FROM messages m WHERE m.run_id = r.id))`

// Path is the branch of a conversation that a message names, or that is chosen for "".
// The caller has checked the viewer. NotFound for what is no message of the conversation.
func (s *Conversations) Path(ctx context.Context, conversationID, messageID string) (agent.Path, error) {
	return s.path(ctx, conversationID, func(from sqlite.Reader) (leaf string, err error) {
		if messageID != "" {
			return leafBelow(ctx, from, conversationID, messageID)
		}
		err = from.QueryRowContext(ctx, `SELECT leaf_id FROM conversations WHERE id = $1`, conversationID).Scan(&leaf)
		return leaf, sqlite.NotFound(err, agent.NoConversation)
	})
}

// PathTo is Path for the branch that ends with this very message, although others may follow it; ""
// is that of no messages.
func (s *Conversations) PathTo(ctx context.Context, conversationID, leafID string) (agent.Path, error) {
	return s.path(ctx, conversationID, func(sqlite.Reader) (string, error) { return leafID, nil })
}

// PathOfRun is Path for the branch of a run, also before it has said anything. NotFound for what is no run
// of the conversation.
func (s *Conversations) PathOfRun(ctx context.Context, conversationID, runID string) (agent.Path, error) {
	return s.path(ctx, conversationID, func(from sqlite.Reader) (leaf string, err error) {
		var said bool
		err = from.QueryRowContext(ctx, branchOfRun, runID, conversationID).Scan(&said)
		if err != nil {
			return "", sqlite.NotFound(err, agent.NoRun)
		}
		if leaf, err = newestOf(ctx, from, runID); err != nil || !said {
			return leaf, err
		}
		return leafBelow(ctx, from, conversationID, leaf)
	})
}

// branchOfRun says of run $1 whether it has a message.
const branchOfRun = `SELECT EXISTS (SELECT 1 FROM messages m WHERE m.run_id = r.id) FROM runs r
	WHERE r.id = $1 AND r.conversation_id = $2 AND r.parent_run_id = ''`

func (s *Conversations) path(ctx context.Context, conversationID string, leafOf func(sqlite.Reader) (string, error)) (p agent.Path, err error) {
	err = s.db.View(ctx, func(from sqlite.Reader) error {
		if p.Leaf, err = leafOf(from); err != nil {
			return err
		}
		p.Messages, err = sqlite.List(ctx, from, func(r sqlite.Scanner) (m agent.PathMessage, err error) {
			err = r.Scan(&m.ID, &m.RunID)
			return m, err
		}, pathUp, p.Leaf, conversationID, maxBranch)
		if err == nil && len(p.Messages) == 0 && p.Leaf != "" {
			err = agent.Errorf(agent.NotFound, noMessage)
		}
		if err != nil {
			return err
		}
		if err := forksOf(ctx, from, conversationID, &p); err != nil {
			return err
		}
		return runsOf(ctx, from, conversationID, &p)
	})
	return p, err
}

// forksOf finds the versions of the messages of a path, and the runs that went on elsewhere.
func forksOf(ctx context.Context, from sqlite.Reader, conversationID string, p *agent.Path) error {
	following, runs := map[string][]string{}, map[string][]string{}
	err := eachSibling(ctx, from, conversationID, p.Leaf, func(parent, id, runID string) {
		following[parent], runs[parent] = append(following[parent], id), append(runs[parent], runID)
	})
	if err != nil {
		return err
	}
	p.Cut = map[string]bool{}
	for parent, i := "", 0; i <= len(p.Messages); i++ {
		all, of := following[parent], runs[parent]
		if i == len(p.Messages) {
			if p.Leaf != "" && len(all) > 0 {
				p.Followers, p.Follows = all, runs[parent][len(all)-1]
			}
		} else if len(all) > 1 {
			p.Messages[i].Siblings = all
		}
		for k, id := range all {
			if i > 0 && of[k] == p.Messages[i-1].RunID && (i == len(p.Messages) || id != p.Messages[i].ID) {
				p.Cut[of[k]] = true
			}
		}
		if i < len(p.Messages) {
			parent = p.Messages[i].ID
		}
	}
	return nil
}

// runsOf finds the runs that a path is read from: those of its messages, and those that began behind one
// and have said nothing.
func runsOf(ctx context.Context, from sqlite.Reader, conversationID string, p *agent.Path) error {
	on, runs := map[string]bool{}, map[string]bool{}
	for _, m := range p.Messages {
		on[m.ID], runs[m.RunID] = true, true
	}
	err := sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var id, behind string
		var deleted bool
		err := r.Scan(&id, &behind, &deleted)
		switch {
		case deleted && runs[id]:
			p.Cut[id] = true
		case !deleted && on[behind]:
			runs[id] = true
		}
		return err
	}, oddRuns, conversationID)
	for id := range runs {
		p.Runs = append(p.Runs, id)
	}
	return err
}
