package sources

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent"
)

// Closed is read in the place of what a tool has read of documents that are not open any more.
const Closed = "This is of a document that is not open to the person any more."

// Without is a result of a call as it is to be read once some of its documents are closed. Of what
// lists passages, documents, or the sources of an agent's answer the others stay, and the answer does;
// of anything else nothing does, nor of a list that was cut.
func Without(result string, closed []string) string {
	if len(closed) == 0 {
		return result
	}
	own := result[max(strings.IndexByte(result, '{'), 0):]
	var whole map[string]json.RawMessage
	if json.Unmarshal([]byte(own), &whole) != nil || whole["text"] != nil && whole["runId"] == nil {
		return Closed
	}
	lists, gone := 0, 0
	for _, key := range []string{"passages", "documents", "sources"} {
		var items []json.RawMessage
		if whole[key] == nil || json.Unmarshal(whole[key], &items) != nil { // documents may be how many were searched
			continue
		}
		open := slices.DeleteFunc(slices.Clone(items), func(item json.RawMessage) bool { return isOf(item, closed) })
		whole[key] = agent.MustJSON(open)
		lists, gone = lists+1, gone+len(items)-len(open)
	}
	if lists == 0 && whole["runId"] == nil {
		return Closed
	}
	if gone == 0 {
		return result
	}
	whole["closed"] = agent.MustJSON(gone)
	return strings.TrimSuffix(result, own) + string(agent.MustJSON(whole))
}

// DocumentsOf are the documents of some sources, each once.
func DocumentsOf(all []agent.Citation) []string {
	var ids []string
	for _, c := range all {
		if c.DocumentID != "" && !slices.Contains(ids, c.DocumentID) {
			ids = append(ids, c.DocumentID)
		}
	}
	return ids
}

// isOf reports whether a passage, or an entry of a list, is of one of some documents.
func isOf(item json.RawMessage, documents []string) bool {
	var of struct{ ID, DocumentID string }
	if json.Unmarshal(item, &of) != nil || of.DocumentID == "" {
		return slices.Contains(documents, of.ID)
	}
	return slices.Contains(documents, of.DocumentID)
}

// ofCall names the call that a message is the result of.
func ofCall(m agent.Message) agent.CallID {
	return agent.CallID{RunID: m.RunID, CallID: m.ToolCallID}
}

// Readable are messages without what is of documents that are closed. It leaves the messages that
// it was given alone.
func Readable(messages []agent.Message, closed agent.ClosedDocuments) []agent.Message {
	if len(closed) == 0 {
		return messages
	}
	out := slices.Clone(messages)
	for i, m := range out {
		if m.Role == agent.FromTool {
			out[i].Content = Without(m.Content, closed[ofCall(m)])
		}
	}
	return out
}
