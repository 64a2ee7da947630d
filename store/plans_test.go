package store

import (
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// TestQueriesFindTheirRows: what runs often, or over long tables, reads them by an index.
func TestQueriesFindTheirRows(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	reviewer, user := agent.Viewer{Role: agent.RoleReviewer}, agent.Viewer{UserID: "u", Role: agent.RoleUser}
	pending := agent.ApprovalFilter{Status: agent.ApprovalPending}
	inbox := func(v agent.Viewer) string {
		w := seenBy(v)
		w.filter(pending, v)
		return `SELECT ` + approvalColumns + approvalFrom + w.String() + ` ORDER BY a.id`
	}
	version := strings.NewReplacer("$1", "'c'", "$2", "'m'").Replace
	path := strings.NewReplacer("$1", "'m'", "$2", "'c'", "$3", "9").Replace
	still := strings.NewReplacer("$1", "5", "$2", "100").Replace(standstills)
	for _, tc := range []struct{ query, want string }{
		{`SELECT ` + claimable("1", "2"), "SEARCH q USING COVERING INDEX runs_queued (user_id>?)"},
		{`SELECT ` + claimable("1", "2"), "SEARCH q USING COVERING INDEX runs_queued (user_id=? AND token_id>?)"},
		{`SELECT ` + claimable("1", "2"), "SEARCH q USING COVERING INDEX runs_queued (user_id=? AND token_id=?)"},
		{`SELECT ` + claimable("1", "2"), "SEARCH w USING COVERING INDEX runs_running (user_id=?)"},
		{`SELECT ` + claimable("1", "2"), "SEARCH w USING COVERING INDEX runs_running (user_id=? AND token_id=?)"},
		{strings.NewReplacer("$1", "5", "$2", "'r'", "$3", "8").Replace(queuePlace), "SCAN q USING COVERING INDEX runs_queued"},
		{strings.NewReplacer("$1", "5", "$2", "'r'", "$3", "8").Replace(queuePlace), "SEARCH w USING COVERING INDEX runs_running (user_id=?)"},
		{strings.NewReplacer("$1", "'u'", "$2", "'run_shell'", "$3", "200").Replace(recentCalls), "SEARCH tool_calls USING INDEX tool_calls_recent (user_id=? AND name=? AND started_at>?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "200").Replace(treeCalls), "SEARCH r USING COVERING INDEX runs_tree (root_run_id=?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "200").Replace(treeCalls), "SEARCH tool_calls USING INDEX tool_calls_order (run_id=?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "200").Replace(treeCalls), "SEARCH c USING INDEX sqlite_autoindex_tool_calls_1 (run_id=? AND id=?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "'s'", "$3", "'run_shell'", "$4", "'h'").Replace(madeInVain), "SEARCH r USING INDEX runs_tree (root_run_id=?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "'s'", "$3", "'run_shell'", "$4", "'h'").Replace(madeInVain), "SEARCH c USING INDEX tool_calls_order (run_id=?)"},
		{strings.ReplaceAll(callsAtWork, "$1", "'r'"), "SEARCH c USING INDEX tool_calls_order (run_id=? AND step>?)"},
		{strings.ReplaceAll(callsAtWork, "$1", "'r'"), "SEARCH r USING INDEX runs_tree (root_run_id=?)"},
		{strings.ReplaceAll(askingRuns, "$1", "'r'"), "SEARCH r USING COVERING INDEX runs_tree (root_run_id=?)"},
		{strings.ReplaceAll(askingRuns, "$1", "'r'"), "USING INDEX approvals_run (run_id=?)"},
		{`SELECT ` + agentsWork + ` FROM conversations c WHERE c.id = 'c'`, "SEARCH w USING INDEX runs_children_open (conversation_id=?)"},
		{`SELECT ` + agentsWork + ` FROM conversations c WHERE c.id = 'c'`, "SEARCH a USING INDEX approvals_conversation (conversation_id=?)"},
		{strings.ReplaceAll(callsAtWork, "$1", "'r'"), "SEARCH tool_calls USING INDEX sqlite_autoindex_tool_calls_1 (run_id=? AND id=?)"},
		{strings.ReplaceAll(queued, "$1", "'c'"), "SEARCH q USING INDEX queued_messages_waiting (conversation_id=?)"},
		{strings.ReplaceAll(steering, "$1", "'r'"), "SEARCH q USING INDEX queued_messages_steering (run_id=?)"},
		{readyQueued, "SCAN q USING INDEX queued_messages_ready"},
		{readyQueued + ` AND q.conversation_id = 'c' LIMIT 1`, "SEARCH q USING INDEX queued_messages_ready (conversation_id=?)"},
		{openApprovals, "SEARCH approvals USING COVERING INDEX approvals_person (user_id=?)"},
		{`SELECT ` + claimable("1", "2"), "SCAN runs USING COVERING INDEX runs_running"},
		{`SELECT ` + claimable("1", "2"), "SCAN runs USING INDEX runs_aborting"},
		{`SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'queued' AND user_id = 'u' AND wake_at <= 1)`, "USING COVERING INDEX runs_queued (user_id=?)"},
		{`SELECT 1 FROM events e WHERE e.conversation_id = 'c' AND NOT ` + eventlog.Superseded, "events_subject (conversation_id=? AND subject=? AND type=?)"},
		{`SELECT id FROM runs WHERE NOT pruned AND ended_at > 0 AND ended_at < 5 ORDER BY ended_at, id`, "runs_unpruned (ended_at>? AND ended_at<?)"},
		{`SELECT LOWER(title) FROM conversations WHERE owner_id = 'u' ORDER BY updated_at DESC, id DESC`, "USING COVERING INDEX conversations_owner (owner_id=?)"},
		{inbox(reviewer), "USING INDEX approvals_pending"},
		{inbox(user), "approvals_conversation (conversation_id=?)"},
		{`SELECT 1 FROM approval_looks WHERE last_at >= 5 ORDER BY approval_id, first_at, user_id`, "approval_looks_recent (last_at>?)"},
		{`DELETE FROM runs WHERE conversation_id = 'c'`, "runs_conversation (conversation_id=?)"},
		{`SELECT id FROM outbox WHERE state = 'pending' AND channel = 'email' AND next_at <= 5 ORDER BY next_at, id LIMIT 4`, "USING INDEX outbox_due (next_at<?)"},
		{`DELETE FROM outbox WHERE conversation_id = 'c'`, "outbox_conversation (conversation_id=?)"},
		{strings.NewReplacer("$1", "'u'", "$2", "20").Replace(recentRuns), "SEARCH runs USING INDEX runs_conversation (conversation_id=?)"},
		{strings.NewReplacer("$1", "'u'", "$2", "20").Replace(recentRuns), "USING COVERING INDEX conversations_owner (owner_id=?)"},
		{strings.Replace(waitingRun, "$1", "'r'", 1), "USING INDEX sqlite_autoindex_runs_1 (id=?)"},
		{`SELECT status, COUNT(*) FROM runs WHERE id IN ` + openRuns + ` GROUP BY status`, "USING INDEX runs_active"},
		{`SELECT kind, COUNT(*), MIN(requested_at) FROM approvals WHERE status = 'pending' GROUP BY kind`, "USING COVERING INDEX approvals_pending"},
		{`DELETE FROM approvals WHERE conversation_id = 'c'`, "approvals_conversation (conversation_id=?)"},
		{strings.NewReplacer("$1", "1", "$2", "5", "$3", "9").Replace(loopDecisions), "SEARCH a USING INDEX approvals_decided (decided_at>?)"},
		{still, "SCAN r USING INDEX runs_children_open"},
		{still, "SEARCH l USING INDEX sqlite_autoindex_events_1 (conversation_id=? AND seq=?)"},
		{still, "SEARCH e USING INDEX events_run (run_id=?)"},
		{still, "SEARCH n USING INDEX events_run (run_id=? AND seq>?)"},
		{still, "SEARCH a USING INDEX approvals_run (run_id=?)"},
		{still, "SEARCH k USING INDEX runs_children (parent_run_id=?)"},
		{strings.NewReplacer("$1", "7", "$2", "'c'", "$3", "'r'", "$4", "5").Replace(streamed), "SEARCH e USING INDEX sqlite_autoindex_events_1 (conversation_id=? AND seq>?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "9").Replace(wayUp), "SEARCH r USING INDEX sqlite_autoindex_runs_1 (id=?)"},
		{strings.NewReplacer("$1", "'r'", "$2", "9").Replace(wayUp), "SEARCH m USING INDEX sqlite_autoindex_messages_1 (id=?)"},
		{version(siblings), "SEARCH m USING INDEX messages_children (conversation_id=? AND parent_id=?)"},
		{version(siblings), "SEARCH messages USING COVERING INDEX messages_children (conversation_id=?)"},
		{version(newestBelow), "SEARCH k USING COVERING INDEX messages_children (conversation_id=? AND parent_id=?)"},
		{path(pathUp), "SEARCH messages USING INDEX sqlite_autoindex_messages_1 (id=?)"},
		{path(pathUp), "SEARCH p USING INDEX messages_conversation (conversation_id=? AND id=?)"},
		{path(oddRuns), "SEARCH r USING INDEX runs_conversation (conversation_id=?)"},
		{path(oddRuns), "SEARCH m USING COVERING INDEX messages_run (run_id=?)"},
		{path(branchOfRun), "SEARCH r USING INDEX sqlite_autoindex_runs_1 (id=?)"},
		{version(removed), "SEARCH k USING COVERING INDEX messages_children (conversation_id=? AND parent_id=?)"},
		{version(removed), "SEARCH m USING INDEX sqlite_autoindex_messages_1 (id=?)"},
		{version(wayToAsked), "SEARCH m USING INDEX sqlite_autoindex_messages_1 (id=?)"},
		{version(awaitsResult), "SEARCH m USING INDEX sqlite_autoindex_messages_1 (id=?)"},
		{agentDefinitions.live() + ` AND a.name = 'a'`, "SEARCH a USING INDEX sqlite_autoindex_agents_1 (name=?)"},
		{agentDefinitions.live() + ` AND a.name = 'a'`, "SEARCH v USING INDEX sqlite_autoindex_agent_versions_1 (name=? AND version=?)"},
		{agentDefinitions.named(), "SCAN a USING INDEX sqlite_autoindex_agents_1"},
		{agentDefinitions.sorted(), "SCAN a USING INDEX sqlite_autoindex_agents_1"},
		{strings.Replace(agentDefinitions.versions(), "$1", "'a'", 1) + ` ORDER BY v.version DESC LIMIT 100`, "SEARCH v USING INDEX sqlite_autoindex_agent_versions_1 (name=?)"},
		{workflowDefinitions.live() + ` AND a.name = 'a'`, "SEARCH a USING INDEX sqlite_autoindex_workflows_1 (name=?)"},
		{workflowDefinitions.sorted(), "SCAN a USING INDEX sqlite_autoindex_workflows_1"},
		{strings.Replace(workflowDefinitions.versions(), "$1", "'a'", 1) + ` AND v.version = 1`, "SEARCH v USING INDEX sqlite_autoindex_workflow_versions_1 (name=? AND version=?)"},
		{`SELECT ` + conversationColumns + ` FROM conversations c WHERE c.id = 'c'`, "SEARCH w USING INDEX sqlite_autoindex_workflows_1 (name=?)"},
		{`SELECT ` + conversationColumns + ` FROM conversations c WHERE c.id = 'c'`, "SEARCH a USING INDEX sqlite_autoindex_agents_1 (name=?)"},
		{strings.NewReplacer("$1", "9", "$2", "5", "$3", "'m'", "$4", "51").Replace(allFeedback), "SEARCH f USING INDEX feedback_newest ((at,message_id)<(?,?))"},
		{`SELECT f.rating FROM messages m CROSS JOIN feedback f WHERE m.conversation_id = 'c' AND f.message_id = m.id`, "SEARCH f USING INDEX sqlite_autoindex_feedback_1 (message_id=?)"},
		{strings.Replace(nextImport, "$1", "'[]'", 1), "SCAN imports USING INDEX imports_queue"},
		{strings.NewReplacer("$1", "'u'", "$2", "20").Replace(importsOf), "SEARCH imports USING INDEX imports_user (user_id=?)"},
		{strings.NewReplacer("$1", "'u'", "$2", "'n'", "$3", "'p'").Replace(sourceOf), "SEARCH s USING PRIMARY KEY (collection_id=? AND name=? AND path=?)"},
		{strings.NewReplacer("$1", "'u'", "$2", "'n'").Replace(importedPaths), "SEARCH document_sources USING PRIMARY KEY (collection_id=? AND name=?)"},
		{`SELECT EXISTS (SELECT 1 FROM passage_scopes WHERE residue)`, "SCAN passage_scopes USING INDEX passage_scopes_residue"},
		{`SELECT id FROM passages WHERE gone = 1 ORDER BY id LIMIT 16`, "SCAN passages USING COVERING INDEX passages_gone"},
		{`SELECT scope FROM passages WHERE vector_model = 0 AND gone = 0 AND scope > 1 ORDER BY scope LIMIT 1`, "USING COVERING INDEX passages_vector_model (vector_model=? AND scope>?)"},
		{`SELECT id FROM passages WHERE vector_model = 0 AND gone = 0 AND scope = 1 ORDER BY id LIMIT 32`, "USING COVERING INDEX passages_vector_model (vector_model=? AND scope=?)"},
		{`SELECT id FROM passages WHERE vector_model > 0 AND vector_model < 5 AND gone = 0 LIMIT 64`, "USING COVERING INDEX passages_vector_model (vector_model>? AND vector_model<?)"},
		{`SELECT COUNT(*) FROM passages WHERE vector_model = 1 AND scope = 1 AND gone = 0`, "USING COVERING INDEX passages_vector_model (vector_model=? AND scope=?)"},
		{`SELECT COUNT(*) FROM passages WHERE document_id = 'd' AND version = 1 AND gone = 0`, "passages_document (document_id=? AND version=?)"},
		{`SELECT p.id FROM documents AS d JOIN passages AS p ON p.document_id = d.id WHERE d.id = 'd' AND p.version = 1 AND p.gone = 0 ORDER BY p.ordinal`, "passages_document (document_id=? AND version=?)"},
		{`SELECT d.deleted_at FROM deleted_documents d` + openTo + `'u' WHERE d.id = 'd'`, "SEARCH d USING INDEX deleted_documents_id (id=?)"},
		{`SELECT d.id FROM documents d` + openTo + `'u' WHERE d.id = 'd'`, "SEARCH collections USING INDEX sqlite_autoindex_collections_1 (id=?)"},
		{`SELECT d.id ` + chosenDocuments + `WHERE o.user_id = 'u' AND d.id < 'x' ORDER BY d.id DESC LIMIT 51`, "SEARCH d USING COVERING INDEX documents_collection (collection_id=? AND id<?)"},
		{strings.Replace(collections, "$1", "'u'", 1), "SEARCH g USING PRIMARY KEY (group_name=?)"},
		{strings.Replace(collections, "$1", "'u'", 1), "SCAN c USING INDEX collections_everybody"},
		{`SELECT d.id ` + strings.NewReplacer("$1", "'h'", "$2", "'u'").Replace(sameFile), "USING INDEX document_versions_hash (hash=?)"},
		{stateOfDocuments, "SEARCH v USING COVERING INDEX document_versions_counted (document_id=?)"},
		{problemsOfDocuments, "SEARCH v USING INDEX document_versions_counted (document_id=? AND version=? AND state=?)"},
		{strings.Replace(waitingBefore, "$1", "5", 1), "COVERING INDEX document_versions_queue (added_at<?)"},
		{documentUse, "USING COVERING INDEX document_versions_counted (document_id=?)"},
		{`UPDATE passages SET document_id = '' WHERE document_id = 'd' AND version = 1`, "passages_document (document_id=? AND version=?)"},
		{`SELECT p.id, x.text FROM passages AS p JOIN passage_texts AS x ON x.passage_id = p.id WHERE p.id > 7 AND p.gone = 0 ORDER BY p.id LIMIT 32`, "SEARCH p USING INTEGER PRIMARY KEY (rowid>?)"},
		{`SELECT id FROM documents WHERE renamed LIMIT 1`, "documents_renamed"},
		{`SELECT p.id FROM documents AS d CROSS JOIN passages AS p ON p.document_id = d.id JOIN passage_texts AS x ON x.passage_id = p.id
			WHERE d.id = 'd' AND p.gone = 0 AND (x.name <> d.name OR p.scope <> 7) ORDER BY p.version, p.ordinal LIMIT 16`, "SEARCH p USING INDEX passages_document (document_id=?)"},
		{`SELECT id FROM passages WHERE gone = 0 ORDER BY id DESC LIMIT 1`, "SCAN passages"},
		{`SELECT 1 FROM passage_index_segdir WHERE level BETWEEN 1024 AND 2047`, "(level>? AND level<?)"},
		{`SELECT term, documents FROM passage_vocabulary WHERE term = 'x' AND languageid = 1 AND col = '*'`, "SCAN passage_vocabulary VIRTUAL TABLE INDEX 1"},
	} {
		if plan := s.plan(t, tc.query); !strings.Contains(plan, tc.want) {
			t.Errorf("%s\nis done by\n%s\nwant %s", tc.query, plan, tc.want)
		}
	}
}

// TestInboxReadsNoWholeTable: what every page asks for, and the inbox as it
// opens, finds its rows by an index, in the order in which they are shown.
func TestInboxReadsNoWholeTable(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	for _, v := range []agent.Viewer{{UserID: "u", Role: agent.RoleReviewer}, {UserID: "u", Role: agent.RoleUser}} {
		mine, unread := s.forViewer(v, agent.ApprovalFilter{}), s.forViewer(v, agent.ApprovalFilter{Unread: true})
		grouped, later := s.forViewer(v, agent.ApprovalFilter{Grouped: true}), s.forViewer(v, agent.ApprovalFilter{Grouped: true})
		later.beyond(`>`, urgency{2, 5, "a"})
		for _, tc := range []struct {
			name, query string
			w           *where
		}{
			{"first page", `SELECT ` + s.entryColumns(grouped, v) + inboxFrom + grouped.String() + byUrgency + ` LIMIT 51`, grouped},
			{"later page", `SELECT ` + s.entryColumns(later, v) + inboxFrom + later.String() + byUrgency + ` LIMIT 51`, later},
			{"newest", `SELECT ` + s.entryColumns(grouped, v) + inboxFrom + grouped.String() + ` ORDER BY a.id DESC LIMIT 8`, grouped},
			{"count", `SELECT COUNT(*) FROM approvals a ` + mine.String(), mine},
			{"unread", `SELECT COUNT(*) FROM (SELECT a.id FROM approvals a ` + unread.String() + ` LIMIT 100) x`, unread},
		} {
			plan := s.plan(t, tc.query, tc.w.Args...)
			if !v.Role.Reviews() {
				if !strings.Contains(plan, "SEARCH a USING INDEX approvals_person (user_id=?)") {
					t.Errorf("%s of a user:\n%s", tc.name, plan)
				}
				continue // they sort their own
			}
			if !strings.Contains(plan, "SEARCH d USING INDEX users_deciders (role=?)") || tc.name == "count" && !strings.Contains(plan, "SCAN a USING COVERING INDEX") {
				t.Errorf("%s looks rows up:\n%s", tc.name, plan)
			}
			for _, step := range strings.Split(plan, "\n") {
				if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "approvals_pending") && !strings.Contains(step, "approvals_urgent") && step != "SCAN x" || strings.Contains(step, "TEMP B-TREE") {
					t.Errorf("%s:\n%s", tc.name, plan)
				}
			}
		}
	}
}

// TestSearchReadsTitlesInTheIndex: a title that does not match is not looked up in the table.
func TestSearchReadsTitlesInTheIndex(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	for _, search := range []string{"", "a", "ä"} {
		plan := s.plan(t, conversationsTitled(search), make([]any, 5)...)
		if !strings.HasPrefix(plan, "SEARCH c USING INDEX conversations_owner (owner_id=? ") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%q:\n%s", search, plan)
		}
	}
}

func openFor(t *testing.T, onCommit func([]agent.Event)) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "f.db"), Clock: agenttest.NewClock(), NewID: agenttest.IDs(), OnCommit: onCommit,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Store) plan(t *testing.T, query string, args ...any) string {
	t.Helper()
	if len(args) == 0 && strings.Contains(query, "$1") {
		args = append(args, "u")
	}
	steps, err := sqlite.List(t.Context(), s.db, func(r sqlite.Scanner) (string, error) {
		var id, parent, unused int
		var detail string
		err := r.Scan(&id, &parent, &unused, &detail)
		return detail, err
	}, `EXPLAIN QUERY PLAN `+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
