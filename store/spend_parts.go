package store

import "fusebox/agent"

// level is a dim of spend_sums that covers a span of time in slots of a width.
type level struct {
	dim   string
	width int64
}

// spendSource is how a group is read: from sums, the widest first, and from the
// lines where a range cuts through the narrowest. key and runs are the columns
// of a line that its sums are made of.
type spendSource struct {
	levels    []level
	key, runs string
}

var spendSources = map[agent.SpendGroup]spendSource{
	agent.SpendByDay:          {[]level{{"all", hourMS}}, `''`, `starts_run`},
	agent.SpendByModel:        {[]level{{"model", dayMS}, {"hour", hourMS}}, `model`, `starts_model`},
	agent.SpendByUser:         {[]level{{"user28", fourWeeksMS}, {"user", dayMS}}, `user_id`, `starts_run`},
	agent.SpendByConversation: {[]level{{"conversation28", fourWeeksMS}, {"conversation", dayMS}}, `conversation_id`, `starts_run`},
	agent.SpendByTool:         {[]level{{"tool", dayMS}}, ``, ``},
}

// part is a stretch of a range: slots of a dim, or milliseconds of lines where
// the dim is "". The first is included, the last is not.
type part struct {
	dim         string
	first, last int64
}

// cut covers a range with the sums of the widest level that fit into it, its rims
// with those of narrower ones, and what is left with lines.
func cut(from, to int64, levels []level) []part {
	from = max(from, 0)
	if from >= to {
		return nil
	}
	if len(levels) == 0 {
		return []part{{first: from, last: to}}
	}
	width, narrower := levels[0].width, levels[1:]
	first, last := (from+width-1)/width, to/width
	if first >= last {
		return cut(from, to, narrower)
	}
	parts := append(cut(from, first*width, narrower), part{levels[0].dim, first, last})
	return append(parts, cut(last*width, to, narrower)...)
}

// parts covers the range of a query. What one user spent is not summed up
// beforehand; an index leads to their lines.
func (src spendSource) parts(q agent.SpendQuery) []part {
	if q.UserID != "" {
		return cut(ms(q.From), ms(q.To), nil)
	}
	return cut(ms(q.From), ms(q.To), src.levels)
}

// rows is the SQL of all parts: rows with a key and the columns of spend_sums.
func (src spendSource) rows(w *where, parts []part, userID string) string {
	text := ""
	for i, p := range parts {
		if i > 0 {
			text += " UNION ALL "
		}
		if p.dim != "" {
			text += `SELECT key, ` + sumColumns + ` FROM spend_sums` +
				w.param(` WHERE dim = `, p.dim) + w.param(` AND slot >= `, p.first) + w.param(` AND slot < `, p.last)
			continue
		}
		text += `SELECT ` + src.key + `, ` + src.runs + `, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros,
			1, CASE WHEN priced THEN 0 ELSE 1 END, estimated FROM usage` + lineRange(w, p, userID)
	}
	return text
}

// lineRange is the condition of lines within a part, of one user or of all.
func lineRange(w *where, p part, userID string) string {
	text := w.param(` WHERE ended_at >= `, p.first) + w.param(` AND ended_at < `, p.last)
	if userID != "" {
		text += w.param(` AND user_id = `, userID)
	}
	return text
}
