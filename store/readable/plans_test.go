package readable_test

import (
	"strings"
	"testing"

	"fusebox/store/readable"
	"fusebox/store/storetest"
)

// TestDocumentsAreFound: what is read and cited is found by indexes.
func TestDocumentsAreFound(t *testing.T) {
	t.Parallel()
	read := storetest.Plan(t, readable.ReadByCalls, "c")
	cited := storetest.Plan(t, readable.CitedPassages, `[["p","d"]]`, "c")
	for _, tc := range []struct{ plan, want string }{
		{read, "SEARCH k USING PRIMARY KEY (conversation_id=?)"},
		{read, "SEARCH d USING INDEX sqlite_autoindex_documents_1 (id=?)"},
		{read, "SEARCH x USING PRIMARY KEY (user_id=? AND id=?)"},
		{cited, "SEARCH p USING INDEX sqlite_autoindex_passages_1 (public_id=?)"},
		{cited, "SEARCH d USING INDEX sqlite_autoindex_documents_1 (id=?)"},
		{cited, "SEARCH g USING COVERING INDEX collection_groups_collection (collection_id=? AND group_name=?)"},
		{cited, "SEARCH x USING INDEX deleted_documents_id (id=?)"},
	} {
		if !strings.Contains(tc.plan, tc.want) {
			t.Errorf("it is done by\n%s\nwant %s", tc.plan, tc.want)
		}
	}
}
